// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/stage_clock.hpp"

#include "cuda/runtime/tuning.hpp"

namespace ctv::cuda {

StageClock::~StageClock() {
  for (const Mark& mark : marks_) {
    if (mark.begin != nullptr) cudaEventDestroy(mark.begin);
    if (mark.end != nullptr) cudaEventDestroy(mark.end);
  }
}

void StageClock::start(StageTimes* times) {
  if (times == nullptr || !cuda_tuning().stage_times.value_or(true)) {
    times_ = nullptr;
    return;
  }
  marks_.resize(kMarks);
  for (Mark& mark : marks_) {
    if (mark.begin == nullptr &&
        (cudaEventCreate(&mark.begin) != cudaSuccess || cudaEventCreate(&mark.end) != cudaSuccess)) {
      cudaGetLastError();
      return;
    }
  }
  times_ = times;
}

void StageClock::begin(Stage stage, cudaStream_t stream) {
  if (!runs()) return;
  if (next_ - first_ == kMarks) collect(true);
  Mark& mark = marks_[next_ % kMarks];
  mark.stage = stage;
  cudaEventRecord(mark.begin, stream);
}

void StageClock::end(cudaStream_t stream) {
  if (runs()) cudaEventRecord(marks_[next_++ % kMarks].end, stream);
}

void StageClock::collect(bool all) {
  if (!runs()) return;
  for (; first_ != next_; ++first_) {
    const Mark& mark = marks_[first_ % kMarks];
    if (all) cudaEventSynchronize(mark.end);
    if (cudaEventQuery(mark.end) != cudaSuccess) {
      cudaGetLastError();  // not ready
      return;
    }
    float milliseconds = 0;
    if (cudaEventElapsedTime(&milliseconds, mark.begin, mark.end) != cudaSuccess) {
      cudaGetLastError();
      return;
    }
    times_->add(mark.stage, static_cast<double>(milliseconds) * 1e-3);
  }
}

}  // namespace ctv::cuda

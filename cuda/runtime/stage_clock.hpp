// SPDX-License-Identifier: BSD-3-Clause
// Times of the stages on the GPU: pairs of events, read after the GPU has passed them.
#pragma once

#include <vector>

#include "codec/util/stage_times.hpp"
#include "cuda/runtime/context.hpp"

namespace ctv::cuda {

/// Off until start(). If its own CUDA calls fail, times are missing; that is no error.
class StageClock {
 public:
  static constexpr int kMarks = 256;  // stages between two collections, a power of two

  explicit StageClock(const Context& context) : context_(context) {}
  ~StageClock();
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

  /// Adds times to `times` from now on; null stops (see CudaTuning::stage_times).
  void start(StageTimes* times);
  bool wanted() const { return times_ != nullptr && times_->wanted; }
  /// Called before and after the work of a stage on a stream.
  void begin(Stage stage, cudaStream_t stream);
  void end(cudaStream_t stream);
  /// Adds the stages that have ended; `all` waits for the rest.
  void collect(bool all);

 private:
  struct Mark {
    Stage stage = Stage::kColour;
    cudaEvent_t begin = nullptr, end = nullptr;
  };
  bool runs() const { return times_ != nullptr && !context_.dead(); }

  const Context& context_;
  std::vector<Mark> marks_;
  size_t first_ = 0, next_ = 0;
  StageTimes* times_ = nullptr;
};

}  // namespace ctv::cuda

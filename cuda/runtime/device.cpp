// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/device.hpp"

#include <atomic>
#include <cstring>

namespace ctv::cuda {

cudaError_t checked(cudaError_t error) {
#if defined(CTV_FAULT_INJECTION)
  static std::atomic<long> calls{0};
  const CudaTuning& tuning = cuda_tuning();
  if (tuning.fail_at > 0 && ++calls == tuning.fail_at)
    return tuning.fail_with_memory ? cudaErrorMemoryAllocation : cudaErrorUnknown;
#endif
  return error;
}

Result<std::shared_ptr<Device>> Device::open(int id) {
  std::shared_ptr<Device> device(new Device(id));
  Device& d = *device;
  CTV_CUDA_TRY(d, cudaSetDevice(id));
  CTV_CUDA_TRY(d, cudaGetDeviceProperties(&d.properties_, id));
  CTV_CUDA_TRY(d, cudaStreamCreateWithFlags(&d.stream_, cudaStreamNonBlocking));
  d.current_ = d.stream_;
  for (Lane& lane : d.lanes_) {
    CTV_CUDA_TRY(d, cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    CTV_CUDA_TRY(d, lane.end.create(cudaEventDisableTiming));
  }
  CTV_CUDA_TRY(d, d.fork_.create(cudaEventDisableTiming));
  CTV_CUDA_TRY(d, cudaStreamCreateWithFlags(&d.up_, cudaStreamNonBlocking));
  CTV_CUDA_TRY(d, cudaStreamCreateWithFlags(&d.down_, cudaStreamNonBlocking));
  return device;
}

Device::~Device() {
  // Errors are of no use here; a dead context has freed everything already.
  discard_recording();
  for (const Mark& mark : marks_) {
    cudaEventDestroy(mark.begin);
    cudaEventDestroy(mark.end);
  }
  for (cudaStream_t stream : {down_, up_, lanes_[0].stream, lanes_[1].stream, stream_}) {
    if (stream == nullptr) continue;
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
}

Status Device::enter() {
  if (dead_) {
    const std::lock_guard lock(first_failure_mutex_);
    return {CTV_ERROR_DEVICE, first_failure_};
  }
  CTV_CUDA_TRY(*this, cudaSetDevice(id_));
  return {};
}

Status Device::fail(cudaError_t error, const char* call) {
  const std::string name(call, std::strcspn(call, "("));
  std::string message = name + ": " + cudaGetErrorString(error);
  cudaGetLastError();  // an error that is not sticky is taken note of here
  if (error == cudaErrorMemoryAllocation) return {CTV_ERROR_MEMORY, "CUDA: " + message};
  const std::lock_guard lock(first_failure_mutex_);
  if (!dead_) first_failure_ = "CUDA device " + std::to_string(id_) + " failed in " + message;
  dead_ = true;
  return {CTV_ERROR_DEVICE, first_failure_};
}

Status Device::launched(const char* kernel) {
  if (const cudaError_t error = checked(cudaPeekAtLastError()); error != cudaSuccess)
    return fail(error, kernel);
  return {};
}

Status Device::on_plane(int plane) {
  if (!cuda_tuning().lanes) return {};
  if (plane < 0) return join_lanes();
  if (!forked_) {
    CTV_CUDA_TRY(*this, cudaEventRecord(fork_.get(), stream_));
    forked_ = true;
  }
  current_ = stream_;
  if (plane == 0) return {};
  Lane& lane = lanes_[static_cast<size_t>(plane - 1)];
  if (!lane.used) CTV_CUDA_TRY(*this, cudaStreamWaitEvent(lane.stream, fork_.get(), 0));
  lane.used = true;
  current_ = lane.stream;
  return {};
}

Status Device::join_lanes() {
  current_ = stream_;
  forked_ = false;
  for (Lane& lane : lanes_) {
    if (!lane.used) continue;
    lane.used = false;
    CTV_CUDA_TRY(*this, cudaEventRecord(lane.end.get(), lane.stream));
    CTV_CUDA_TRY(*this, cudaStreamWaitEvent(stream_, lane.end.get(), 0));
  }
  return {};
}

Status Device::record(const Event& event) {
  CTV_CUDA_TRY(*this,
               cudaEventRecordWithFlags(event.get(), current_,
                                        recording_ ? cudaEventRecordExternal : cudaEventRecordDefault));
  return {};
}

Status Device::wait(const Event& event) {
  CTV_CUDA_TRY(*this, cudaStreamWaitEvent(current_, event.get(),
                                          recording_ ? cudaEventWaitExternal : cudaEventWaitDefault));
  return {};
}

Status Device::afterwards(std::function<Status()> work) {
  if (!recording_) return work();
  deferred_.push_back(std::move(work));
  return {};
}

void Device::keep_times(StageTimes* times) {
  if (times == nullptr || !cuda_tuning().stage_times.value_or(true)) {
    times_ = nullptr;
    return;
  }
  marks_.resize(kMarks);
  for (Mark& mark : marks_) {
    if (mark.begin == nullptr &&
        (cudaEventCreate(&mark.begin) != cudaSuccess || cudaEventCreate(&mark.end) != cudaSuccess)) {
      return;
    }
  }
  times_ = times;
}

void Device::mark_begin(Stage stage) {
  if (times_ == nullptr || dead_ || recording_) return;
  if (next_mark_ - first_mark_ == kMarks) harvest(true);
  Mark& mark = marks_[next_mark_ % kMarks];
  mark.stage = stage;
  cudaEventRecord(mark.begin, current_);
}

void Device::mark_end() {
  if (times_ == nullptr || dead_ || recording_) return;
  cudaEventRecord(marks_[next_mark_++ % kMarks].end, current_);
}

void Device::harvest(bool all) {
  if (times_ == nullptr || dead_) return;
  for (; first_mark_ != next_mark_; ++first_mark_) {
    const Mark& mark = marks_[first_mark_ % kMarks];
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

void Device::discard_recording() {
  if (!recording_) return;
  recording_ = false;
  deferred_.clear();
  current_ = stream_;
  forked_ = false;
  for (Lane& lane : lanes_) lane.used = false;
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaGetLastError();
}

Result<bool> Device::begin_frame(const FrameCalls& calls) {
  harvest(false);
  discard_recording();
  CTV_RETURN_IF_ERROR(join_lanes());  // of a frame that an error has cut short
  repeating_ = false;
  const CudaTuning& tuning = cuda_tuning();
  const bool timed = tuning.stage_times.value_or(false);
  if (timed || !tuning.graphs.value_or(frames_in_flight_ > 1)) return false;
  calls_ = calls;
  repeating_ = frames_.has(calls);
  if (repeating_) return true;
  CTV_CUDA_TRY(*this, cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  recording_ = true;
  return false;
}

Status Device::end_frame() {
  if (std::exchange(repeating_, false)) return frames_.repeat(*this, calls_, stream_);
  if (!std::exchange(recording_, false)) return {};
  cudaGraph_t graph = nullptr;
  CTV_CUDA_TRY(*this, cudaStreamEndCapture(stream_, &graph));
  const Status status = frames_.run(*this, calls_, graph, deferred_, stream_);
  deferred_.clear();
  cudaGraphDestroy(graph);
  return status;
}

}  // namespace ctv::cuda

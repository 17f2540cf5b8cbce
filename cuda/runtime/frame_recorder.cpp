// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/frame_recorder.hpp"

#include <utility>

namespace ctv::cuda {

Result<bool> FrameRecorder::begin(const FrameCalls& calls, bool graphs, bool at_once) {
  discard();
  CTV_RETURN_IF_ERROR(streams_.finish());  // of a frame that an error has interrupted
  repeating_ = false;
  if (!graphs) return false;
  calls_ = calls;
  at_once_ = at_once;
  repeating_ = graphs_.has(calls);
  if (repeating_) return true;
  if (at_once && !graphs_.came_before(calls)) return false;
  CTV_CUDA_TRY(context_, cudaStreamBeginCapture(streams_.kernels(), cudaStreamCaptureModeRelaxed));
  recording_ = true;
  return false;
}

Status FrameRecorder::end() {
  if (std::exchange(repeating_, false)) return graphs_.repeat(context_, calls_, streams_.kernels());
  if (!recording_) return {};
  if (const Status status = streams_.finish(); !status.ok()) {
    discard();
    return status;
  }
  recording_ = false;
  FrameGraphs::Around around = std::exchange(around_, {});
  cudaGraph_t graph = nullptr;
  CTV_CUDA_TRY(context_, cudaStreamEndCapture(streams_.kernels(), &graph));
  const Status status = graphs_.run(context_, calls_, graph, around, streams_.kernels());
  cudaGraphDestroy(graph);
  return status;
}

void FrameRecorder::discard() {
  if (!recording_) return;
  recording_ = false;
  around_ = {};
  streams_.abandon_lanes();
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(streams_.kernels(), &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaGetLastError();
}

Status FrameRecorder::record(const Event& event) {
  if (!recording_) return record(event, streams_.current());
  CTV_ASSIGN_OR_RETURN(const cudaStream_t stream, streams_.mark());
  return record(event, stream);
}

Status FrameRecorder::record(const Event& event, cudaStream_t stream) {
  CTV_CUDA_TRY(context_,
               cudaEventRecordWithFlags(event.get(), stream,
                                        recording_ ? cudaEventRecordExternal : cudaEventRecordDefault));
  return {};
}

Status FrameRecorder::wait(const Event& event) {
  if (recording_ && !at_once_) {
    around_.waits.push_back(event.get());
    return {};
  }
  CTV_CUDA_TRY(context_, cudaStreamWaitEvent(streams_.current(), event.get(),
                                             recording_ ? cudaEventWaitExternal : cudaEventWaitDefault));
  return {};
}

Status FrameRecorder::afterwards(std::function<Status()> work) {
  if (!recording_) return work();
  around_.work.push_back(std::move(work));
  return {};
}

}  // namespace ctv::cuda

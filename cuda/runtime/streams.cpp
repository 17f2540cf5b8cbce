// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/streams.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "cuda/runtime/tuning.hpp"

namespace ctv::cuda {

Status Streams::open() {
  // The entropy coding may have a higher or a lower priority than the stages. Luma takes longest, so other
  // planes yield to it, and work parallel to all planes yields to these.
  const int priority = (context_.first_priority() + context_.last_priority()) / 2;
  const int others = std::min(priority + 1, context_.last_priority());
  const int beside = std::min(priority + 2, context_.last_priority());
  CTV_RETURN_IF_ERROR(kernels_.create(context_, priority));
  current_ = kernels_.get();
  for (const auto& [lane, its] : {std::pair(&lanes_[0], others), std::pair(&lanes_[1], others),
                                  std::pair(&lanes_[2], beside), std::pair(&marks_, priority)}) {
    CTV_RETURN_IF_ERROR(lane->stream.create(context_, its));
    CTV_RETURN_IF_ERROR(lane->end.create(context_, cudaEventDisableTiming));
  }
  CTV_RETURN_IF_ERROR(fork_.create(context_, cudaEventDisableTiming));
  CTV_RETURN_IF_ERROR(up_.create(context_, priority));
  CTV_RETURN_IF_ERROR(down_.create(context_, priority));
  return {};
}

Streams::~Streams() {
  // Errors are ignored: a dead context has freed everything already.
  for (const Stream* stream :
       {&down_, &up_, &lanes_[0].stream, &lanes_[1].stream, &lanes_[2].stream, &kernels_}) {
    if (stream->get() != nullptr) cudaStreamSynchronize(stream->get());
  }
}

Status Streams::on_plane(int plane) {
  if (!cuda_tuning().lanes) return {};
  if (plane < 0) return join();
  if (!forked_) CTV_RETURN_IF_ERROR(fork());
  current_ = kernels_.get();
  if (plane == 0) return {};
  Lane& lane = lanes_[static_cast<size_t>(plane - 1)];
  if (!lane.used) CTV_CUDA_TRY(context_, cudaStreamWaitEvent(lane.stream.get(), fork_.get(), 0));
  lane.used = true;
  current_ = lane.stream.get();
  return {};
}

Status Streams::beside_planes() {
  if (!cuda_tuning().lanes) return {};
  if (!forked_) CTV_RETURN_IF_ERROR(fork());
  Lane& lane = lanes_[2];
  CTV_CUDA_TRY(context_, cudaStreamWaitEvent(lane.stream.get(), fork_.get(), 0));
  lane.used = true;
  current_ = lane.stream.get();
  return {};
}

Status Streams::fork() {
  CTV_CUDA_TRY(context_, cudaEventRecord(fork_.get(), kernels_.get()));
  forked_ = true;
  return {};
}

Status Streams::come_back(Lane& lane) {
  if (!std::exchange(lane.used, false)) return {};
  CTV_CUDA_TRY(context_, cudaEventRecord(lane.end.get(), lane.stream.get()));
  CTV_CUDA_TRY(context_, cudaStreamWaitEvent(kernels_.get(), lane.end.get(), 0));
  return {};
}

Status Streams::join() {
  current_ = kernels_.get();
  forked_ = false;
  CTV_RETURN_IF_ERROR(come_back(lanes_[0]));
  return come_back(lanes_[1]);
}

Status Streams::wait_beside() {
  Lane& lane = lanes_[2];
  if (!lane.used) return {};
  CTV_CUDA_TRY(context_, cudaEventRecord(lane.end.get(), lane.stream.get()));
  CTV_CUDA_TRY(context_, cudaStreamWaitEvent(current_, lane.end.get(), 0));
  return {};
}

Result<cudaStream_t> Streams::mark() {
  CTV_CUDA_TRY(context_, cudaEventRecord(marks_.end.get(), current_));
  CTV_CUDA_TRY(context_, cudaStreamWaitEvent(marks_.stream.get(), marks_.end.get(), 0));
  marks_.used = true;
  return marks_.stream.get();
}

Status Streams::finish() {
  CTV_RETURN_IF_ERROR(join());
  CTV_RETURN_IF_ERROR(come_back(lanes_[2]));
  return come_back(marks_);
}

void Streams::abandon_lanes() {
  current_ = kernels_.get();
  forked_ = false;
  marks_.used = false;
  for (Lane& lane : lanes_) lane.used = false;
}

}  // namespace ctv::cuda

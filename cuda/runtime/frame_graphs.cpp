// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/frame_graphs.hpp"

#include <algorithm>
#include <utility>

#include "cuda/runtime/context.hpp"

namespace ctv::cuda {
namespace {

// CUDA frees an executable that still runs when it has ended.
void destroy(cudaGraphExec_t& executable) {
  if (executable != nullptr) cudaGraphExecDestroy(std::exchange(executable, nullptr));
}

Status launch(Context& context, cudaGraphExec_t executable, const FrameGraphs::Around& around,
              cudaStream_t stream) {
  for (const cudaEvent_t event : around.waits) CTV_CUDA_TRY(context, cudaStreamWaitEvent(stream, event, 0));
  CTV_CUDA_TRY(context, cudaGraphLaunch(executable, stream));
  for (const std::function<Status()>& step : around.work) CTV_RETURN_IF_ERROR(step());
  return {};
}

}  // namespace

void FrameGraphs::forget() {
  for (Kept& frame : kept_) destroy(frame.executable);
  kept_.clear();
  for (cudaGraphExec_t& executable : shared_) destroy(executable);
}

const FrameGraphs::Kept* FrameGraphs::find(const FrameCalls& calls) const {
  const auto frame = std::ranges::find(kept_, calls, &Kept::calls);
  return calls.repeatable && frame != kept_.end() ? &*frame : nullptr;
}

bool FrameGraphs::has(const FrameCalls& calls) const {
  const Kept* frame = find(calls);
  return frame != nullptr && frame->executable != nullptr;
}

Status FrameGraphs::repeat(Context& context, const FrameCalls& calls, cudaStream_t stream) {
  const Kept* frame = seen(calls);
  return launch(context, frame->executable, frame->around, stream);
}

FrameGraphs::Kept* FrameGraphs::seen(const FrameCalls& calls) {
  ++frames_;
  if (const Kept* found = find(calls)) {
    Kept& frame = kept_[static_cast<size_t>(found - kept_.data())];
    frame.used = frames_;
    return &frame;
  }
  if (kept_.size() < kSeen) {
    kept_.push_back({calls, frames_, nullptr, {}});
    return nullptr;
  }
  Kept& oldest = *std::ranges::min_element(kept_, {}, &Kept::used);
  destroy(oldest.executable);
  oldest = {calls, frames_, nullptr, {}};
  return nullptr;
}

bool FrameGraphs::make_room() {
  const auto has_one = [](const Kept& frame) { return frame.executable != nullptr; };
  if (static_cast<size_t>(std::ranges::count_if(kept_, has_one)) < kKept) return true;
  const auto old = std::ranges::find_if(
      kept_, [&](const Kept& frame) { return has_one(frame) && frame.used + kSeen < frames_; });
  if (old == kept_.end()) return false;
  destroy(old->executable);
  return true;
}

// Frames of one type differ in a few arguments only. A graph of another shape, for example the first frame
// with a reference, is instantiated again.
Status FrameGraphs::update(Context& context, cudaGraphExec_t& executable, cudaGraph_t graph) {
  cudaGraphExecUpdateResultInfo info{};
  if (executable != nullptr && cudaGraphExecUpdate(executable, graph, &info) != cudaSuccess) {
    cudaGetLastError();
    destroy(executable);
  }
  if (executable == nullptr) CTV_CUDA_TRY(context, cudaGraphInstantiate(&executable, graph, 0));
  return {};
}

Status FrameGraphs::run(Context& context, const FrameCalls& calls, cudaGraph_t graph, Around& around,
                        cudaStream_t stream) {
  Kept* kept = calls.repeatable ? seen(calls) : nullptr;
  if (kept == nullptr || !make_room()) {
    cudaGraphExec_t& shared = shared_[calls.type == FrameType::kKey ? 0 : 1];
    CTV_RETURN_IF_ERROR(update(context, shared, graph));
    return launch(context, shared, around, stream);
  }
  CTV_CUDA_TRY(context, cudaGraphInstantiate(&kept->executable, graph, 0));
  kept->around = std::move(around);
  return launch(context, kept->executable, kept->around, stream);
}

}  // namespace ctv::cuda

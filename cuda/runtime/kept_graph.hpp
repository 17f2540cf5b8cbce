// SPDX-License-Identifier: BSD-3-Clause
// Calls that are the same in each frame, launched as one graph: a thread that has not used CUDA for a while
// takes about 5 us per call.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "cuda/runtime/context.hpp"

namespace ctv::cuda {

class KeptGraph {
 public:
  KeptGraph() = default;
  ~KeptGraph() { forget(); }
  KeptGraph(const KeptGraph&) = delete;
  KeptGraph& operator=(const KeptGraph&) = delete;

  /// Queues the work of calls() in the stream, as a graph. key: its arguments; if they change, it is recorded
  /// again.
  template <typename Calls>
  Status run(Context& context, cudaStream_t stream, const void* key, Calls calls) {
    if (executable_ == nullptr || key != key_) {
      forget();
      CTV_CUDA_TRY(context, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
      const Status status = calls();
      cudaGraph_t graph = nullptr;
      const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
      const bool recorded = status.ok() && ended == cudaSuccess;
      const cudaError_t made = recorded ? cudaGraphInstantiate(&executable_, graph, 0) : cudaSuccess;
      if (graph != nullptr) cudaGraphDestroy(graph);
      CTV_RETURN_IF_ERROR(status);
      CTV_CUDA_TRY(context, ended);
      CTV_CUDA_TRY(context, made);
      key_ = key;
    }
    CTV_CUDA_TRY(context, cudaGraphLaunch(executable_, stream));
    return {};
  }

 private:
  // CUDA frees an executable that still runs when it has ended.
  void forget() {
    if (executable_ != nullptr) cudaGraphExecDestroy(std::exchange(executable_, nullptr));
  }

  cudaGraphExec_t executable_ = nullptr;
  const void* key_ = nullptr;
};

}  // namespace ctv::cuda

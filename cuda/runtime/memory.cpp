// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/runtime/memory.hpp"

#include "cuda/runtime/tuning.hpp"

namespace ctv::cuda {

// Complete on return, because other streams do not wait for the default one.
void fill_new(void* data, size_t bytes) {
  const auto& fill = cuda_tuning().fill;
  if (fill && cudaMemset(data, *fill, bytes) == cudaSuccess) cudaStreamSynchronize(nullptr);
}

Status finish_filling(Context& context) {
  CTV_CUDA_TRY(context, cudaStreamSynchronize(nullptr));
  return {};
}

}  // namespace ctv::cuda

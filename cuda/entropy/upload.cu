// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/entropy/upload.hpp"

namespace ctv::cuda {
namespace {

constexpr unsigned kThreads = 256;

__global__ void __launch_bounds__(kThreads) fetch_kernel(const uint8_t* from, size_t size, uint8_t* to) {
  const size_t word = size_t{blockIdx.x} * kThreads + threadIdx.x;
  const size_t first = word * sizeof(uint32_t);
  if (first + sizeof(uint32_t) <= size) {
    reinterpret_cast<uint32_t*>(to)[word] = reinterpret_cast<const uint32_t*>(from)[word];
  } else {
    for (size_t i = first; i < size; ++i) to[i] = from[i];
  }
}

}  // namespace

Status upload_bytes(Device& device, const uint8_t* from, size_t size, uint8_t* to, cudaStream_t stream) {
  if (!device.single_frame()) {
    CTV_CUDA_TRY(device, cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, stream));
    return {};
  }
  const auto blocks = static_cast<unsigned>(size / (kThreads * sizeof(uint32_t)) + 1);
  fetch_kernel<<<blocks, kThreads, 0, stream>>>(from, size, to);
  return device.launched("fetch_kernel");
}

}  // namespace ctv::cuda

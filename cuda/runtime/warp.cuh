// SPDX-License-Identifier: BSD-3-Clause
// A warp, and sums, minima and unions over its lanes.
#pragma once

#include "codec/util/host_device.hpp"

#include <cstdint>

namespace ctv::cuda {

constexpr int kWarp = 32;
constexpr uint32_t kAllLanes = 0xFFFFFFFFU;

__device__ __forceinline__ uint32_t warp_sum(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAllLanes, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(kAllLanes, v, offset);
  return v;
#endif
}
__device__ __forceinline__ uint32_t warp_min(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(kAllLanes, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v = min_of(v, __shfl_xor_sync(kAllLanes, v, offset));
  return v;
#endif
}
__device__ __forceinline__ uint32_t warp_or(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kAllLanes, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v |= __shfl_xor_sync(kAllLanes, v, offset);
  return v;
#endif
}
/// The sum of v, below 2^kBits, over the lanes before.
template <int kBits>
__device__ __forceinline__ uint32_t warp_sum_before(uint32_t v, uint32_t lane) {
  uint32_t sum = 0;
#pragma unroll
  for (int bit = 0; bit < kBits; ++bit) {
    const uint32_t lanes = __ballot_sync(kAllLanes, (v >> bit & 1U) != 0);
    sum += static_cast<uint32_t>(__popc(static_cast<int>(lanes & ((1U << lane) - 1)))) << bit;
  }
  return sum;
}

}  // namespace ctv::cuda

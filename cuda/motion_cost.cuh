// SPDX-License-Identifier: BSD-3-Clause
// motion_cost of codec/math/motion.hpp with the length of a number by one instruction instead of a loop, and
// what sums and compares costs.
#pragma once

#include "codec/math/motion.hpp"

namespace ctv::cuda {

__device__ __forceinline__ uint32_t fast_motion_cost(uint32_t sad, uint32_t lambda, MotionVector v) {
  const int y = 32 - __clz(abs_of(v.y));
  const int x = 32 - __clz(abs_of(v.x));
  return sad * 16 + lambda * static_cast<uint32_t>(2 * (y + x));
}

// Sum of the differences of four samples.
__device__ __forceinline__ uint32_t add_differences(uint32_t a, uint32_t b, uint32_t sum) {
  uint32_t result;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}

__device__ __forceinline__ uint32_t warp_sum(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFU, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xFFFFFFFFU, v, offset);
  return v;
#endif
}
__device__ __forceinline__ uint32_t warp_min(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xFFFFFFFFU, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v = min_of(v, __shfl_xor_sync(0xFFFFFFFFU, v, offset));
  return v;
#endif
}

}  // namespace ctv::cuda

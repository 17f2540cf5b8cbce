// SPDX-License-Identifier: BSD-3-Clause
// motion_cost of codec/dsp/motion_vectors.hpp with the length of a number by one instruction instead of a
// loop, and differences of four samples at once.
#pragma once

#include "codec/dsp/motion_vectors.hpp"
#include "cuda/runtime/warp.cuh"

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

}  // namespace ctv::cuda

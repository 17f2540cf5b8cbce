// SPDX-License-Identifier: BSD-3-Clause
// motion_cost of codec/math/motion.hpp with the length of a number by one instruction instead of a loop.
#pragma once

#include "codec/math/motion.hpp"

namespace ctv::cuda {

__device__ __forceinline__ uint32_t fast_motion_cost(uint32_t sad, uint32_t lambda, MotionVector v) {
  const int y = 32 - __clz(abs_of(v.y));
  const int x = 32 - __clz(abs_of(v.x));
  return sad * 16 + lambda * static_cast<uint32_t>(2 * (y + x));
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Functions that the kernels of motion search share.
#pragma once

#include "cuda/motion/search.hpp"

namespace ctv::cuda {

// Returns sum + the SAD of four samples.
__device__ __forceinline__ uint32_t add_differences(uint32_t a, uint32_t b, uint32_t sum) {
  uint32_t result;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}

__device__ __forceinline__ uint32_t to_word(MotionVector v) {
  return static_cast<uint32_t>(static_cast<uint16_t>(v.y)) | static_cast<uint32_t>(v.x) << 16;
}
__device__ __forceinline__ MotionVector to_vector(uint32_t word) {
  return {static_cast<int16_t>(word), static_cast<int16_t>(word >> 16)};
}

}  // namespace ctv::cuda

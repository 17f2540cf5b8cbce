// SPDX-License-Identifier: BSD-3-Clause
// What kernels of block matching share.
#pragma once

#include "cuda/motion/search.hpp"

namespace ctv::cuda {

// Sum of the differences of four samples.
__device__ __forceinline__ uint32_t add_differences(uint32_t a, uint32_t b, uint32_t sum) {
  uint32_t result;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}

// Whether all cells of a block that lie in the grid are still.
__device__ __forceinline__ bool is_still(const StillCells& still, int row, int col) {
  if (still.flags == nullptr) return false;
  for (int r = row << still.log2_cells; r < min_of((row + 1) << still.log2_cells, still.rows); ++r) {
    for (int c = col << still.log2_cells; c < min_of((col + 1) << still.log2_cells, still.cols); ++c) {
      if (still.flags[r * still.cols + c] == 0) return false;
    }
  }
  return true;
}

}  // namespace ctv::cuda

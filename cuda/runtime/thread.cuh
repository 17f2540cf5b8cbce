// SPDX-License-Identifier: BSD-3-Clause
// A thread's index in its block as a nonnegative signed number: otherwise a quotient or remainder of it takes
// three more instructions.
#pragma once

namespace ctv::cuda {

__device__ __forceinline__ int thread_x() {
  const int x = static_cast<int>(threadIdx.x);
  __builtin_assume(x >= 0);
  return x;
}
__device__ __forceinline__ int thread_y() {
  const int y = static_cast<int>(threadIdx.y);
  __builtin_assume(y >= 0);
  return y;
}

}  // namespace ctv::cuda

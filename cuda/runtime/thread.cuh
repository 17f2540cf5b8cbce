// SPDX-License-Identifier: BSD-3-Clause
// A thread's place in its block, as a signed number that compilers know not to be negative: else a quotient
// or a remainder of it takes three instructions more.
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

// SPDX-License-Identifier: BSD-3-Clause
// CTV_HOST_DEVICE marks functions that both backends compile, so that both compute the same bits.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define CTV_HOST_DEVICE __host__ __device__ __forceinline__
#define CTV_CONST_TABLE static __device__ __constant__ const
#else
#define CTV_HOST_DEVICE inline
#endif

namespace ctv {

template <typename T>
CTV_HOST_DEVICE constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
CTV_HOST_DEVICE constexpr T max_of(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
CTV_HOST_DEVICE constexpr T clamp_to(T v, T lo, T hi) {
  return v < lo ? lo : (hi < v ? hi : v);
}
CTV_HOST_DEVICE constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
CTV_HOST_DEVICE constexpr int round_up(int a, int multiple) { return ceil_div(a, multiple) * multiple; }
CTV_HOST_DEVICE constexpr int abs_of(int v) { return v < 0 ? -v : v; }
/// Rounded down; v > 0.
CTV_HOST_DEVICE uint32_t log2_of(uint32_t v) {
#if defined(__CUDA_ARCH__)
  return 31U - static_cast<uint32_t>(__clz(static_cast<int>(v)));
#else
  return 31U - static_cast<uint32_t>(__builtin_clz(v));
#endif
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// 16-bit samples two to a word, and which planes can be read so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/runtime/samples.hpp"

namespace ctv::cuda {

__device__ __forceinline__ int first_of(uint32_t pair) { return static_cast<int16_t>(pair); }
__device__ __forceinline__ int second_of(uint32_t pair) { return static_cast<int>(pair) >> 16; }
__device__ __forceinline__ uint32_t pair_of(int first, int second) {
  return __byte_perm(static_cast<uint32_t>(first), static_cast<uint32_t>(second), 0x5410);
}

CTV_HOST_DEVICE bool has_pairs(const int16_t* data, ptrdiff_t stride) {
  return (reinterpret_cast<uintptr_t>(data) & 3U) == 0 && stride % 2 == 0;
}
__device__ __forceinline__ bool has_pairs(const PlaneSource& source) {
  return has_pairs(source.data, source.stride) && has_pairs(source.prediction, source.prediction_stride);
}
__device__ __forceinline__ bool has_pairs(const PlaneTarget& target) {
  return has_pairs(target.data, target.stride) && has_pairs(target.prediction, target.prediction_stride);
}

__device__ __forceinline__ bool has_octets(const int16_t* data, ptrdiff_t stride) {
  return (reinterpret_cast<uintptr_t>(data) & 15U) == 0 && stride % 8 == 0;
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes planes of 16-bit samples as words of two, where possible: with skipped cells, where both
// samples are in one cell.
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

/// Both samples, not negative if shift > 0, shifted right.
__device__ __forceinline__ uint32_t shifted_down(uint32_t pair, int shift) {
  return pair >> shift & (0xffffU >> shift) * 0x00010001U;
}
/// The same, rounded: samples of 8 + shift bits as 8 bits; the largest may give 256. Not negative.
__device__ __forceinline__ uint32_t eight_bits_of(uint32_t pair, int shift) {
  return shifted_down(pair + (1U << shift >> 1) * 0x00010001U, shift);
}

__device__ __forceinline__ int clamped(const PlaneView<const Sample>& plane, int r, int c) {
  const int row = clamp_to(r, 0, plane.rows - 1);
  return plane.data[row * static_cast<int>(plane.stride) + clamp_to(c, 0, plane.cols - 1)];
}

CTV_HOST_DEVICE bool has_pairs(const int16_t* data, ptrdiff_t stride) {
  return (reinterpret_cast<uintptr_t>(data) & 3U) == 0 && stride % 2 == 0;
}
CTV_HOST_DEVICE bool has_pairs(const SkippedCells& cells) { return cells.geometry.col_shift < kLog2Cell; }
__device__ __forceinline__ bool has_pairs(const PlaneSource& source) {
  return has_pairs(source.data, source.stride) && has_pairs(source.prediction, source.prediction_stride) &&
         has_pairs(source.skipped);
}
__device__ __forceinline__ bool has_pairs(const PlaneTarget& target) {
  return has_pairs(target.data, target.stride) && has_pairs(target.prediction, target.prediction_stride) &&
         has_pairs(target.skipped);
}

/// Rows of words of a plane, from (top, first) on; first is even.
template <int kRows, int kWords>
__device__ __forceinline__ void load_pairs(const PlaneView<const Sample>& plane, int top, int first,
                                           uint32_t (&words)[kRows][kWords]) {
  if (top >= 0 && first >= 0 && top + kRows <= plane.rows && first + 2 * kWords <= plane.cols &&
      has_pairs(plane.data, plane.stride)) {
    const Sample* from = plane.row(top) + first;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int w = 0; w < kWords; ++w)
        words[r][w] = reinterpret_cast<const uint32_t*>(from + r * plane.stride)[w];
    }
  } else {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int w = 0; w < kWords; ++w)
        words[r][w] =
            pair_of(clamped(plane, top + r, first + 2 * w), clamped(plane, top + r, first + 2 * w + 1));
    }
  }
}

__device__ __forceinline__ bool has_octets(const int16_t* data, ptrdiff_t stride) {
  return (reinterpret_cast<uintptr_t>(data) & 15U) == 0 && stride % 8 == 0;
}
__device__ __forceinline__ bool has_octets(const PlaneTarget& target) {
  return has_octets(target.data, target.stride) && has_octets(target.prediction, target.prediction_stride) &&
         has_pairs(target.skipped);
}

/// Clears kCount values of a row, from the even column `first` on, in skipped cells.
template <int kCount>
__device__ __forceinline__ void clear_skipped(const SkippedCells& cells, int row, int first, int* x) {
  static_assert(kCount % 4 == 0);
  if (cells.skips == nullptr) return;
  const uint8_t* flags = cells.flags(row);
  if (cells.geometry.col_shift + 2 <= kLog2Cell && first % 4 == 0) {  // four columns belong to one cell
#pragma unroll
    for (int k = 0; k < kCount; k += 4) {
      if (flags[cells.col_of(first + k)] != 0) x[k] = x[k + 1] = x[k + 2] = x[k + 3] = 0;
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < kCount; k += 2) {
    if (flags[cells.col_of(first + k)] != 0) x[k] = x[k + 1] = 0;
  }
}

/// source.at() of columns of a row, in separate steps: otherwise each sample would wait for its cell's flag.
template <int kCount>
__device__ __forceinline__ void read_samples(const PlaneSource& source, int row, const int* cols, int* x) {
  const int16_t* samples = source.data + row * source.stride;
#pragma unroll
  for (int k = 0; k < kCount; ++k) x[k] = samples[cols[k]];
  int predicted[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    predicted[k] = source.prediction == nullptr ? source.dc_offset
                                                : source.prediction[row * source.prediction_stride + cols[k]];
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) x[k] = source.residual(x[k], predicted[k]);
  if (source.skipped.skips == nullptr) return;
  const uint8_t* flags = source.skipped.flags(row);
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (flags[source.skipped.col_of(cols[k])] != 0) x[k] = 0;
  }
}

/// target.put() for kRun samples from a multiple of 8 on, eight at a time. x: 0 in skipped cells; modified.
template <int kRun>
__device__ __forceinline__ void put_run(const PlaneTarget& target, int row, int col, int* x) {
  static_assert(kRun % 8 == 0);
  if (target.samples != 0 && target.scale != kUnitScale) {
#pragma unroll
    for (int k = 0; k < kRun; ++k) x[k] = scale_lowpass(x[k], target.scale);
  }
  auto* to = reinterpret_cast<uint4*>(target.data + row * target.stride + col);
  const auto* predicted =
      target.prediction == nullptr
          ? nullptr
          : reinterpret_cast<const uint4*>(target.prediction + row * target.prediction_stride + col);
#pragma unroll
  for (int i = 0; i < kRun / 8; ++i) {
    const uint4 octet = predicted != nullptr ? predicted[i] : uint4{};
    const uint32_t in[4] = {octet.x, octet.y, octet.z, octet.w};
    uint32_t out[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      int first = x[8 * i + 2 * k];
      int second = x[8 * i + 2 * k + 1];
      if (target.samples != 0) {
        first = target.sample_of_scaled(first, predicted != nullptr ? first_of(in[k]) : target.dc_offset);
        second = target.sample_of_scaled(second, predicted != nullptr ? second_of(in[k]) : target.dc_offset);
      }
      out[k] = pair_of(first, second);
    }
    to[i] = {out[0], out[1], out[2], out[3]};
  }
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Predicts a unit with one vector, by a warp: loads the samples that the vector refers to into shared memory,
// then filters along rows and along columns (8 + 8 products, two per dp2a). A unit has 16 columns, and a lane
// has a strip of eight or four samples of one. With strips of eight, a unit of luma is 2x2 cells, and a strip
// lies in one cell. That takes a third of the instructions of four single cells.
#pragma once

#include <type_traits>

#include "cuda/motion/interpolate.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {

constexpr int kUnitSide = 16;
constexpr int kUnitStrip = kUnitSide / 2;  // samples per lane of a square unit, vertically adjacent

// Shared memory of a warp. Pitches avoid bank conflicts.
template <int kStrip = kUnitStrip>
struct UnitPatch {
  static constexpr int kRows = 2 * kStrip + kInterpolationTaps;
  static constexpr int kWords = (kUnitSide + kInterpolationTaps) / 2;
  static constexpr int kPairs = kRows / 2;  // of rows
  static constexpr int kSumsPitch = 14;
  alignas(16) uint32_t patch[kRows][kWords];        // pairs of adjacent samples
  alignas(8) uint32_t sums[kUnitSide][kSumsPitch];  // sums along rows in 64ths; pairs of rows, by column
};

template <int kStrip = kUnitStrip>
__device__ __forceinline__ int unit_row(int lane) {
  return lane / kUnitSide * kStrip;
}
__device__ __forceinline__ int unit_col(int lane) { return lane % kUnitSide; }

// Loads the lane's samples of the unit at (top, left).
template <int kStrip>
__device__ __forceinline__ void load_unit(const PlaneView<const Sample>& plane, int top, int left, int lane,
                                          int (&values)[kStrip]) {
  const int row = top + unit_row<kStrip>(lane);
  const int col = left + unit_col(lane);
  if (top >= 0 && left >= 0 && top + 2 * kStrip <= plane.rows && left + kUnitSide <= plane.cols) {
    const int stride = static_cast<int>(plane.stride);
    const Sample* from = plane.data + (row * stride + col);
#pragma unroll
    for (int k = 0; k < kStrip; ++k) values[k] = from[k * stride];
  } else {
#pragma unroll
    for (int k = 0; k < kStrip; ++k) values[k] = clamped(plane, row + k, col);
  }
}

template <int kStrip>
__device__ __forceinline__ void load_unit_patch(const PlaneView<const Sample>& plane, int top, int left,
                                                int lane, UnitPatch<kStrip>& memory) {
  using Own = UnitPatch<kStrip>;
  constexpr int kEach = 3;  // words per lane and row
  constexpr int kAcross = Own::kWords / kEach;
  constexpr int kDown = kWarp / kAcross;
  static_assert(kAcross * kEach == Own::kWords && Own::kRows % kDown == 0);
  const int row = lane / kAcross;
  const int first = (left & ~1) + lane % kAcross * (2 * kEach);
  uint32_t* const to = memory.patch[0] + lane * kEach;  // rows are contiguous
  if (top >= 0 && left >= 0 && top + Own::kRows <= plane.rows &&
      (left & ~1) + 2 * Own::kWords <= plane.cols && has_pairs(plane.data, plane.stride)) {
    const int stride = static_cast<int>(plane.stride);
    const Sample* from = plane.data + ((top + row) * stride + first);
#pragma unroll
    for (int i = 0; i < Own::kRows; i += kDown) {
#pragma unroll
      for (int k = 0; k < kEach; ++k)
        to[i * Own::kWords + k] = reinterpret_cast<const uint32_t*>(from + i * stride)[k];
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < Own::kRows; i += kDown) {
#pragma unroll
      for (int k = 0; k < kEach; ++k)
        to[i * Own::kWords + k] = pair_of(clamped(plane, top + row + i, first + 2 * k),
                                          clamped(plane, top + row + i, first + 2 * k + 1));
    }
  }
}

// A lane takes enough columns of a pair of rows for the warp to cover all.
template <int kStrip>
__device__ __forceinline__ void filter_unit_rows(int odd, PackedTaps taps, int depth_shift, int lane,
                                                 UnitPatch<kStrip>& memory) {
  using Own = UnitPatch<kStrip>;
  constexpr int kEach = kStrip == kUnitStrip ? 8 : 4;
  constexpr int kTurns = kUnitSide / kEach;   // per pair
  constexpr int kWords = kEach == 8 ? 8 : 6;  // of samples per lane
  static_assert(Own::kPairs * kTurns <= kWarp);
  using Words = std::conditional_t<kEach == 8, uint4, uint2>;
  const int pair = lane / kTurns;
  const int col = lane % kTurns * kEach;
  if (pair >= Own::kPairs) return;
  const uint32_t shift = static_cast<uint32_t>(odd) * 16;
  int own[2][kEach];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    alignas(Words) uint32_t even[kWords];
    const auto* from = reinterpret_cast<const Words*>(&memory.patch[2 * pair + r][col / 2]);
#pragma unroll
    for (size_t k = 0; k < sizeof even / sizeof(Words); ++k) reinterpret_cast<Words*>(even)[k] = from[k];
#pragma unroll
    for (int k = 0; k + 1 < kWords; ++k) even[k] = __funnelshift_r(even[k], even[k + 1], shift);
    even[kWords - 1] >>= shift;
    uint32_t next[kWords - 1];
#pragma unroll
    for (int k = 0; k + 1 < kWords; ++k) next[k] = __funnelshift_r(even[k], even[k + 1], 16);
#pragma unroll
    for (int c = 0; c < kEach; ++c) {
      const uint32_t* s = c % 2 == 0 ? even + c / 2 : next + c / 2;
      own[r][c] = dot_eight(taps, s[0], s[1], s[2], s[3], 0);
    }
  }
  if (depth_shift > 0) {
#pragma unroll
    for (int c = 0; c < kEach; ++c) {
      own[0][c] >>= depth_shift;
      own[1][c] >>= depth_shift;
    }
  }
#pragma unroll
  for (int c = 0; c < kEach; ++c) memory.sums[col + c][pair] = pair_of(own[0][c], own[1][c]);
}

// values: the lane's samples of the unit at (top, left), in the reference moved by v; limited if they have
// more than 8 bits. All lanes of a warp must call together with the same vector.
template <int kStrip>
__device__ __forceinline__ void predict_unit(const PlaneView<const Sample>& reference, ChromaShift shift,
                                             MotionVector v, int top, int left, int depth_shift, int lane,
                                             UnitPatch<kStrip>& memory, int (&values)[kStrip]) {
  const Displacement dy = displacement(v.y, shift.y);
  const Displacement dx = displacement(v.x, shift.x);
  top += dy.whole;
  left += dx.whole;
  if ((dy.eighth | dx.eighth) == 0) {
    load_unit(reference, top, left, lane, values);
    return;
  }
  top -= kInterpolationBefore;
  left -= kInterpolationBefore;
  __syncwarp();  // all lanes have read the memory
  load_unit_patch(reference, top, left, lane, memory);
  __syncwarp();
  filter_unit_rows(left & 1, packed_taps(dx.eighth), depth_shift, lane, memory);
  __syncwarp();
  const PackedTaps taps = packed_taps(dy.eighth);
  const SumStrip<kStrip> strip(&memory.sums[unit_col(lane)][unit_row<kStrip>(lane) / 2]);
#pragma unroll
  for (int k = 0; k < kStrip; ++k) values[k] = strip.filtered(k, taps, depth_shift);
  if (depth_shift == 0) return;
#pragma unroll
  for (int k = 0; k < kStrip; ++k) values[k] = clamp_to(values[k], 0, (256 << depth_shift) - 1);
}

}  // namespace ctv::cuda

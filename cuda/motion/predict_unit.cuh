// SPDX-License-Identifier: BSD-3-Clause
// The prediction of a unit of 16x16 samples with one vector, by a warp: as predict.cuh, but a lane has eight
// samples of one column. Of luma that are 2x2 cells, and the lane's samples lie in one. That takes a third of
// the instructions of four cells one by one.
#pragma once

#include "cuda/motion/predict.cuh"

namespace ctv::cuda {

constexpr int kUnitSide = 16;
constexpr int kUnitStrip = 8;  // samples of a lane, one below the other

// Shared memory of a warp. Pitches are such that lanes find their words in different banks.
struct UnitPatch {
  static constexpr int kRows = kUnitSide + kInterpolationTaps;
  static constexpr int kWords = kRows / 2;
  static constexpr int kPairs = kRows / 2;  // of rows
  static constexpr int kSumsPitch = 14;
  alignas(16) uint32_t patch[kRows][kWords];        // pairs of neighbouring samples
  alignas(8) uint32_t sums[kUnitSide][kSumsPitch];  // along rows, 64ths; pairs of rows, column by column
};

__device__ __forceinline__ int unit_row(int lane) { return lane / kUnitSide * kUnitStrip; }
__device__ __forceinline__ int unit_col(int lane) { return lane % kUnitSide; }

// The lane's samples of the plane, for the unit at (top, left).
__device__ __forceinline__ void load_unit(const PlaneView<const Sample>& plane, int top, int left, int lane,
                                          int (&values)[kUnitStrip]) {
  const int row = top + unit_row(lane);
  const int col = left + unit_col(lane);
  if (top >= 0 && left >= 0 && top + kUnitSide <= plane.rows && left + kUnitSide <= plane.cols) {
    const Sample* from = plane.row(row) + col;
#pragma unroll
    for (int k = 0; k < kUnitStrip; ++k) values[k] = from[k * plane.stride];
  } else {
#pragma unroll
    for (int k = 0; k < kUnitStrip; ++k) values[k] = clamped(plane, row + k, col);
  }
}

__device__ __forceinline__ void load_unit_patch(const PlaneView<const Sample>& plane, int top, int left,
                                                int lane, UnitPatch& memory) {
  constexpr int kEach = 3;  // words of a lane in a row
  constexpr int kAcross = UnitPatch::kWords / kEach;
  constexpr int kDown = kWarp / kAcross;
  const int row = lane / kAcross;
  const int word = lane % kAcross * kEach;
  const int first = (left & ~1) + 2 * word;
  if (top >= 0 && left >= 0 && top + UnitPatch::kRows <= plane.rows &&
      (left & ~1) + 2 * UnitPatch::kWords <= plane.cols && has_pairs(plane.data, plane.stride)) {
    const Sample* from = plane.row(top + row) + first;
#pragma unroll
    for (int i = 0; i < UnitPatch::kRows; i += kDown) {
#pragma unroll
      for (int k = 0; k < kEach; ++k)
        memory.patch[row + i][word + k] = reinterpret_cast<const uint32_t*>(from + i * plane.stride)[k];
    }
  } else {
#pragma unroll 1
    for (int i = row; i < UnitPatch::kRows; i += kDown) {
#pragma unroll
      for (int k = 0; k < kEach; ++k)
        memory.patch[i][word + k] =
            pair_of(clamped(plane, top + i, first + 2 * k), clamped(plane, top + i, first + 2 * k + 1));
    }
  }
}

// A lane takes eight columns of a pair of rows.
__device__ __forceinline__ void filter_unit_rows(int odd, PackedTaps taps, int lane, UnitPatch& memory) {
  constexpr int kEach = 8;
  const int pair = lane / 2;
  const int col = lane % 2 * kEach;
  if (pair >= UnitPatch::kPairs) return;
  const uint32_t shift = static_cast<uint32_t>(odd) * 16;
  int own[2][kEach];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const auto* from = reinterpret_cast<const uint4*>(&memory.patch[2 * pair + r][col / 2]);
    const uint4 low = from[0];
    const uint4 high = from[1];
    uint32_t even[kEach] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int k = 0; k + 1 < kEach; ++k) even[k] = __funnelshift_r(even[k], even[k + 1], shift);
    even[kEach - 1] >>= shift;
    uint32_t next[kEach - 1];
#pragma unroll
    for (int k = 0; k + 1 < kEach; ++k) next[k] = __funnelshift_r(even[k], even[k + 1], 16);
#pragma unroll
    for (int c = 0; c < kEach; ++c) {
      const uint32_t* s = c % 2 == 0 ? even + c / 2 : next + c / 2;
      own[r][c] = dot_eight(taps, s[0], s[1], s[2], s[3], 0);
    }
  }
#pragma unroll
  for (int c = 0; c < kEach; ++c) memory.sums[col + c][pair] = pair_of(own[0][c], own[1][c]);
}

// values: the lane's samples of the unit at (top, left), in the reference moved by v. All lanes of a warp
// call together with one vector.
__device__ __forceinline__ void predict_unit(const PlaneView<const Sample>& reference, ChromaShift shift,
                                             MotionVector v, int top, int left, int lane, UnitPatch& memory,
                                             int (&values)[kUnitStrip]) {
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
  __syncwarp();  // the memory has been read
  load_unit_patch(reference, top, left, lane, memory);
  __syncwarp();
  filter_unit_rows(left & 1, packed_taps(dx.eighth), lane, memory);
  __syncwarp();
  const PackedTaps taps = packed_taps(dy.eighth);
  const SumStrip<kUnitStrip> strip(&memory.sums[unit_col(lane)][unit_row(lane) / 2]);
#pragma unroll
  for (int k = 0; k < kUnitStrip; ++k) values[k] = strip.filtered(k, taps);
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The prediction of a cell of chroma with one vector, for the decision of skips. A group of lanes takes a
// cell, two samples of one column a lane. It fetches what the vector points at into shared memory, then
// filters along rows and along columns (8 + 8 products, two at a time by dp2a). The groups of a warp work in
// step and may have different vectors; warps do not wait for each other.
#pragma once

#include "cuda/motion/interpolate.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {

constexpr int kStrip = 2;  // samples of a lane, one below the other

// Shared memory of a group. Pitches, and a word between pieces of 4x4, are such that the lanes of a warp find
// their words in different banks.
template <int kRows, int kCols>
struct Piece {
  static constexpr int kLanes = kRows * kCols / kStrip;
  static constexpr int kPatchRows = kRows + kInterpolationTaps;  // even, so one more than the filter needs
  static constexpr int kPatchWords = (kCols + kInterpolationTaps) / 2;
  static constexpr int kPairs = kPatchRows / 2;  // of rows
  // Columns of a pair of rows that a lane makes in the pass along rows; no lane has a second turn.
  static constexpr int kEach = kPairs * kCols / 2 <= kLanes ? 2 : 4;
  static_assert(kPairs * kCols / kEach <= kLanes);
  static constexpr int kPatchPitch = kCols == 8 ? 10 : 6;
  uint32_t sums[kCols][kRows == 8 ? 12 : 9];  // along rows, 64ths; pairs of rows, column by column
  uint32_t patch[kPatchRows * kPatchPitch + (kRows == 4 ? 1 : 0)];  // pairs of neighbouring samples
};

// Where the two samples of a lane of a group lie in its piece.
template <int kCols>
__device__ __forceinline__ int strip_row(int lane) {
  return lane / kCols * kStrip;
}
template <int kCols>
__device__ __forceinline__ int strip_col(int lane) {
  return lane % kCols;
}

__device__ __forceinline__ int clamped(const PlaneView<const Sample>& plane, int r, int c) {
  return plane.row(clamp_to(r, 0, plane.rows - 1))[clamp_to(c, 0, plane.cols - 1)];
}

// kPatchRows rows of the plane from row `top`, and samples from column `left`, or one earlier if it is odd.
template <int kRows, int kCols>
__device__ __forceinline__ void load_patch(const PlaneView<const Sample>& plane, int top, int left, int lane,
                                           Piece<kRows, kCols>& piece) {
  using Own = Piece<kRows, kCols>;
  const int first = left & ~1;
  const bool inside = top >= 0 && first >= 0 && top + Own::kPatchRows <= plane.rows &&
                      first + 2 * Own::kPatchWords <= plane.cols && has_pairs(plane.data, plane.stride);
  // Two lanes take a row.
  constexpr int kEach = Own::kPatchWords / 2;
  constexpr int kDown = Own::kLanes / 2;
  static_assert(Own::kPatchWords % 2 == 0 && Own::kPatchRows % kDown == 0);
  const int row = lane / 2;
  const int word = lane % 2 * kEach;
  uint32_t* const to = piece.patch + row * Own::kPatchPitch + word;
  if (inside) {
    const Sample* from = plane.row(top + row) + first + 2 * word;
#pragma unroll
    for (int i = 0; i < Own::kPatchRows; i += kDown) {
#pragma unroll
      for (int k = 0; k < kEach; ++k)
        to[i * Own::kPatchPitch + k] = reinterpret_cast<const uint32_t*>(from + i * plane.stride)[k];
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < Own::kPatchRows; i += kDown) {
#pragma unroll
      for (int k = 0; k < kEach; ++k) {
        const int c = first + 2 * (word + k);
        to[i * Own::kPatchPitch + k] =
            pair_of(clamped(plane, top + row + i, c), clamped(plane, top + row + i, c + 1));
      }
    }
  }
}

// odd: the patch begins one sample early.
template <int kRows, int kCols>
__device__ __forceinline__ void filter_rows(int odd, PackedTaps taps, int lane, Piece<kRows, kCols>& piece) {
  using Own = Piece<kRows, kCols>;
  constexpr int kTurns = kCols / Own::kEach;  // of a pair of rows
  constexpr int kWords = Own::kEach / 2 + 4;  // of samples that kEach outputs need
  if (lane >= Own::kPairs * kTurns) return;
  const uint32_t shift = static_cast<uint32_t>(odd) * 16;
  const int col = lane % kTurns * Own::kEach;
  const int pair = lane / kTurns;
  int own[2][Own::kEach];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const uint32_t* w = &piece.patch[(2 * pair + r) * Own::kPatchPitch + col / 2];
    uint32_t even[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) even[k] = w[k];
#pragma unroll
    for (int k = 0; k + 1 < kWords; ++k) even[k] = __funnelshift_r(even[k], even[k + 1], shift);
    even[kWords - 1] >>= shift;
#pragma unroll
    for (int c = 0; c < Own::kEach; c += 2) {
      const uint32_t* s = even + c / 2;
      own[r][c] = dot_eight(taps, s[0], s[1], s[2], s[3], 0);
      own[r][c + 1] = dot_eight(taps, __funnelshift_r(s[0], s[1], 16), __funnelshift_r(s[1], s[2], 16),
                                __funnelshift_r(s[2], s[3], 16), __funnelshift_r(s[3], s[4], 16), 0);
    }
  }
#pragma unroll
  for (int c = 0; c < Own::kEach; ++c) piece.sums[col + c][pair] = pair_of(own[0][c], own[1][c]);
}

// values: the lane's samples of the piece at (top, left), in the reference moved by v. All lanes of a warp
// call together; `lane` is that of the group.
template <int kRows, int kCols>
__device__ __forceinline__ void predict(const PlaneView<const Sample>& reference, ChromaShift shift,
                                        MotionVector v, int top, int left, int lane,
                                        Piece<kRows, kCols>& piece, int (&values)[kStrip]) {
  const Displacement dy = displacement(v.y, shift.y);
  const Displacement dx = displacement(v.x, shift.x);
  const int row = strip_row<kCols>(lane);
  const int col = strip_col<kCols>(lane);
  top += dy.whole;
  left += dx.whole;
  if (__any_sync(kAllLanes, (dy.eighth | dx.eighth) != 0) == 0) {
#pragma unroll
    for (int k = 0; k < kStrip; ++k) values[k] = clamped(reference, top + row + k, left + col);
    return;
  }
  top -= kInterpolationBefore;
  left -= kInterpolationBefore;
  __syncwarp();  // the piece's memory has been read
  load_patch(reference, top, left, lane, piece);
  __syncwarp();
  filter_rows(left & 1, packed_taps(dx.eighth), lane, piece);
  __syncwarp();
  const PackedTaps taps = packed_taps(dy.eighth);
  const SumStrip<kStrip> strip(&piece.sums[col][row / 2]);
#pragma unroll
  for (int k = 0; k < kStrip; ++k) values[k] = strip.filtered(k, taps);
}

}  // namespace ctv::cuda

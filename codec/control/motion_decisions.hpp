// SPDX-License-Identifier: BSD-3-Clause
// Decisions of motion search: the order of candidates, the candidates of smoothing, and when a block is
// split. Both backends compile these formulas. Not normative.
#pragma once

#include "codec/dsp/motion_vectors.hpp"

#include <bit>
#include <cstdint>

namespace ctv {

inline constexpr int kMaxSearchRange = 64;  // whole luma samples

/// Order of candidates of equal cost: shortest first, then raster order. Unique within one search.
CTV_HOST_DEVICE uint32_t candidate_rank(int dy, int dx, int range) {
  const int side = 2 * range + 1;
  return static_cast<uint32_t>(dy * dy + dx * dx) * static_cast<uint32_t>(side * side) +
         static_cast<uint32_t>((dy + range) * side + dx + range);
}

CTV_HOST_DEVICE uint32_t bit_length(int v) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint32_t>(32 - __clz(v));
#else
  return static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(v)));
#endif
}
/// Estimated bits of a vector, for the search only: twice the length of each coordinate's number of eighths.
CTV_HOST_DEVICE uint32_t vector_cost(MotionVector v) {
  return 2 * (bit_length(abs_of(v.y)) + bit_length(abs_of(v.x)));
}

/// The cost that block matching minimises. lambda: sixteenths of SAD per bit, up to 2^24.
CTV_HOST_DEVICE uint32_t motion_cost(uint32_t sad, uint32_t lambda, MotionVector v) {
  return sad * 16 + lambda * vector_cost(v);
}

/// Candidates of smoothing for a block, besides its current vector. 0..7 are the neighbours' vectors in
/// raster order; outside the grid, those of the nearest blocks. The predictor and zero follow.
inline constexpr int kSmoothCandidates = 10;
CTV_HOST_DEVICE MotionVector smooth_candidate(const MotionVector* vectors, int rows, int cols, int row,
                                              int col, int i) {
  if (i == 8) return predicted_vector(vectors, cols, row, col);
  if (i == 9) return {};
  const int place = i < 4 ? i : i + 1;  // in 3x3, without the centre
  return vectors[clamp_to(row + place / 3 - 1, 0, rows - 1) * cols +
                 clamp_to(col + place % 3 - 1, 0, cols - 1)];
}

/// Bits of splitting a block in four with equal vectors. Differences of the four to the block's vector cost
/// extra.
inline constexpr uint32_t kSplitBits = 14;
/// Blocks whose difference is at most this many times the cost of a split are not split. That is 56 steps of
/// SAD. Measured on eight clips at qp 22 to 37: half of it changes no bit, all of it is 0.02 % better on
/// average, twice as much is 0.7 % worse.
inline constexpr uint32_t kSplitWorth = 16;
inline constexpr int kSplitStep = kVectorUnit / 4;  // finest step of the search for a quarter's vector
/// Whether to skip finer steps because the first step gained less than half of the cost of a split. Costs: of
/// the block, and of its four quarters together.
CTV_HOST_DEVICE bool split_is_hopeless(uint32_t block, uint32_t quarters, uint32_t lambda) {
  return 2 * (block - quarters) < lambda * kSplitBits;
}
/// Whether two vectors are so close that there is no motion border between their blocks. Blocks without such
/// a border to any of their four neighbours are not split.
CTV_HOST_DEVICE bool move_alike(MotionVector a, MotionVector b) {
  return abs_of(a.y - b.y) <= kVectorUnit / 4 && abs_of(a.x - b.x) <= kVectorUnit / 4;
}

}  // namespace ctv

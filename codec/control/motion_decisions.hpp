// SPDX-License-Identifier: BSD-3-Clause
// The encoder's motion decisions: which candidate wins, what smoothing tries, when a block is split. Both
// backends compile these formulas; decoders do not need them.
#pragma once

#include "codec/dsp/motion_vectors.hpp"

#include <bit>
#include <cstdint>

namespace ctv {

inline constexpr int kMaxSearchRange = 64;  // whole luma samples

/// Order of candidates of equal cost: the shortest first, then in raster order. Unique per candidate of one
/// search.
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
/// Estimate of a vector's price in bits, for the search alone: twice the length of each component, eighths of
/// a sample.
CTV_HOST_DEVICE uint32_t vector_cost(MotionVector v) {
  return 2 * (bit_length(abs_of(v.y)) + bit_length(abs_of(v.x)));
}

/// What block matching makes least; lambda in sixteenths of SAD per bit, up to 2^24.
CTV_HOST_DEVICE uint32_t motion_cost(uint32_t sad, uint32_t lambda, MotionVector v) {
  return sad * 16 + lambda * vector_cost(v);
}

/// What smoothing tries for a block besides its own vector: candidates 0..7 are the neighbours' vectors in
/// raster order (beyond the grid those of the nearest blocks), then come its prediction and zero.
inline constexpr int kSmoothCandidates = 10;
CTV_HOST_DEVICE MotionVector smooth_candidate(const MotionVector* vectors, int rows, int cols, int row,
                                              int col, int i) {
  if (i == 8) return predicted_vector(vectors, cols, row, col);
  if (i == 9) return {};
  const int place = i < 4 ? i : i + 1;  // of 3x3, without the middle
  return vectors[clamp_to(row + place / 3 - 1, 0, rows - 1) * cols +
                 clamp_to(col + place % 3 - 1, 0, cols - 1)];
}

/// Price in bits of splitting a block in four whose vectors are its own; where they differ, their differences
/// to it are paid for as well.
inline constexpr uint32_t kSplitBits = 14;
/// Blocks whose difference costs no more than this many times the price of a split are not looked at.
/// That is 56 steps of SAD. Measured on eight clips at qp 22 to 37: with half of it no bit changes, with all
/// of it the mean is 0.02 % better, with twice as much 0.7 % worse.
inline constexpr uint32_t kSplitWorth = 16;
inline constexpr int kSplitStep = kVectorUnit / 4;  // the finest step in search of a quarter's vector
/// Whether finer steps are left out because the first has not gained half of the price. Costs of the block
/// and of its four quarters together, which are no more.
CTV_HOST_DEVICE bool split_is_hopeless(uint32_t block, uint32_t quarters, uint32_t lambda) {
  return 2 * (block - quarters) < lambda * kSplitBits;
}
/// Whether two vectors are so close that there is no border of motion between their blocks: blocks whose four
/// neighbours all move like them are not split.
CTV_HOST_DEVICE bool move_alike(MotionVector a, MotionVector b) {
  return abs_of(a.y - b.y) <= kVectorUnit / 4 && abs_of(a.x - b.x) <= kVectorUnit / 4;
}

}  // namespace ctv

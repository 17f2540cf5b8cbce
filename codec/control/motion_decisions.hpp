// SPDX-License-Identifier: BSD-3-Clause
// Decisions of motion search: the order of candidates, and the passes over the field of vectors. Both
// backends compile these formulas. Not normative.
#pragma once

#include "codec/dsp/motion_vectors.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ctv {

/// Order of candidates of equal cost: shortest vector first, then raster order. Unique within one search.
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
/// Estimated bits of a vector, for the search only: twice the bit length of each coordinate in eighths.
CTV_HOST_DEVICE uint32_t vector_cost(MotionVector v) {
  return 2 * (bit_length(abs_of(v.y)) + bit_length(abs_of(v.x)));
}

/// The cost that block matching minimises. lambda: sixteenths of SAD per bit, up to 2^24.
CTV_HOST_DEVICE uint32_t motion_cost(uint32_t sad, uint32_t lambda, MotionVector v) {
  return sad * 16 + lambda * vector_cost(v);
}

/// The far search supplements the full search of near vectors. At a quarter of the resolution it matches
/// squares of 32x32 luma samples over a wide range. Then each block is matched at whole samples in a small
/// window around its square's vector, and takes the best vector there if it costs less than its near vector.
inline constexpr int kLog2Square = 5;
inline constexpr int kLog2QuarterSquare = 3;
/// The rounded mean of 4x4 samples with this sum.
CTV_HOST_DEVICE uint8_t quarter_sample(int sum) { return static_cast<uint8_t>((sum + 8) >> 4); }
/// lambda for quarter samples: one difference of quarter samples represents 16 differences of samples.
CTV_HOST_DEVICE uint32_t quarter_lambda(uint32_t lambda) { return lambda >> 4; }
/// Whether the full search has covered the whole window around a vector of whole samples.
CTV_HOST_DEVICE bool is_near(int y, int x, int range) {
  return abs_of(y) + kFarWindow <= range && abs_of(x) + kFarWindow <= range;
}

/// The search is followed by passes over the field of vectors, first of the blocks, then of their cells. In a
/// pass, all blocks in parallel try the vectors that their neighbours had before the pass, then fractional
/// steps around the best. The distortion is SATD: the sum of magnitudes of 8x8 Hadamard coefficients, about
/// eight times SAD. The first passes use SAD of every other row instead: they only spread vectors across the
/// picture, and later passes refine these. The reference is sampled bilinearly between half samples, which
/// predicts almost as well as the filter of compensation and costs much less.
/// Some passes are followed by squares of 2x2 blocks or cells. A single block keeps its own vector if that
/// costs less, although one vector for all four might cost less than four.
struct FieldPass {
  uint32_t border_bits;  // bits for each of the four neighbours with another vector
  int first_step;        // eighths of a sample, halved down to the finest; 0: no fractional steps
  int sad_row_step;      // 0: SATD; else SAD of every n-th row, times n
  bool squares = false;  // followed by squares, except for blocks of 32x32
  /// Blocks whose distortion costs at most this many bits take no fractional steps.
  uint32_t steps_worth = 64;
  bool one_miss = false;  // fractional steps end with the first that gains nothing

  /// 8x8 blocks use all rows.
  CTV_HOST_DEVICE int row_step(int log2_block) const {
    return log2_block == 3 ? min_of(sad_row_step, 1) : sad_row_step;
  }
};
inline constexpr FieldPass kBlockPasses[] = {{1, kVectorUnit / 2, 2, false, 160},
                                             {1, kVectorUnit / 4, 0, true}};
inline constexpr FieldPass kCellPasses[] = {{7, kVectorUnit / 4, 0, false, 64, true}};
inline constexpr FieldPass kQuickBlockPasses[] = {{2, kVectorUnit / 2, 1, false, 192},
                                                  {2, kVectorUnit / 4, 1, false, 192}};
inline constexpr FieldPass kThoroughBlockPasses[] = {
    {1, kVectorUnit / 2, 0}, {1, kVectorUnit / 2, 0}, {1, kVectorUnit / 4, 0, true}};
inline constexpr FieldPass kThoroughCellPasses[] = {{7, kVectorUnit / 4, 0, false, 16},
                                                    {7, kVectorUnit / 4, 0, false, 16},
                                                    {7, kVectorUnit / 8, 0, true, 16}};

/// Passes over the field of blocks, then over that of their cells.
struct FieldPasses {
  std::span<const FieldPass> blocks, cells;
};
inline constexpr FieldPasses kFieldPasses[] = {  // by MotionEffort
    {kQuickBlockPasses, {}},
    {kBlockPasses, kCellPasses},
    {kThoroughBlockPasses, kThoroughCellPasses}};
constexpr const FieldPasses& field_passes(MotionEffort effort) {
  return kFieldPasses[static_cast<int>(effort)];
}
/// With a larger range of the full search, the passes are thorough.
inline constexpr int kWidestUsualRange = 2;
inline constexpr uint32_t kSquareBorderBits = 1;
inline constexpr int kSquareBlocks = 4;
inline constexpr int kLog2LargestSquare = 5;  // luma samples on a side

/// Cells of a block that costs at most this many bits keep its vector.
inline constexpr uint32_t kCellsWorth = 144;

/// Fractional steps may exceed the range of the search by half a sample, so that a limited vector is a
/// multiple of every step.
CTV_HOST_DEVICE MotionVector limited_vector(int y, int x, int range) {
  const int most = range * kVectorUnit + kVectorUnit / 2;
  return {static_cast<int16_t>(clamp_to(y, -most, most)), static_cast<int16_t>(clamp_to(x, -most, most))};
}

/// Candidates of a pass in order; the first of equal costs wins. 0: the block's own vector. 1..4: those of
/// the left, upper, right and lower neighbour, or its own outside the grid. 5: zero.
inline constexpr int kFieldCandidates = 6;
/// The block of candidate i < 5.
CTV_HOST_DEVICE int field_neighbour(int rows, int cols, int row, int col, int i) {
  const int y = i == 2 ? -1 : (i == 4 ? 1 : 0);
  const int x = i == 1 ? -1 : (i == 3 ? 1 : 0);
  return clamp_to(row + y, 0, rows - 1) * cols + clamp_to(col + x, 0, cols - 1);
}
CTV_HOST_DEVICE MotionVector field_candidate(const MotionVector* vectors, int rows, int cols, int row,
                                             int col, int i) {
  return i == 5 ? MotionVector{} : vectors[field_neighbour(rows, cols, row, col, i)];
}
/// Steps around the best candidate: left, above, right, below.
CTV_HOST_DEVICE MotionVector stepped_vector(MotionVector v, int step, int side, int range) {
  return side % 2 == 0 ? limited_vector(v.y, v.x + (side - 1) * step, range)
                       : limited_vector(v.y + (side - 2) * step, v.x, range);
}

/// Bits of a vector: border_bits for each of the four neighbours that differs, plus twice the bit length of
/// the distance to the nearest.
CTV_HOST_DEVICE uint32_t field_bits(const MotionVector (&neighbours)[4], MotionVector v,
                                    uint32_t border_bits) {
  uint32_t borders = 0;
  int nearest = INT16_MAX;
  for (const MotionVector n : neighbours) {
    borders += same_vector(n, v) ? 0 : 1;
    nearest = min_of(nearest, abs_of(v.y - n.y) + abs_of(v.x - n.x));
  }
  return borders * border_bits + 2 * bit_length(nearest);
}
/// A square tries the vectors of its blocks in raster order, and takes one for all four if that costs less
/// than their own vectors. Squares change in parallel. A square outside the grid in part, or with a block
/// that the passes leave out, keeps its vectors. Returns the bits of the block at (row, col) if the whole
/// square has v:
CTV_HOST_DEVICE uint32_t square_bits(const MotionVector* vectors, int rows, int cols, int row, int col,
                                     MotionVector v) {
  // Two neighbours are in the square and have v, so the nearest distance is 0. The other two:
  const int y = row % 2 == 0 ? row - 1 : row + 1;
  const int x = col % 2 == 0 ? col - 1 : col + 1;
  uint32_t borders = 0;
  if (y >= 0 && y < rows) borders += same_vector(vectors[y * cols + col], v) ? 0 : 1;
  if (x >= 0 && x < cols) borders += same_vector(vectors[row * cols + x], v) ? 0 : 1;
  return borders * kSquareBorderBits;
}

/// SAD scaled to SATD: 16 x SAD, twice the SATD of white noise, which halves the weight of vector bits in SAD
/// passes.
CTV_HOST_DEVICE uint32_t sad_for_hadamard(uint32_t sad, int row_step) {
  return 16 * sad * static_cast<uint32_t>(row_step);
}
/// The cost that a pass minimises. hadamard: SATD of the 8x8 transforms.
CTV_HOST_DEVICE uint32_t field_cost(uint32_t hadamard, uint32_t lambda, uint32_t bits) {
  return 2 * hadamard + lambda * bits;
}

/// The reference at half samples, by the filter of compensation: first vertically, then horizontally, rounded
/// to 8 bits each time. s: samples `step` apart; the result lies between the first two.
CTV_HOST_DEVICE uint8_t half_sample(const uint8_t* s, ptrdiff_t step) {
  const auto sum =  // fits in 16 bits
      static_cast<int16_t>(40 * (s[0] + s[step]) - 11 * (s[-step] + s[2 * step]) +
                           4 * (s[-2 * step] + s[3 * step]) - (s[-3 * step] + s[4 * step]) + 32);
  return static_cast<uint8_t>(clamp_to(sum >> 6, 0, 255));
}
/// A coordinate of a vector in whole half samples, rounded down, and the remainder in quarters of them.
struct HalfDisplacement {
  int half;
  int quarter;  // 0..3
};
CTV_HOST_DEVICE HalfDisplacement half_displacement(int v) { return {v >> 2, v & 3}; }

}  // namespace ctv

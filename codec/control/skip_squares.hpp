// SPDX-License-Identifier: BSD-3-Clause
// Squares of skipped cells that get one vector. Both backends compile these formulas. Not normative.
//
// The search chooses vectors by themselves. But where all cells of a square are skipped, nothing follows that
// would mend a prediction. So the exact error of another vector is known, here that of luma, and one that the
// tree of motion codes in few bits may be worth it. Passes over squares of growing size try it: the vectors
// of a square's quarters, and those of its neighbours. All squares of a pass change at once.
#pragma once

#include <cstdint>
#include <iterator>

#include "codec/control/skip_decisions.hpp"

namespace ctv {

/// log2 of the cells on a side of a pass's squares. Vectors go to and fro between two buffers.
inline constexpr int kSkipSquareLevels[] = {1, 2, 3};
static_assert(std::size(kSkipSquareLevels) % 2 == 1, "the last pass must write to the second buffer");
inline constexpr int kQuarters = 4;
inline constexpr int kMostSquareVectors = kQuarters + 4;

/// Bits of a leaf whose vector is zero or that of a neighbour, and what any other vector takes more.
inline constexpr uint32_t kLeafBits = 4;
inline constexpr uint32_t kOwnVectorBits = 7;

/// The vectors that a square may get.
struct SkipSquare {
  MotionVector vectors[kMostSquareVectors];  // first of each quarter, then of the neighbours in the grid
  int count = 0;
  uint32_t mixed = 0;  // bit k: quarter k has other vectors too

  /// The square of 2^level cells from (row, col) on, wholly in the grid, without `mixed`.
  CTV_HOST_DEVICE static SkipSquare make(const MotionVector* vectors, int grid_rows, int grid_cols, int row,
                                         int col, int level) {
    const int side = 1 << level;
    const int half = side / 2;
    SkipSquare s;
    for (int k = 0; k < kQuarters; ++k)
      s.vectors[s.count++] = vectors[(row + k / 2 * half) * grid_cols + col + k % 2 * half];
    // To the left, above, to the right, below: cells beside the middle of a side.
    for (int k = 0; k < 4; ++k) {
      const int r = row + (k == 1 ? -1 : (k == 3 ? side : half));
      const int c = col + (k == 0 ? -1 : (k == 2 ? side : half));
      if (r >= 0 && c >= 0 && r < grid_rows && c < grid_cols)
        s.vectors[s.count++] = vectors[r * grid_cols + c];
    }
    return s;
  }

  CTV_HOST_DEVICE bool is_uniform() const {
    return mixed == 0 && same_vector(vectors[0], vectors[1]) && same_vector(vectors[0], vectors[2]) &&
           same_vector(vectors[0], vectors[3]);
  }
  /// Whether `v` is zero or among vectors from `first` on, but for vector `without`.
  CTV_HOST_DEVICE bool is_known(MotionVector v, int first, int without) const {
    bool known = same_vector(v, MotionVector{});
    for (int i = first; i < count; ++i) known |= i != without && same_vector(vectors[i], v);
    return known;
  }
  /// Whether vector i was tried before.
  CTV_HOST_DEVICE bool is_repeated(int i) const {
    bool repeated = false;
    for (int k = 0; k < i; ++k) repeated |= same_vector(vectors[k], vectors[i]);
    return repeated;
  }

  /// Bits of the square as one leaf with the vector v.
  CTV_HOST_DEVICE uint32_t leaf_bits(MotionVector v) const {
    return kLeafBits + (is_known(v, kQuarters, -1) ? 0 : kOwnVectorBits);
  }
  /// Whether it is one leaf with such a vector already. It is left as it is.
  CTV_HOST_DEVICE bool is_cheapest() const { return own_bits() == kLeafBits; }
  /// Bits of the square as it is.
  CTV_HOST_DEVICE uint32_t own_bits() const {
    if (is_uniform()) return leaf_bits(vectors[0]);
    uint32_t bits = 0;
    for (int k = 0; k < kQuarters; ++k) {
      bits += kLeafBits * ((mixed >> k & 1) != 0 ? kQuarters : 1);
      bits += is_known(vectors[k], 0, k) ? 0 : kOwnVectorBits;
    }
    return bits;
  }
};

/// The cost of a skipped square, in 640ths of a squared sample. A bit is worth a tenth of the square of a
/// step. error: squared, in 64ths
CTV_HOST_DEVICE uint64_t skip_square_cost(const SkipPrices& p, uint64_t error, uint32_t bits) {
  return 10 * error + p.square * bits;
}

}  // namespace ctv

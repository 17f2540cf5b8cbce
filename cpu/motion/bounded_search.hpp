// SPDX-License-Identifier: BSD-3-Clause
// The full search of blocks of 16x16 or 8x8 samples by successive elimination (Li and Salari 1995): a SAD is
// at least the sum of the differences between the sums of the four quarters, so most candidates need no SAD.
#pragma once

#include <cstdint>

#include "cpu/motion/search.hpp"

namespace ctv {

struct BoundedCandidates {
  static constexpr int kMostRange = 16;
  static constexpr int kPitch = 64;  // entries a row, at least 2 kMostRange + 1

  /// Few candidates are faster matched than bounded, the more so small ones.
  static bool fit(int log2_block, int range) {
    return range >= (log2_block == 4 ? 6 : 12) && range <= kMostRange;
  }

  SearchWindow window;
  const uint16_t* costs;  // [2 range + 1 rows][kPitch], of the vectors in SADs, rounded down; then 65535
};

/// Sums of the samples of a quarter of a block in the reference from each place of row `row` on, columns
/// [begin, end). sums: of sample (0, 0), stride of the reference.
void sum_squares_row(const SearchPlanes& planes, int log2_block, int row, int begin, int end, uint16_t* sums);

/// The same keys as search_block_row().
void search_bounded_row(const SearchPlanes& planes, const uint16_t* sums, const BoundedCandidates& candidates,
                        int log2_block, int block_row, int block_cols, const uint8_t* still, int64_t* keys);

}  // namespace ctv

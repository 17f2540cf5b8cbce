// SPDX-License-Identifier: BSD-3-Clause
// Full search of 16x16 or 8x8 blocks by successive elimination (Li and Salari 1995). The differences between
// the sums of the four quarters are a lower bound of SAD, so most candidates need no SAD.
#pragma once

#include <cstdint>

#include "cpu/motion/search.hpp"

namespace ctv {

struct BoundedCandidates {
  static constexpr int kMostRange = 16;
  static constexpr int kPitch = 64;  // entries per row, at least 2 kMostRange + 1

  /// Whether bounds pay off: few candidates are matched faster without them, especially of small blocks.
  static bool fit(int log2_block, int range) {
    return range >= (log2_block == 4 ? 6 : 12) && range <= kMostRange;
  }

  SearchWindow window;
  const uint16_t* costs;  // [2 range + 1 rows][kPitch]: vector costs in SADs, rounded down; then 65535
};

/// Sums over a quarter of a block at each position of the reference in row `row`, columns [begin, end). sums:
/// at sample (0, 0), with the stride of the reference.
void sum_squares_row(const SearchPlanes& planes, int log2_block, int row, int begin, int end, uint16_t* sums);

/// Finds the same keys as search_block_row().
void search_bounded_row(const SearchPlanes& planes, const uint16_t* sums, const BoundedCandidates& candidates,
                        int log2_block, int block_row, int block_cols, const uint8_t* still, int64_t* keys);

}  // namespace ctv

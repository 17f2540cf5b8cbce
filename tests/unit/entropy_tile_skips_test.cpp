// SPDX-License-Identifier: BSD-3-Clause
// What skipped cells say of tiles.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "codec/model/tile_contexts.hpp"
#include "codec/model/tile_skips.hpp"

namespace ctv {
namespace {

// find_skips(), cell by cell.
uint64_t skips_cell_by_cell(const SkipGrid& grid, int y, int x, int row_shift, int col_shift) {
  uint64_t skips = 0;
  for (int quad = 0; quad < 64; ++quad) {
    const int first_row = (y + quad / 8 * 2) << row_shift;
    const int first_col = (x + quad % 8 * 2) << col_shift;
    bool all = true;
    for (int r = first_row >> 3; r <= (first_row + (2 << row_shift) - 1) >> 3; ++r) {
      for (int c = first_col >> 3; c <= (first_col + (2 << col_shift) - 1) >> 3; ++c) {
        all = all && (r >= grid.rows || c >= grid.cols || grid.cells[r * grid.cols + c] != 0);
      }
    }
    skips |= uint64_t{all} << quad;
    EXPECT_EQ(quad_is_skipped(grid, y + quad / 8 * 2, x + quad % 8 * 2, row_shift, col_shift), all);
  }
  return skips;
}

TEST(Tiles, SkipsAreThoseOfTheCellsBelow) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 60; ++trial) {
    const int rows = 1 + static_cast<int>(random() % 90);
    const int cols = 1 + static_cast<int>(random() % 90);
    std::vector<uint8_t> cells(static_cast<size_t>(rows * cols), 1);
    const auto kept = random() % 3 == 0 ? 300 : 1 + random() % 9;
    for (uint8_t& c : cells) c = random() % kept != 0 ? 1 : 0;
    const SkipGrid grid{cells.data(), rows, cols};
    for (int shifts = 0; shifts < 36; ++shifts) {
      const int row_shift = shifts / 6;
      const int col_shift = shifts % 6;
      for (int y = 0; y << row_shift < 8 * rows; y += kTileSide) {
        for (int x = 0; x << col_shift < 8 * cols; x += kTileSide) {
          ASSERT_EQ(find_skips(grid, y, x, row_shift, col_shift),
                    skips_cell_by_cell(grid, y, x, row_shift, col_shift))
              << row_shift << " " << col_shift << " " << y << " " << x;
        }
      }
    }
    EXPECT_EQ(find_skips(grid, 0, 0, kMostSkipShift + 1, 1), 0U);
    EXPECT_EQ(find_skips({}, 0, 0, 1, 1), 0U);
  }
}

}  // namespace
}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// What the frame's skipped cells say of a tile (docs/symbols.md): they have no residual, so levels over them
// are 0 but for what filters bring from beside.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"
#include "codec/util/little_endian.hpp"

namespace ctv {

/// Cells of 8x8 luma samples, 1: skipped, in rows without gaps; null where a frame has none. Not owned.
struct SkipGrid {
  const uint8_t* cells = nullptr;
  int rows = 0, cols = 0;
};

inline constexpr int kMostSkipShift = 5;  // levels further apart than 2^5 luma samples have no skips

/// Bit i: cell col + i of each of so many rows from `row` on is skipped, or beyond the grid. cols: 8 .. 64.
inline uint64_t skipped_cells(const SkipGrid& grid, int row, int rows, int col, int cols) {
  constexpr uint64_t kEach = 0x0101010101010101ULL;
  const uint8_t* const first = grid.cells + static_cast<long long>(row) * grid.cols;
  const int there = min_of(rows, grid.rows - row);
  const int inside = min_of(cols, grid.cols - col);
  if (there <= 0 || inside <= 0) return ~uint64_t{0};
  uint64_t bits = inside < cols ? ~uint64_t{0} << inside : 0;
  for (int i = 0; i < inside; i += 8) {
    uint64_t all = kEach;  // eight cells, a byte each
    if (grid.cols >= 8) {
      const int from = min_of(col + i, grid.cols - 8);
      const uint8_t* cells = first + from;
      for (int k = 0; k < there; ++k, cells += grid.cols) {
        uint64_t eight = 0;
        __builtin_memcpy(&eight, cells, 8);
        all &= eight;
      }
      const int beyond = 8 * (col + i - from);
      all = little_endian(all) >> beyond | kEach << 8 << (56 - beyond);
    } else {
      for (int k = 0; k < there; ++k) {
        for (int c = i; c < inside; ++c) {
          if (first[k * grid.cols + col + c] == 0) all &= ~(uint64_t{1} << (8 * (c - i)));
        }
      }
    }
    bits |= (all * 0x0102040810204080ULL >> 56) << i;
  }
  return bits;
}
inline uint64_t both_of_pairs(uint64_t v) {  // bit i: bits 2 i and 2 i + 1
  v = v & v >> 1 & 0x5555555555555555ULL;
  v = (v | v >> 1) & 0x3333333333333333ULL;
  v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0fULL;
  v = (v | v >> 4) & 0x00ff00ff00ff00ffULL;
  v = (v | v >> 8) & 0x0000ffff0000ffffULL;
  return (v | v >> 16) & 0xffffffffULL;
}
// Of a word with a byte for each row of eight bits: each of the first four columns, or rows, twice.
inline uint64_t columns_twice(uint64_t v) {
  v &= 0x0f0f0f0f0f0f0f0fULL;
  v = (v | v << 2) & 0x3333333333333333ULL;
  v = (v | v << 1) & 0x5555555555555555ULL;
  return v | v << 1;
}
inline uint64_t rows_twice(uint64_t v) {
  v &= 0xffffffffULL;
  v = (v | v << 16) & 0x0000ffff0000ffffULL;
  v = (v | v << 8) & 0x00ff00ff00ff00ffULL;
  return v | v << 8;
}

/// Quads of the tile whose first level is (y, x) of its subband that lie in skipped cells alone: bit 8 y + x.
/// row_shift, col_shift: log2 of the distance of levels in luma samples, from 0 on.
inline uint64_t find_skips(const SkipGrid& grid, int y, int x, int row_shift, int col_shift) {
  if (grid.cells == nullptr || row_shift > kMostSkipShift || col_shift > kMostSkipShift) return 0;
  // A quad has 2^(shift - 2) cells on a side; from -2 on.
  const int rows = row_shift < 2 ? 1 : 1 << (row_shift - 2);
  const int cols = col_shift < 2 ? 8 : 8 << (col_shift - 2);
  const int first_row = y << row_shift >> 3;
  const int first_col = x << col_shift >> 3;
  const int different = row_shift < 2 ? 2 << row_shift : 8;  // rows of quads, the others have the same cells
  uint64_t skips = 0;
  for (int i = 0; i < different; ++i) {
    uint64_t bits = skipped_cells(grid, first_row + i * rows, rows, first_col, cols);
    for (int shift = 2; shift < col_shift; ++shift) bits = both_of_pairs(bits);
    skips |= (bits & 255U) << (8 * i);
  }
  for (int shift = col_shift; shift < 2; ++shift) skips = columns_twice(skips);
  for (int shift = row_shift; shift < 2; ++shift) skips = rows_twice(skips);
  return skips;
}

/// The same of the quad whose first level is (y, x). The grid has cells, shifts are at most kMostSkipShift.
CTV_HOST_DEVICE bool quad_is_skipped(const SkipGrid& grid, int y, int x, int row_shift, int col_shift) {
  const int row = y << row_shift >> 3;
  const int col = x << col_shift >> 3;
  const int rows_end = min_of(grid.rows, row + (row_shift < 2 ? 1 : 1 << (row_shift - 2)));
  const int cols_end = min_of(grid.cols, col + (col_shift < 2 ? 1 : 1 << (col_shift - 2)));
  bool all = true;
  for (int r = row; r < rows_end; ++r) {
    const uint8_t* const cells = grid.cells + static_cast<long long>(r) * grid.cols;
    for (int c = col; c < cols_end; ++c) all = all && cells[c] != 0;
  }
  return all;
}

}  // namespace ctv

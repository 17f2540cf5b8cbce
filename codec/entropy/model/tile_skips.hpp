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

/// Eight cells of a row from `col` on, a byte each; 1 beyond the grid.
CTV_HOST_DEVICE uint64_t eight_cells(const SkipGrid& grid, const uint8_t* row, int col) {
  uint64_t eight = 0x0101010101010101ULL;
#if !defined(__CUDA_ARCH__)
  if (col + 8 <= grid.cols) {
    __builtin_memcpy(&eight, row + col, 8);
    return little_endian(eight);
  }
#endif
  for (int k = 0; k < 8 && col + k < grid.cols; ++k) {
    eight ^= uint64_t{row[col + k] == 0 ? 1U : 0U} << (8 * k);
  }
  return eight;
}
/// Bit i: cell col + i of each of so many rows from `row` on is skipped, or beyond the grid. cols: 1 .. 64.
CTV_HOST_DEVICE uint64_t skipped_cells(const SkipGrid& grid, int row, int rows, int col, int cols) {
  const uint8_t* const first = grid.cells + static_cast<long long>(min_of(row, grid.rows)) * grid.cols;
  const int there = min_of(rows, grid.rows - row);
  uint64_t bits = 0;
  for (int i = 0; i < cols; i += 8) {
    uint64_t all = 0x0101010101010101ULL;
    const uint8_t* cells = first;
    for (int k = 0; k < there; ++k, cells += grid.cols) all &= eight_cells(grid, cells, col + i);
    bits |= (all * 0x0102040810204080ULL >> 56) << i;
  }
  return bits;
}
CTV_HOST_DEVICE uint64_t both_of_pairs(uint64_t v) {  // bit i: bits 2 i and 2 i + 1
  v = v & v >> 1 & 0x5555555555555555ULL;
  v = (v | v >> 1) & 0x3333333333333333ULL;
  v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0fULL;
  v = (v | v >> 4) & 0x00ff00ff00ff00ffULL;
  v = (v | v >> 8) & 0x0000ffff0000ffffULL;
  return (v | v >> 16) & 0xffffffffULL;
}
CTV_HOST_DEVICE uint64_t twice(uint64_t v) {  // bits 2 i and 2 i + 1: bit i, of four
  v &= 15U;
  v = (v | v << 2) & 0x33U;
  v = (v | v << 1) & 0x55U;
  return v | v << 1;
}

/// Quads of the tile whose first level is (y, x) of its subband that lie in skipped cells alone: bit 8 y + x.
/// row_shift, col_shift: log2 of the distance of levels in luma samples, from 0 on.
CTV_HOST_DEVICE uint64_t find_skips(const SkipGrid& grid, int y, int x, int row_shift, int col_shift) {
  if (grid.cells == nullptr || row_shift > kMostSkipShift || col_shift > kMostSkipShift) return 0;
  // A quad has 2^(shift - 2) cells on a side; from -2 on.
  const int rows = row_shift < 2 ? 1 : 1 << (row_shift - 2);
  const int cols = col_shift < 2 ? 8 >> (2 - col_shift) : 8 << (col_shift - 2);
  const int first_col = x << col_shift >> 3;
  const int quads = row_shift < 2 ? 4 >> row_shift : 1;  // rows of them with the same cells
  uint64_t skips = 0;
  for (int quad = 8 - quads; quad >= 0; quad -= quads) {
    const int row = (y + 2 * quad) << row_shift >> 3;
    uint64_t bits = skipped_cells(grid, row, rows, first_col, cols);
    for (int shift = 2; shift < col_shift; ++shift) bits = both_of_pairs(bits);
    for (int shift = col_shift; shift < 2; ++shift) bits = twice(bits);
    for (int i = 0; i < quads; ++i) skips = skips << 8 | (bits & 255U);
  }
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

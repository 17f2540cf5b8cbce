// SPDX-License-Identifier: BSD-3-Clause
// Skipped cells as context of tiles (docs/entropy.md): skipped cells have no residual, so levels there are 0
// except near their borders, where the filters overlap coded cells.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"
#include "codec/util/little_endian.hpp"

namespace ctv {

/// Cells of 8x8 luma samples, 1: skipped, row by row without gaps; null if the frame has none. Not owned.
struct SkipGrid {
  const uint8_t* cells = nullptr;
  int rows = 0, cols = 0;
};

inline constexpr int kMostSkipShift = 5;  // beyond 2^5 luma samples between levels, skips are not used

CTV_HOST_DEVICE uint32_t pairs_of_8(uint32_t bits) {  // bit i: bit 2 i or bit 2 i + 1
  bits = (bits | bits >> 1) & 0x55U;
  bits = (bits | bits >> 1) & 0x33U;
  return (bits | bits >> 2) & 0x0fU;
}
// v has a byte per row of eight bits. Doubles each of the first four columns, or rows.
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

/// Mask of the tile's quads that lie in skipped cells only: bit 8 y + x. (y, x): the tile's first level in
/// its subband. row_shift, col_shift: log2 of the distance between levels in luma samples, >= 0.
inline uint64_t find_skips(const SkipGrid& grid, int y, int x, int row_shift, int col_shift) {
  if (grid.cells == nullptr || row_shift > kMostSkipShift || col_shift > kMostSkipShift) return 0;
  // A quad covers 2^(shift - 2) cells per side, with shift - 2 from -2 on.
  constexpr uint64_t kEach = 0x0101010101010101ULL;
  const int rows = row_shift < 2 ? 1 : 1 << (row_shift - 2);
  const int coarser = col_shift < 2 ? 0 : col_shift - 2;
  const int different = row_shift < 2 ? 2 << row_shift : 8;  // distinct rows of quads; others repeat them
  const int first_row = y << row_shift >> 3;
  const int first_col = x << col_shift >> 3;
  const int rows_end = min_of(first_row + different * rows, grid.rows);
  const int cols_end = min_of(first_col + (8 << coarser), grid.cols);
  uint64_t coded = 0;  // quads that are not skipped
  for (int col = first_col; col < cols_end; col += 8) {
    const int from = max_of(min_of(col, grid.cols - 8), 0);
    const uint8_t* cells = grid.cells + static_cast<long long>(first_row) * grid.cols + from;
    int place = (col - first_col) >> coarser;
    for (int row = first_row; row < rows_end; place += 8) {
      uint64_t skipped = kEach;
      for (const int end = min_of(row + rows, rows_end); row < end; ++row, cells += grid.cols) {
        uint64_t eight = kEach;
        if (grid.cols >= 8) {
          __builtin_memcpy(&eight, cells, 8);
        } else {
          __builtin_memcpy(&eight, cells, static_cast<size_t>(grid.cols));
        }
        skipped &= eight;
      }
      auto bits = static_cast<uint32_t>(
          (little_endian(skipped ^ kEach) >> (8 * (col - from))) * 0x0102040810204080ULL >> 56);
      for (int i = 0; i < coarser; ++i) bits = pairs_of_8(bits);
      coded |= uint64_t{bits} << place;
    }
  }
  for (int shift = col_shift; shift < 2; ++shift) coded = columns_twice(coded);
  for (int shift = row_shift; shift < 2; ++shift) coded = rows_twice(coded);
  return ~coded;
}

/// The same for the quad whose first level is (y, x). The grid must have cells; shifts are at most
/// kMostSkipShift.
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

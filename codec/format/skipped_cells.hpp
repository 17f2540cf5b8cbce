// SPDX-License-Identifier: BSD-3-Clause
// The cells of a plane that are skipped, and those that the loop filter filters (docs/bitstream.md, 11).
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/format/motion_grid.hpp"

namespace ctv {

struct SkippedCells {
  CompensationGeometry geometry;
  const uint8_t* skips = nullptr;  // [grid.rows][grid.cols], 1: skipped; null: none is

  CTV_HOST_DEVICE int row_of(int row) const {
    return block_of(row, geometry.row_shift, kLog2Cell, geometry.grid.rows);
  }
  CTV_HOST_DEVICE int col_of(int col) const {
    return block_of(col, geometry.col_shift, kLog2Cell, geometry.grid.cols);
  }
  CTV_HOST_DEVICE int cell_rows() const { return max_of(1, (1 << kLog2Cell) >> geometry.row_shift); }
  CTV_HOST_DEVICE int cell_cols() const { return max_of(1, (1 << kLog2Cell) >> geometry.col_shift); }
  /// The flags of the cells in a row of samples; skips must not be null.
  CTV_HOST_DEVICE const uint8_t* flags(int row) const {
    return skips + static_cast<ptrdiff_t>(row_of(row)) * geometry.grid.cols;
  }
  /// Whether a sample lies in a skipped cell.
  CTV_HOST_DEVICE bool holds(int row, int col) const {
    return skips != nullptr && flags(row)[col_of(col)] != 0;
  }
};

struct FilteredCells : SkippedCells {  // skipped cells are not filtered
  const int64_t* changes = nullptr;    // per root: cells are filtered where negative; null: all are filtered

  CTV_HOST_DEVICE int root(int row, int col) const {
    return (row >> kRootLevel) * ceil_div(geometry.grid.cols, 1 << kRootLevel) + (col >> kRootLevel);
  }
  CTV_HOST_DEVICE bool filtered(int row, int col) const {
    if (changes != nullptr && changes[root(row, col)] >= 0) return false;
    return skips == nullptr || skips[static_cast<ptrdiff_t>(row) * geometry.grid.cols + col] == 0;
  }
};

}  // namespace ctv

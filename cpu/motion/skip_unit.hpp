// SPDX-License-Identifier: BSD-3-Clause
// What functions that look at units of 2x2 cells are given.
#pragma once

#include "codec/backend/backend.hpp"
#include "codec/control/skip_decisions.hpp"

namespace ctv {

// One row of units.
struct SkipRow {
  const SkipPlanes* planes;
  const MotionGrid* grid;
  const SkipPrices* prices;
  int row;  // first row of cells

  bool inside(int k, int col) const {
    return row + k / kSkipUnit < grid->rows && col + k % kSkipUnit < grid->cols;
  }
  ptrdiff_t cell(int k, int col) const {
    return ptrdiff_t{row + k / kSkipUnit} * grid->cols + col + k % kSkipUnit;
  }
};

// A unit on one plane.
struct UnitPlane {
  PlaneView<const Sample> source, reference;
  ChromaShift shift;
  int y, x;  // first sample
  int rows;
  int cell_rows() const { return (1 << kLog2Cell) >> shift.y; }
  int cell_cols() const { return (1 << kLog2Cell) >> shift.x; }
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The grid of motion vectors, and how it applies to a plane.
#pragma once

#include <cstddef>

#include "codec/util/types.hpp"

namespace ctv {

/// Picture prediction: each cell of 8x8 luma samples has a vector.
inline constexpr int kLog2Cell = 3;

/// One vector for each block of 2^log2_block luma samples; the padded picture is covered.
struct MotionGrid {
  int log2_block = 4;
  int rows = 0;
  int cols = 0;
  size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
  friend bool operator==(const MotionGrid&, const MotionGrid&) = default;
};

/// Compensation of one plane: the grid, and the plane's scale against luma.
struct CompensationGeometry {
  MotionGrid grid;
  int row_shift = 0;  // log2 of the plane's subsampling against luma, resolution reduction included
  int col_shift = 0;
  bool overlap = false;  // overlapped block motion compensation
  SampleRange range{0, 255};
  friend bool operator==(const CompensationGeometry&, const CompensationGeometry&) = default;
};

}  // namespace ctv

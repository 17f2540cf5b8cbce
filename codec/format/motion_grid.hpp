// SPDX-License-Identifier: BSD-3-Clause
// The grid of motion vectors, and its relation to a plane.
#pragma once

#include <cstddef>

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Picture prediction: each cell of 8x8 luma samples has a vector.
inline constexpr int kLog2Cell = 3;

/// Motion trees have roots of 8x8 cells (bitstream.md, 7).
inline constexpr int kRootLevel = 3;

/// One vector for each block of 2^log2_block luma samples; the grid covers the padded picture.
struct MotionGrid {
  int log2_block = 4;
  int rows = 0;
  int cols = 0;
  size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
  int root_rows() const { return ceil_div(rows, 1 << kRootLevel); }
  int root_cols() const { return ceil_div(cols, 1 << kRootLevel); }
  size_t roots() const { return static_cast<size_t>(root_rows()) * static_cast<size_t>(root_cols()); }
  friend bool operator==(const MotionGrid&, const MotionGrid&) = default;
};

/// Geometry of one plane's compensation: the grid, and the plane's subsampling.
struct CompensationGeometry {
  MotionGrid grid;
  int row_shift = 0;  // log2 of the plane's subsampling relative to luma, including the resolution reduction
  int col_shift = 0;
  bool overlap = false;  // overlapped block motion compensation
  SampleRange range{0, 255};
  friend bool operator==(const CompensationGeometry&, const CompensationGeometry&) = default;
};

}  // namespace ctv

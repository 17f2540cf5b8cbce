// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/transform/shear_grids.hpp"

#include "codec/dsp/mirror.hpp"

namespace ctv::cuda {
namespace {

ShearGrid with_steps(ShearGrid g) {
  g.rows_on = wrap(kShearWarps * g.row_step, g.rows);
  g.cols_on = wrap(kShearWarps * g.skew, g.cols);
  g.lanes_on = wrap(kShearWarp * g.col_step, g.cols);
  g.col_on = wrap(g.skew, g.cols);
  g.cols_inverse = (1 << kInverseShift) / g.cols;
  g.row_on = g.row_step * g.row_pitch + g.skew * g.col_pitch;
  g.warps_on = kShearWarps * g.row_on;
  return g;
}

// Tree depth 1, the checkerboard, in pixels: b1 = (1, 1) is the slope, b2 = (-1, 1). Columns are numbered by
// row + column, so b2 keeps the column.
ShearGrid quincunx_grid(const Bands& bands, int target) {
  ShearGrid g{};
  g.row_pitch = bands.cols;
  g.col_pitch = 1;
  g.rows = bands.rows;
  g.cols = bands.cols;
  g.count_rows = bands.rows;
  g.count_cols = bands.cols / 2;
  g.row_step = 1;
  g.col_step = 2;
  g.skew = -1;
  g.target_col = target;
  g.source_col = target + 1;
  g.slope = 1;
  g.upward = 1;
  return with_steps(g);
}

// Within or between phases: rows along b1, columns along b2 = (0, 1). Transposed: rows along b2, and b1 is
// the slope.
ShearGrid lattice_grid(const LatticeShear& s) {
  ShearGrid g{};
  g.target_base = s.target_base;
  g.source_base = s.source_base;
  if (s.transposed == 0) {
    g.row_pitch = s.row_pitch;
    g.col_pitch = s.col_pitch;
    g.rows = s.rows;
    g.cols = s.cols;
    g.count_rows = s.rows / s.stride;
    g.count_cols = s.cols;
    g.row_step = s.stride;
    g.col_step = 1;
    g.skew = s.shear;
    g.target_row = s.target_row;
    g.source_row = s.source_row;
    g.source_col = s.source_col;
  } else {
    g.row_pitch = s.col_pitch;
    g.col_pitch = s.row_pitch;
    g.rows = s.cols;
    g.cols = s.rows;
    g.count_rows = s.cols;
    g.count_cols = s.rows / s.stride;
    g.row_step = 1;
    g.col_step = s.stride;
    g.target_col = s.target_row;
    g.source_row = s.source_col;
    g.source_col = s.source_row;
    g.slope = s.shear;
  }
  return with_steps(g);
}

}  // namespace

// A tree depth splits 1, 2, 4 or 8 cosets.
ShearGrids shear_grids(const Bands& bands, const DirectionalPlan& plan, int depth, int target) {
  ShearGrids grids;
  if (depth == 1) {
    grids.of[0] = quincunx_grid(bands, target);
    return grids;
  }
  const LatticeShears shears = lattice_shears(bands.rows, bands.cols, plan, depth, target);
  while (1 << grids.count_log2 < shears.count) ++grids.count_log2;
  for (int i = 0; i < shears.count; ++i) grids.of[i] = lattice_grid(shears.of[i]);
  return grids;
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The shears of all tree levels in one form, for the kernel of directional.cu.
#pragma once

#include "cuda/transform/directional.hpp"

namespace ctv::cuda {

// A block of threads: so many warps, each on a row of so many targets.
inline constexpr int kShearWarp = 32;
inline constexpr int kShearWarps = 8;

/// Where the targets of a shear and their sources lie: target (i, j) and its source at row row + i *
/// row_step, column col + i * skew + j * col_step of a picture that is periodic.
struct ShearGrid {
  int target_base, source_base;  // elements of the picture's first sample
  int row_pitch, col_pitch;      // elements from row to row, column to column
  int rows, cols;                // periods
  int count_rows, count_cols;    // of the targets
  int row_step, col_step, skew;
  int target_row, target_col, source_row, source_col;  // of (0, 0)
  int slope;   // one lattice vector is one column right and so many rows down,
  int upward;  // the other one row up, or down
  // What a step of kShearWarps rows, of kShearWarp columns, of one row adds, modulo the periods.
  int rows_on, cols_on, lanes_on, col_on;
  int warps_on;  // elements from a row to the one kShearWarps below, where neither passes a border
};
struct ShearGrids {
  int count_log2 = 0;
  ShearGrid of[kMaxSplits];
};

/// Of coset `target` of every split of a tree depth, 1..
ShearGrids shear_grids(const Bands& bands, const DirectionalPlan& plan, int depth, int target);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The shears of all tree levels in one form, for the kernel of directional.cu.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"
#include "cuda/transform/directional.hpp"

namespace ctv::cuda {

// A block of threads: so many warps, each on a row of so many targets.
inline constexpr int kShearWarp = 32;
inline constexpr int kShearWarps = 4;

inline constexpr int kInverseShift = 30;  // of cols_inverse

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
  int cols_inverse;      // 2^kInverseShift / cols, rounded down
  int row_on, warps_on;  // elements from a row to the next, to the one kShearWarps below, without a border
};
struct ShearGrids {
  int count_log2 = 0;
  ShearGrid of[kMaxSplits];
};

/// n + step, both in 0..period - 1, modulo the period.
CTV_HOST_DEVICE int advanced(int n, int step, int period) {
  n += step;
  return n < period ? n : n - period;
}

/// A column modulo the period, without a division. The inverse is less than 1 too small, so the product is
/// less than |col| / 2^kInverseShift off the quotient. That is below 1, and one period more or less corrects
/// it: a padded plane has at most 65536 rows and columns, |skew| * count_rows and col_step * count_cols are
/// at most these, and a block and its taps go less than 1000 columns beyond, so |col| is below 2^18.
CTV_HOST_DEVICE int wrapped_col(const ShearGrid& g, int col) {
  col -= static_cast<int>((static_cast<int64_t>(col) * g.cols_inverse) >> kInverseShift) * g.cols;
  if (col < 0) col += g.cols;
  return col < g.cols ? col : col - g.cols;
}

/// Of coset `target` of every split of a tree depth, 1..
ShearGrids shear_grids(const Bands& bands, const DirectionalPlan& plan, int depth, int target);

}  // namespace ctv::cuda

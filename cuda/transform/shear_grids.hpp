// SPDX-License-Identifier: BSD-3-Clause
// The shears of all tree levels in one form, for the kernel of directional.cu.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"
#include "cuda/transform/directional.hpp"

namespace ctv::cuda {

// Shape of a block of threads: kShearWarps warps, each on a row of kShearWarp targets.
inline constexpr int kShearWarp = 32;
inline constexpr int kShearWarps = 4;

inline constexpr int kInverseShift = 30;  // for cols_inverse

/// Positions of a shear's targets and sources: target (i, j) and its source are at row row + i * row_step,
/// column col + i * skew + j * col_step of a periodic picture.
struct ShearGrid {
  int target_base, source_base;  // index of the picture's first sample
  int row_pitch, col_pitch;      // distance of rows and of columns, in elements
  int rows, cols;                // periods
  int count_rows, count_cols;    // number of targets
  int row_step, col_step, skew;
  int target_row, target_col, source_row, source_col;  // of target (0, 0)
  int slope;   // one lattice vector leads one column right and `slope` rows down,
  int upward;  // the other one leads one row up, or down
  // Offsets modulo the periods of a step of kShearWarps rows, kShearWarp columns, or one row.
  int rows_on, cols_on, lanes_on, col_on;
  int cols_inverse;  // 2^kInverseShift / cols, rounded down
  int row_on,
      warps_on;  // elements to the next row, and to the row kShearWarps below, if there is no border between
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

/// A column modulo the period, without division. The inverse is less than 1 too small, so the error of the
/// quotient is less than |col| / 2^kInverseShift < 1, and one correction by a period in either direction
/// suffices. Bound: a padded plane has at most 65536 rows and columns, |skew| * count_rows and col_step *
/// count_cols do not exceed these, and a block and its taps reach less than 1000 columns beyond, so |col| <
/// 2^18.
CTV_HOST_DEVICE int wrapped_col(const ShearGrid& g, int col) {
  col -= static_cast<int>((static_cast<int64_t>(col) * g.cols_inverse) >> kInverseShift) * g.cols;
  if (col < 0) col += g.cols;
  return col < g.cols ? col : col - g.cols;
}

/// The grids for coset `target` of every split of a tree depth, from 1.
ShearGrids shear_grids(const Bands& bands, const DirectionalPlan& plan, int depth, int target);

}  // namespace ctv::cuda

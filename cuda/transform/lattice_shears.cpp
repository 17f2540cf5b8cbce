// SPDX-License-Identifier: BSD-3-Clause
// Positions of the shears of tree depth 2 and deeper in the band.
#include "cuda/transform/directional.hpp"

namespace ctv::cuda {
namespace {

int phase_base(int phase, int cols) { return (phase >> 1) * cols + (phase & 1); }

}  // namespace

LatticeShears lattice_shears(int band_rows, int band_cols, const DirectionalPlan& plan, int depth,
                             int target) {
  LatticeShears shears;
  const int rows = band_rows / 2;
  const int cols = band_cols / 2;
  if (depth == 2) {
    // {A, D}: q is in the other phase at the same position. From B it is in C one column on, from C in B one
    // row on.
    const int pairs[2][2] = {{kPhaseA, kPhaseD}, {kPhaseB, kPhaseC}};
    for (const auto& pair : pairs) {
      const int p = pair[target];
      const int q = pair[1 - target];
      // One step of (1, 1) from phase p carries to the next row or column where p is odd.
      shears.of[shears.count++] = {phase_base(p, band_cols),
                                   phase_base(q, band_cols),
                                   2 * band_cols,
                                   2,
                                   rows,
                                   cols,
                                   1,
                                   0,
                                   0,
                                   p >> 1,
                                   p & 1,
                                   0};
    }
  } else {
    for (const PhaseSplit& split : plan.splits) {
      if (split.depth != depth) continue;
      const bool transposed = is_transposed(split.phase);
      const int base = phase_base(split.phase, band_cols);
      const int row = target == 0 ? split.row0 : split.row1;
      shears.of[shears.count++] = {base,
                                   base,
                                   transposed ? 2 : 2 * band_cols,
                                   transposed ? 2 * band_cols : 2,
                                   transposed ? cols : rows,
                                   transposed ? rows : cols,
                                   split.row_stride,
                                   split.shear,
                                   row,
                                   row + split.row_stride / 2,
                                   (split.shear + 1) >> 1,
                                   transposed ? 1 : 0};
    }
  }
  return shears;
}

}  // namespace ctv::cuda

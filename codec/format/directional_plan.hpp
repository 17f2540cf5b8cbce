// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank as data: which cosets are rotated against each other, and where each subband
// ends up.
//
// A tree of depth n splits the lattice of a band into 2^n cosets (transform derived from Do and Vetterli's
// DFB without resampling: samples never move). Levels 1 and 2 separate the four phases of 2x2 samples; every
// later split stays within one phase. Seen in that phase's own picture, transposed for the phases of
// near-horizontal edges, it separates rows: coset 0 holds the rows row0 + i row_stride, coset 1 the rows row1
// + i row_stride; the kernel vectors are b1 = (row_stride, shear) and b2 = (0, 1) in phase samples.
#pragma once

#include <vector>

namespace ctv {

/// The phases of 2x2 samples: row parity * 2 + column parity.
enum Phase { kPhaseA = 0, kPhaseB = 1, kPhaseC = 2, kPhaseD = 3 };

/// One split of depth 3 or deeper.
struct PhaseSplit {
  int depth;       // 3, 4
  int phase;       // Phase
  int row_stride;  // rows from sample to sample of one coset: 2^(depth-2)
  int shear;       // columns that b1 moves, odd
  int row0, row1;  // first row of coset 0 and of coset 1, both in [0, row_stride)
};

/// Where subband k of 2^n lies in its band: samples (row + i * row_stride, col + j * col_stride).
struct Leaf {
  int row, col;
  int row_stride, col_stride;  // powers of two
};

struct DirectionalPlan {
  int directions_log2 = 0;
  std::vector<PhaseSplit> splits;  // in forward order; levels 1 and 2 are implied
  std::vector<Leaf> leaves;  // near-vertical edges first; empty for one depth (quincunx, see subband layout)
};

/// Phases whose pictures are transposed for levels 3 and deeper.
constexpr bool is_transposed(int phase) { return phase == kPhaseB || phase == kPhaseC; }

/// directions_log2 1..4.
DirectionalPlan make_directional_plan(int directions_log2);

}  // namespace ctv

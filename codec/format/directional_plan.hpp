// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank as data: the pairs of cosets that each split rotates, and the position of each
// subband.
//
// A tree of depth n splits the lattice of a band into 2^n cosets (Do and Vetterli's DFB, rearranged so that
// samples do not move). Levels 1 and 2 separate the four phases of 2x2 samples. Every later split stays
// within one phase. In the phase's samples, transposed for the phases of near-horizontal edges, it separates
// rows: coset 0 has the rows row0 + i row_stride, coset 1 the rows row1 + i row_stride. The kernel vectors
// are b1 = (row_stride, shear) and b2 = (0, 1) in samples of the phase.
#pragma once

#include <vector>

namespace ctv {

/// The phases of 2x2 samples: row parity * 2 + column parity.
enum Phase { kPhaseA = 0, kPhaseB = 1, kPhaseC = 2, kPhaseD = 3 };

/// One split of depth 3 or deeper.
struct PhaseSplit {
  int depth;       // 3, 4
  int phase;       // Phase
  int row_stride;  // distance of the rows of a coset: 2^(depth-2)
  int shear;       // column of b1, odd
  int row0, row1;  // first row of coset 0 and of coset 1, both in [0, row_stride)
};

/// Position of subband k in its band: samples (row + i * row_stride, col + j * col_stride).
struct Leaf {
  int row, col;
  int row_stride, col_stride;  // powers of two
};

struct DirectionalPlan {
  int directions_log2 = 0;
  std::vector<PhaseSplit> splits;  // in forward order; levels 1 and 2 are implied
  std::vector<Leaf> leaves;        // near-vertical edges first; empty for depth 1 (quincunx)
};

/// Whether levels 3 and deeper treat the phase transposed.
constexpr bool is_transposed(int phase) { return phase == kPhaseB || phase == kPhaseC; }

/// directions_log2 1..4.
DirectionalPlan make_directional_plan(int directions_log2);

}  // namespace ctv

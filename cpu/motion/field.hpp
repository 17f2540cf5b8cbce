// SPDX-License-Identifier: BSD-3-Clause
// Passes over the field of vectors after the full search (codec/control/motion_decisions.hpp).
#pragma once

#include <cstdint>

#include "codec/control/motion_decisions.hpp"
#include "cpu/motion/half_samples.hpp"

namespace ctv {

/// One pass over the vectors of a grid.
struct FieldRows {
  const SearchPlanes* planes;
  const HalfSamples* halves;
  MotionGrid grid;    // blocks of 8, 16 or 32 samples
  MotionGrid blocks;  // of the search; the same or coarser
  FieldPass pass;
  int finest_step;  // in eighths
  int range;
  uint32_t lambda;
  const MotionVector* before;  // [grid.rows][grid.cols]
  MotionVector* after;
  /// Costs of the searched blocks in sixteenths of SAD; passes over these update them. Blocks with cost 0,
  /// and cells of blocks whose cost is too small, keep their vectors.
  uint32_t* costs;
  bool first;                   // the previous pass was over another grid; otherwise its state follows
  const uint8_t* moved_before;  // [grid.rows][grid.cols], 1: it changed the block's vector
  uint8_t* moved_after;         // the same of this pass
  uint32_t* sums;               // [grid.rows][grid.cols][kFieldCandidates]: distortion of the candidates
};
/// Improves columns [begin, end) of a row.
void improve_field_row(const FieldRows& field, int row, int begin, int end);
/// Squares after a pass, in columns [begin, end) of a row of squares. `before` is the pass's `after`;
/// moved_after, costs and sums are the pass's. Blocks have at most 16 samples per side. begin: even
void unite_field_row(const FieldRows& field, int row, int begin, int end);

}  // namespace ctv

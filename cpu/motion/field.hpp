// SPDX-License-Identifier: BSD-3-Clause
// The passes over the field of vectors that follow the full search (codec/control/motion_decisions.hpp).
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
  MotionGrid blocks;  // that were searched; the same or coarser
  FieldPass pass;
  int finest_step;  // eighths
  int range;
  uint32_t lambda;
  const MotionVector* before;  // [grid.rows][grid.cols]
  MotionVector* after;
  /// Of the searched blocks, in sixteenths of SAD. Passes over these write them. Blocks whose cost is 0, and
  /// cells of blocks whose cost is not worth it, keep their vectors.
  uint32_t* costs;
  bool first;                   // no such pass came just before over this grid; otherwise what it left:
  const uint8_t* moved_before;  // [grid.rows][grid.cols], 1: it gave the block another vector
  uint8_t* moved_after;         // of this pass
  uint32_t* sums;               // [grid.rows][grid.cols][kFieldCandidates], of the candidates
};
/// Columns [begin, end) of a row.
void improve_field_row(const FieldRows& field, int row, int begin, int end);
/// The squares that follow a pass, in columns [begin, end) of a row of them: from its `after`, now `before`,
/// its moved_after, costs and sums. Blocks have at most 16 samples. begin: even
void unite_field_row(const FieldRows& field, int row, int begin, int end);

}  // namespace ctv

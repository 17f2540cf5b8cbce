// SPDX-License-Identifier: BSD-3-Clause
// The motion of a slice of a frame as bytes (docs/bitstream.md, 7): quadtrees whose leaves are squares of 1
// to 8 vectors of the grid on a side. A leaf has one vector, a neighbour's or a coded difference, and with
// picture prediction it may be skipped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/motion_walk.hpp"
#include "codec/format/motion_grid.hpp"

namespace ctv {

/// Slices of a grid: rows of roots that are coded apart from the others, so that they can be coded at the
/// same time.
int motion_slices(const MotionGrid& grid);

class MotionTree final : public ComponentCoder {
 public:
  /// grid: of the frame. slice: 0 .. motion_slices(grid) - 1. subpel: vector precision. skips: whether cells
  /// may be skipped. filter: whether the first slice says which roots are filtered.
  MotionTree(const MotionGrid& grid, int slice, int subpel, bool skips, bool filter = false);
  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override;
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override;
  /// Bytes that the decoders of all slices allocate.
  static size_t bytes(const MotionGrid& grid);

 private:
  MotionGrid grid_;   // of the slice
  size_t first_ = 0;  // its first cell in the frame
  int shift_;         // vectors are multiples of 2^shift
  bool skips_;
  Extent filtered_;                // roots of the frame, if this slice says which are filtered
  std::vector<MotionCell> cells_;  // [cols + 2], for the walk
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The motion of a slice of a frame as bytes (docs/bitstream.md, 7): quadtrees whose leaves are squares of 1
// to 8 vectors of the grid on a side. A leaf has one vector, a neighbour's or a coded difference, and with
// picture prediction it may be skipped.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/component_coder.hpp"
#include "codec/format/motion_grid.hpp"

namespace ctv {

/// The class of a coordinate is the number of thresholds that its context reaches.
inline constexpr std::array<int, 7> kDifferenceThresholds = {2, 4, 8, 16, 28, 48, 96};

/// Slices of a grid: rows of roots that are coded apart from the others, so that they can be coded at the
/// same time.
int motion_slices(const MotionGrid& grid);

class MotionTree final : public ComponentCoder {
 public:
  /// grid: of the frame. slice: 0 .. motion_slices(grid) - 1. subpel: vector precision. skips: whether cells
  /// may be skipped.
  MotionTree(const MotionGrid& grid, int slice, int subpel, bool skips);
  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override;
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override;
  /// Bytes that the decoders of all slices allocate.
  static size_t bytes(const MotionGrid& grid);

  /// What later leaves need of a coded cell; `coded` is 0 outside the grid.
  struct Cell {
    uint8_t coded = 0;
    uint8_t level = 0;  // log2 of the side of its leaf
    uint8_t skip = 0;
    uint8_t merged = 0;     // its vector is a neighbour's
    uint16_t y = 0, x = 0;  // magnitudes of its difference
    MotionVector vector;
  };

 private:
  MotionGrid grid_;   // of the slice
  size_t first_ = 0;  // its first cell in the frame
  int shift_;         // vectors are multiples of 2^shift
  bool skips_;
  std::vector<Cell> cells_;  // [rows + 1][cols + 2]: with a border above, left and right
};

}  // namespace ctv

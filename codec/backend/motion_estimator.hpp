// SPDX-License-Identifier: BSD-3-Clause
// Block matching on luma.
#pragma once

#include <cstdint>

#include "codec/format/motion_grid.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

struct MotionParameters {
  MotionGrid grid;     // of the vectors
  int log2_block = 4;  // of the blocks that are matched; at least grid.log2_block, with split above it
  int split = 0;       // 1: a block may be split into four
  int range = 8;       // full search, whole luma samples, both directions
  int subpel = 0;      // refinement: 0 none, 1 half, 2 quarter, 3 eighth

  /// The grid of blocks of 2^log2 samples that covers the same picture.
  MotionGrid blocks_of(int log2) const {
    const int shift = log2 - grid.log2_block;
    return {log2, ceil_div(grid.rows, 1 << shift), ceil_div(grid.cols, 1 << shift)};
  }
};

/// Owns its workspace. Each block's vector, or its four, become those of the vectors' grid.
class MotionEstimator {
 public:
  virtual ~MotionEstimator() = default;
  /// vectors: [grid.rows][grid.cols]. current: padded extent; reference: cropped to the true extent, repeated
  /// beyond. lambda: cost of a vector bit in sixteenths of SAD. still: [grid.rows][grid.cols] or null; a
  /// block whose cells are all still has the vector zero and is not searched.
  virtual Status search(PlaneView<const Sample> current, PlaneView<const Sample> reference, uint32_t lambda,
                        const uint8_t* still, MotionVector* vectors) = 0;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Block matching on luma.
#pragma once

#include <cstdint>

#include "codec/format/motion_grid.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

struct MotionParameters {
  MotionGrid grid;
  int range = 8;   // full search, whole luma samples, both directions
  int subpel = 0;  // refinement: 0 none, 1 half, 2 quarter, 3 eighth
};

/// Owns its workspace.
class MotionEstimator {
 public:
  virtual ~MotionEstimator() = default;
  /// vectors: [grid.rows][grid.cols]. current: padded extent; reference: cropped to the true extent, repeated
  /// beyond. lambda: cost of a vector bit in sixteenths of SAD.
  virtual Status search(PlaneView<const Sample> current, PlaneView<const Sample> reference, uint32_t lambda,
                        MotionVector* vectors) = 0;
};

}  // namespace ctv

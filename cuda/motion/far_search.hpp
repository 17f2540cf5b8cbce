// SPDX-License-Identifier: BSD-3-Clause
// The far search (codec/control/motion_decisions.hpp) on the device.
#pragma once

#include "cuda/motion/search.hpp"

namespace ctv::cuda {

/// Owns its workspace.
class FarSearch {
 public:
  /// blocks: grid of the search. range: in whole luma samples, a multiple of kFarStep.
  Status initialise(Device& device, const MotionGrid& blocks, int range);

  /// Luma at a quarter of the resolution, for fill functions; empty before initialise().
  const SearchPlanes& quarters() const { return quarters_; }
  /// Finds the vectors of squares.
  Status search(Device& device, uint32_t lambda);
  /// Then replaces vectors of blocks and their costs from the full search if a far vector costs less. near:
  /// range of the full search; with range 0 it is done here.
  Status improve(Device& device, const SearchPlanes& planes, int near, uint32_t lambda, MotionVector* vectors,
                 uint32_t* costs);

 private:
  MotionGrid blocks_;
  MotionGrid squares_;
  int range_ = 0;  // in quarter samples
  SearchPlanes quarters_;
  DeviceArray<uint8_t> current_, reference_;
  DeviceArray<MotionVector> vectors_;  // of the squares
  DeviceArray<uint32_t> costs_;
};

}  // namespace ctv::cuda

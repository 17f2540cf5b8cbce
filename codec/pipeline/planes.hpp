// SPDX-License-Identifier: BSD-3-Clause
// The planes of one picture in a backend's memory.
#pragma once

#include "codec/backend/backend.hpp"
#include "codec/format/slope_grid.hpp"

namespace ctv {

/// Owns planes of the padded extents at a resolution; `cropped` views have the true extents.
class PlaneSet {
 public:
  static Result<PlaneSet> make(Backend& backend, const PictureLayout& picture, int reduction);

  const Planes& planes() const { return planes_; }
  ConstPlanes const_planes() const { return {planes_[0], planes_[1], planes_[2]}; }
  PlaneView<Sample> plane(int p) const { return planes_[static_cast<size_t>(p)]; }
  PlaneView<const Sample> cropped(int p) const { return cropped_[static_cast<size_t>(p)]; }
  PlaneView<Sample> cropped_plane(int p) const {
    const Extent extent = cropped(p).extent();
    return plane(p).crop(extent.rows, extent.cols);
  }
  const ConstPlanes& cropped() const { return cropped_; }
  const Memory& memory() const { return memory_; }

 private:
  Memory memory_;
  Planes planes_{};
  ConstPlanes cropped_{};
};

/// Allocates the levels of all planes as one block of the backend's memory.
Result<Memory> allocate_levels(Backend& backend, const PictureLayout& picture, std::array<Level*, 3>& levels);

/// Vectors and, with picture prediction, skips, changes and `macroblocks` in one piece of the backend's
/// memory, and slopes if the stream has them.
Result<Memory> allocate_side(Backend& backend, const MotionGrid& grid, bool skips, const SlopeGrid& slopes,
                             size_t macroblocks, SideInfo& side);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// A frame's side information in contiguous memory, for a single copy: changes, vectors, skips, then slopes.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/format/side_info.hpp"

namespace ctv::cuda {

struct SideLayout {
  MotionGrid grid;
  size_t slopes;

  size_t changes_bytes() const { return grid.roots() * sizeof(int64_t); }
  /// Bytes without slopes.
  size_t cells_bytes() const {
    return changes_bytes() + grid.size() * (sizeof(MotionVector) + sizeof(uint8_t));
  }
  size_t bytes() const { return cells_bytes() + slopes; }
  SideInfo in(uint8_t* memory) const {
    return {reinterpret_cast<MotionVector*>(memory + changes_bytes()),
            memory + changes_bytes() + grid.size() * sizeof(MotionVector),
            reinterpret_cast<int8_t*>(memory + cells_bytes()), reinterpret_cast<int64_t*>(memory)};
  }
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The side information of a frame: vectors, skips, slopes and the loop filter's choices.
#pragma once

#include <cstdint>

#include "codec/util/types.hpp"

namespace ctv {

/// Side information of a frame, in memory of the host or a backend. Pointers are null where a frame has none.
struct SideInfo {
  MotionVector* vectors = nullptr;  // [grid.rows][grid.cols], eighths of a luma sample
  /// [grid.rows][grid.cols], 1: skipped. A skipped cell is predicted by its own vector only and has no
  /// residual. Used with picture prediction only.
  uint8_t* skips = nullptr;
  int8_t* slopes = nullptr;  // key frames, directional lifting: an array of SlopeGrid
  /// Predicted frames with the loop filter: one value per root, negative: the root is filtered. In an
  /// encoder, the change of the prediction's squared error by the filter.
  int64_t* changes = nullptr;
};
struct ConstSideInfo {
  ConstSideInfo() = default;
  ConstSideInfo(const SideInfo& side)  // NOLINT(*-explicit-*)
      : vectors(side.vectors), skips(side.skips), slopes(side.slopes), changes(side.changes) {}
  const MotionVector* vectors = nullptr;
  const uint8_t* skips = nullptr;
  const int8_t* slopes = nullptr;
  const int64_t* changes = nullptr;
};

}  // namespace ctv

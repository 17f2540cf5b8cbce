// SPDX-License-Identifier: BSD-3-Clause
// The side information of a frame: vectors, skips, slopes and the loop filter's choices.
#pragma once

#include <cstdint>

#include "codec/util/types.hpp"

namespace ctv {

/// What a frame has besides levels, in host memory or in a backend's. Null where a frame has none.
struct SideInfo {
  MotionVector* vectors = nullptr;  // [grid.rows][grid.cols], eighths of a luma sample
  /// [grid.rows][grid.cols], 1: skipped. A skipped cell is predicted by its own vector alone and has no
  /// residual. Picture prediction; otherwise not read.
  uint8_t* skips = nullptr;
  int8_t* slopes = nullptr;  // key frames, directional lifting: an array of SlopeGrid
  /// Predicted frames, loop filter: of each root of the motion. It is filtered if this is negative. An
  /// encoder has here what the filter would change of the prediction's squared error.
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

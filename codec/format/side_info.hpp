// SPDX-License-Identifier: BSD-3-Clause
// The side information of a frame: vectors, skips, slopes and the loop filter's choices.
#pragma once

#include <cstdint>

#include "codec/format/macroblocks.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Side information of a frame, in memory of the host or a backend. Pointers are null where a frame has none.
struct SideInfo {
  MotionVector* vectors = nullptr;  // [grid.rows][grid.cols], eighths of a luma sample
  /// [grid.rows][grid.cols], 1: skipped, so predicted by its own vector alone, without residual and not
  /// filtered. Its vector is zero in frames of macroblocks. Picture prediction; otherwise not read.
  uint8_t* skips = nullptr;
  int8_t* slopes = nullptr;  // key frames, directional lifting: an array of SlopeGrid
  /// Predicted frames with the loop filter: one value per root, negative: the root is filtered. In an
  /// encoder, the change of the prediction's squared error by the filter.
  int64_t* changes = nullptr;
  Macroblock* macroblocks = nullptr;  // predicted frames of macroblocks, by MacroblockGrid::index()
};
struct ConstSideInfo {
  ConstSideInfo() = default;
  ConstSideInfo(const SideInfo& side)  // NOLINT(*-explicit-*)
      : vectors(side.vectors),
        skips(side.skips),
        slopes(side.slopes),
        changes(side.changes),
        macroblocks(side.macroblocks) {}
  const MotionVector* vectors = nullptr;
  const uint8_t* skips = nullptr;
  const int8_t* slopes = nullptr;
  const int64_t* changes = nullptr;
  const Macroblock* macroblocks = nullptr;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// A coded frame in host memory: the interface between a backend's arithmetic and the entropy coder.
#pragma once

#include <array>

#include "codec/format/frame_parameters.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// What a frame has besides levels, in host memory or in a backend's. Null where a frame has none.
struct SideInfo {
  MotionVector* vectors = nullptr;  // [grid.rows][grid.cols], eighths of a luma sample
  /// [grid.rows][grid.cols], 1: skipped. A skipped cell is predicted by its own vector alone and has no
  /// residual. Picture prediction; otherwise not read.
  uint8_t* skips = nullptr;
};
struct ConstSideInfo {
  ConstSideInfo() = default;
  ConstSideInfo(const SideInfo& side)  // NOLINT(*-explicit-*)
      : vectors(side.vectors), skips(side.skips) {}
  const MotionVector* vectors = nullptr;
  const uint8_t* skips = nullptr;
};

/// A frame that an entropy encoder reads.
struct CodedFrame {
  FrameParameters parameters;
  ConstSideInfo side;
  std::array<const Level*, 3> levels{};  // per plane, in the order of its SubbandLayout
};

/// Buffers that an entropy decoder fills. Also readable as a frame.
struct CodedFrameBuffers {
  FrameParameters parameters;
  SideInfo side;
  std::array<Level*, 3> levels{};
  operator CodedFrame() const {  // NOLINT(*-explicit-*)
    CodedFrame frame;
    frame.parameters = parameters;
    frame.side = side;
    for (size_t p = 0; p < levels.size(); ++p) frame.levels[p] = levels[p];
    return frame;
  }
};

}  // namespace ctv

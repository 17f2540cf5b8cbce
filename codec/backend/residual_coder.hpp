// SPDX-License-Identifier: BSD-3-Clause
// Transform, quantisation and reconstruction of the residual of a predicted frame, for all planes in one pass
// over its macroblocks.
#pragma once

#include <array>
#include <cstdint>

#include "codec/backend/picture_transfer.hpp"
#include "codec/format/macroblocks.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// A frame's macroblocks and levels in the backend's memory, in the order of MacroblockGrid::index().
struct ResidualArrays {
  Macroblock* macroblocks = nullptr;
  std::array<Level*, 3> levels{};  // levels of uncoded blocks are undefined
};

struct ResidualFrame {
  MacroblockGrid grid;
  MotionGrid cells;
  const uint8_t* skips = nullptr;   // [cells.rows][cells.cols]
  std::array<uint32_t, 3> steps{};  // residual_step() of each plane
  uint32_t masking = 0;             // of luma's step: masked_step()
  std::array<SampleRange, 3> ranges{};
  int shift() const { return ranges[0].shift(); }  // bits of a sample beyond 8
};

class ResidualCoder {
 public:
  virtual ~ResidualCoder() = default;
  /// Chooses the modes and quantises source - decoded outside skipped cells. decoded: the prediction;
  /// replaced by the reconstruction. Planes have the padded extent.
  virtual Status encode(const ResidualFrame& frame, const ConstPlanes& source, const Planes& decoded,
                        const ResidualArrays& coded) = 0;
  /// Adds the residual to the prediction.
  virtual Status decode(const ResidualFrame& frame, const ResidualArrays& coded, const Planes& decoded) = 0;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the residual coder: one warp per macroblock.
#pragma once

#include "codec/backend/residual_coder.hpp"
#include "codec/control/residual_decisions.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Data of a frame for both directions, on the device.
struct ResidualWork {
  MacroblockGrid grid;
  MotionGrid cells;
  const uint8_t* skips;
  PlaneView<Sample> decoded[3];
  SampleRange ranges[3];
  Macroblock* macroblocks;
  Level* levels[3];
};
/// Tables of the quantiser, made on the host.
struct QuantiserTables {
  static constexpr int kDiagonals = 15;      // of quads
  uint32_t places[kBlockTypes][kDiagonals];  // rounding_offset(); from bit 16 on the bits of a level
  uint32_t magnitudes[kMagnitudes];          // additional bits
};
struct EncodeWork : ResidualWork {
  PlaneView<const Sample> source[3];
  ResidualPrices luma, chroma;
  QuantiserTables tables;
};
struct DecodeWork : ResidualWork {
  uint32_t steps[3];
};

Status encode_residual(Device& device, const EncodeWork& work);
Status decode_residual(Device& device, const DecodeWork& work);

}  // namespace ctv::cuda

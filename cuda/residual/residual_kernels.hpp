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
  uint32_t steps[3];  // of luma: before masking
  uint32_t masking;
  int shift;  // bits of a sample beyond 8
  Macroblock* macroblocks;
  Level* levels[3];
};
/// Tables of the quantiser, made on the host.
struct QuantiserTables {
  static constexpr int kDiagonals = 15;      // of quads
  uint32_t places[kBlockTypes][kDiagonals];  // kResidualRounding; from bit 16 on the bits of a level
  uint32_t magnitudes[kMagnitudes];          // additional bits
};
struct EncodeWork : ResidualWork {
  PlaneView<const Sample> source[3];
  ResidualPrices chroma;
  uint32_t quiet;  // ResidualPrices::quiet of luma with the least mask
  QuantiserTables tables;
};
Status encode_residual(Device& device, const EncodeWork& work);
Status decode_residual(Device& device, const ResidualWork& work);

}  // namespace ctv::cuda

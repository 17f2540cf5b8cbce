// SPDX-License-Identifier: BSD-3-Clause
// Rows of blocks of a block transform: launchers.
#pragma once

#include "codec/format/block_plan.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/samples.hpp"

namespace ctv::cuda {

/// Parts of a plan and its quantisers that kernels need, in C arrays.
struct BlockWork {
  static constexpr uint32_t kMissing = 0xffffffffU;
  int blocks;                       // per row
  int block_rows;                   // in the plane
  int dc_row_log2, dc_col_log2;     // as in BlockPlan
  uint32_t offsets[kMaxBlockArea];  // index of each frequency's subband among the levels; kMissing: all 0
  uint32_t dc_offsets[kMaxDcArea];  // for the transform of DC coefficients
  BlockQuantiser quantisers[kMaxBlockArea];
  BlockQuantiser dc_quantisers[kMaxDcArea];
};

Status forward_blocks(Device& device, TransformKind kind, const BlockWork& work, const PlaneSource& source,
                      Level* levels);
/// target: the plane's extent shifted right by reduction.
Status inverse_blocks(Device& device, TransformKind kind, const BlockWork& work, const Level* levels,
                      int reduction, const PlaneTarget& target);

}  // namespace ctv::cuda

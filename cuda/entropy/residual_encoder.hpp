// SPDX-License-Identifier: BSD-3-Clause
// Encodes macroblocks on the device to pieces in host memory (docs/bitstream.md, 12).
#pragma once

#include <memory>

#include "codec/model/rans.hpp"
#include "cuda/entropy/encoder_memory.hpp"
#include "cuda/entropy/residual_notes.hpp"

namespace ctv::cuda {

/// Codes predicted frames to the bytes of ctv::ResidualEncoder. Allocates nothing per frame.
class ResidualEncoder {
 public:
  /// Allocates for the longest code of any levels: per level about 15 bytes on the device and 8 page-locked
  /// bytes. Copies the plan's tables.
  Status initialise(Device& device, const CodingPlan& plan, const MotionGrid& cells,
                    std::shared_ptr<EncoderMemory> memory = std::make_shared<EncoderMemory>());
  /// Starts on `stream`, without waiting. levels, side: on the device; must not change until the work is
  /// done. noted: recorded when pieces are to be coded, which leaves most of the device to other work.
  Status encode(Device& device, const std::array<const Level*, 3>& levels, const ConstSideInfo& side,
                cudaStream_t stream, const Event* noted = nullptr);
  /// Views of page-locked memory; valid once the stream has finished encode(), until the next encode().
  CodedTiles coded() const;

 private:
  ResidualNotes notes_;
  uint32_t macroblocks_ = 0;
  unsigned piece_blocks_ = 0;
  DeviceArray<SymbolTable> tables_;
  DeviceArray<uint32_t> sizes_;  // by piece
  PinnedArray<uint32_t> count_;  // 1 element: number of pieces
  std::shared_ptr<EncoderMemory> memory_;
};

}  // namespace ctv::cuda

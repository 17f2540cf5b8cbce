// SPDX-License-Identifier: BSD-3-Clause
// Encodes levels on the device to pieces of tiles in host memory (docs/entropy.md).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "cuda/entropy/encoder_memory.hpp"
#include "cuda/entropy/tile_notes.hpp"

namespace ctv::cuda {

/// Data of a component's index, in addition to its pieces.
struct CodedHead {
  uint32_t pieces;
  uint32_t predicted;  // 1: lowpass levels are prediction errors
};

/// Codes a plan's components to the bytes of ctv::TileEncoder. Allocates nothing per frame.
class TileEncoder {
 public:
  /// Allocates for the longest code of any levels: per level about 11 bytes on the device and 5 page-locked
  /// bytes. Copies the plan's tables, which must not be null.
  Status initialise(Device& device, const CodingPlan& plan,
                    std::shared_ptr<EncoderMemory> memory = std::make_shared<EncoderMemory>());
  /// Starts on `stream`, without waiting. levels: per plane. levels and skips are on the device, and must not
  /// change until the work is done.
  Status encode(Device& device, const std::array<const Level*, 3>& levels, const SkipGrid& skips,
                cudaStream_t stream);
  /// Views of a component of the plan, in page-locked memory; valid once the stream has finished encode(),
  /// until the next encode().
  CodedTiles coded(size_t component) const;

 private:
  TileLayout layout_{CodingPlan{}};
  DeviceTileLayout device_layout_;
  LowpassErrors lowpass_;
  TileCutter cutter_;
  TileNotes notes_;
  unsigned piece_blocks_ = 0, group_blocks_ = 0;
  DeviceArray<uint32_t> sizes_;   // by piece, parallel to TileCuts::first
  PinnedArray<CodedHead> heads_;  // [components]
  // Pieces parallel to TileCuts::first; bytes of each component from DeviceComponent::bytes on.
  std::shared_ptr<EncoderMemory> memory_;
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Levels on the device to pieces of tiles in host memory (docs/entropy.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cuda/entropy/tile_notes.hpp"

namespace ctv::cuda {

/// What an index needs of a component, beside its pieces.
struct CodedHead {
  uint32_t pieces;
  uint32_t predicted;  // 1: its lowpass subbands are
};

/// Codes a plan's components, with the bytes of ctv::TileEncoder. Made once; allocates nothing per frame.
class TileEncoder {
 public:
  /// Allocates for the longest code of any levels, about 11 bytes a level on the device and 5 page-locked.
  /// Copies the plan's tables, which must be there.
  Status initialise(Device& device, const CodingPlan& plan);
  /// Starts on `stream`, without waiting. levels: per plane, and the frame's skips: on the device, unchanged
  /// until the work is done.
  Status encode(Device& device, const std::array<const Level*, 3>& levels, const SkipGrid& skips,
                cudaStream_t stream);
  /// Views of one component of the plan, in page-locked memory; valid when the stream has come so far and
  /// until the next encode().
  CodedTiles coded(size_t component) const;

 private:
  TileLayout layout_{CodingPlan{}};
  DeviceTileLayout device_layout_;
  LowpassErrors lowpass_;
  TileCutter cutter_;
  TileNotes notes_;
  unsigned piece_blocks_ = 0, group_blocks_ = 0;
  DeviceArray<uint32_t> sizes_;     // of pieces, as TileCuts::first
  PinnedArray<CodedHead> heads_;    // [components]
  PinnedArray<CodedPiece> pieces_;  // as TileCuts::first
  PinnedArray<uint8_t> bytes_;      // of each component, from DeviceComponent::bytes on
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Levels on the device to pieces of tiles in host memory (docs/symbols.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cuda/entropy/tile_cutter.hpp"

namespace ctv::cuda {

/// A piece as TileIndexWriter is given it; an array of C, since kernels write it.
struct CodedPiece {
  uint32_t tiles, bytes;
};

/// Views of page-locked memory. `bytes` are those of all pieces, joined; none if all levels are 0.
struct CodedTiles {
  std::span<const CodedPiece> pieces;
  std::span<const uint8_t> bytes;
};

/// Codes a plan's components, with the bytes of ctv::TileEncoder. Made once; allocates nothing per frame.
class TileEncoder {
 public:
  /// Allocates for the longest code of any levels, about 5 bytes a level on the device and as many
  /// page-locked. tables: [kTables + 1], of the host; copied.
  Status initialise(Device& device, const TilePlan& plan, const SymbolTable* tables);
  /// Starts on `stream`, without waiting. levels: per plane, on the device, unchanged until the work is done.
  Status encode(Device& device, const std::array<const Level*, 3>& levels, cudaStream_t stream);
  /// One component of the plan, valid when the stream has come so far and until the next encode().
  CodedTiles coded(size_t component) const;

 private:
  TileLayout layout_{TilePlan{}};
  DeviceTileLayout device_layout_;
  TileCutter cutter_;
  unsigned piece_blocks_ = 0, group_blocks_ = 0;
  DeviceArray<uint8_t> scratch_;        // of each tile: tile_bytes, for the piece that ends there
  DeviceArray<uint32_t> sizes_;         // of pieces, as TileCuts::first
  PinnedArray<uint32_t> piece_counts_;  // [components]
  PinnedArray<CodedPiece> pieces_;      // as TileCuts::first
  PinnedArray<uint8_t> bytes_;          // of each component, from DeviceComponent::bytes on
};

}  // namespace ctv::cuda

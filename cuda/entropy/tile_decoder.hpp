// SPDX-License-Identifier: BSD-3-Clause
// Pieces of tiles in host memory to levels on the device (docs/entropy.md).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "cuda/entropy/tile_layout.hpp"

namespace ctv::cuda {

/// A piece in the memory that is uploaded.
struct UploadedPiece {
  uint64_t begin;  // of its bytes
  uint32_t size;
  uint32_t first, tiles;  // among the tiles of all components
  uint32_t component;
};

/// Decodes a plan's components, with the levels of ctv::TileDecoder. Made once; the kernels of all frames
/// have the same shape.
class TileDecoder {
 public:
  /// Copies the plan's tables, which must be there.
  Status initialise(Device& device, const CodingPlan& plan);

  /// A frame: start(), put() for each component that is not 0, upload(), decode(). Until the upload is done
  /// nothing may be put, and until the decoding is done nothing uploaded.
  /// bytes: of all components together, at most. Grows page-locked memory and the device's to twice as many
  /// if need be.
  Status start(Device& device, size_t bytes);
  /// Notes a component's pieces and copies their bytes; once for each, by any thread. pieces, predicted: of
  /// read_tile_index() for the component's tiles, offsets in `bytes`. False if no levels have so long a code;
  /// the component then counts as damaged.
  bool put(size_t component, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces,
           bool predicted);
  /// Starts the copy to the device on `stream`.
  Status upload(Device& device, cudaStream_t stream);
  /// Starts on `stream`, which has waited for the upload. skips: of the frame, on the device. levels: all 0.
  /// Writes those of the plan's components that are not, and no others'; those of damaged pieces are
  /// undefined.
  Status decode(Device& device, const std::array<Level*, 3>& levels, const SkipGrid& skips,
                cudaStream_t stream);
  /// What may differ between two calls of decode() with equal arguments: whether a lowpass subband of the
  /// frame is predicted, and where its bytes have been uploaded.
  bool predicts() const { return predicted_ != 0; }
  const void* uploaded() const { return device_.data(); }
  /// Of each component, whether a piece is damaged; valid when decode()'s work is done.
  std::span<const uint32_t> damaged() const { return {damaged_.data(), layout_.components.size()}; }

 private:
  // What travels, in one block: pieces, from their end downwards; how many, and 8 bytes of nothing, at
  // count_at_; coded bytes.
  uint64_t& count() const { return *reinterpret_cast<uint64_t*>(host_.data() + count_at_); }

  TileLayout layout_{CodingPlan{}};
  DeviceTileLayout device_layout_;
  bool tables_fit_ = false;  // in shared memory
  unsigned warps_ = 0;       // of a block
  unsigned blocks_ = 0;
  DeviceArray<uint64_t> skips_;         // of each tile
  std::atomic<uint32_t> predicted_{0};  // of the frame: a bit for each lowpass subband
  size_t count_at_ = 0;
  std::atomic<size_t> end_{0};  // of the block so far
  PinnedArray<uint8_t> host_;
  DeviceArray<uint8_t> device_;
  PinnedArray<uint32_t> damaged_;  // [components], written by kernels
};

}  // namespace ctv::cuda

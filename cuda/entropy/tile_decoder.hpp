// SPDX-License-Identifier: BSD-3-Clause
// Decodes pieces of tiles from host memory to levels on the device (docs/entropy.md).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "cuda/entropy/piece_upload.hpp"
#include "cuda/entropy/tile_layout.hpp"

namespace ctv::cuda {

/// Decodes a plan's components with the levels of ctv::TileDecoder. Kernels of all frames have the same
/// shape.
class TileDecoder {
 public:
  /// Copies the plan's tables, which must not be null.
  Status initialise(Device& device, const CodingPlan& plan);

  /// Calls per frame: start(), put() for each component that is not 0, upload(), decode(). Do not call put()
  /// before the previous upload is done, nor upload() before the previous decoding is done. bytes: upper
  /// bound for all components. If necessary, grows page-locked and device memory to twice the size.
  Status start(Device& device, size_t bytes);
  /// Notes a component's pieces and copies their bytes; call once for each, from any thread. pieces,
  /// predicted: from read_tile_index() for the component's tiles, with offsets into `bytes`. Returns false if
  /// no levels have such a long code; the component then counts as damaged.
  bool put(size_t component, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces,
           bool predicted);
  /// Starts the copy to the device on `stream`.
  Status upload(Device& device, cudaStream_t stream);
  /// Starts on `stream`, which must have waited for the upload. skips: of the frame, on the device. levels:
  /// must be 0. Writes the nonzero levels of the plan's components. Levels of damaged pieces are undefined.
  Status decode(Device& device, const std::array<Level*, 3>& levels, const SkipGrid& skips,
                cudaStream_t stream);
  /// Further state that may differ between calls of decode() with equal arguments: whether a lowpass subband
  /// of the frame is predicted, and the device address of its bytes.
  bool predicts() const { return predicted_ != 0; }
  const void* uploaded() const { return upload_.uploaded().bytes; }
  /// By component, whether a piece is damaged; valid after decode()'s work is done.
  std::span<const uint32_t> damaged() const { return {damaged_.data(), layout_.components.size()}; }

 private:
  TileLayout layout_{CodingPlan{}};
  DeviceTileLayout device_layout_;
  bool tables_fit_ = false;  // in shared memory
  unsigned warps_ = 0;       // per block
  unsigned blocks_ = 0;
  DeviceArray<uint64_t> skips_;         // by tile
  std::atomic<uint32_t> predicted_{0};  // of the frame: mask of lowpass subbands
  PieceUpload upload_;
  PinnedArray<uint32_t> damaged_;  // [components], written by kernels
};

}  // namespace ctv::cuda

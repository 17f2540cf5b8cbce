// SPDX-License-Identifier: BSD-3-Clause
// Decodes pieces of macroblocks from host memory to records and levels on the device (docs/bitstream.md, 12).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/format/macroblocks.hpp"
#include "codec/model/rans.hpp"
#include "cuda/entropy/piece_upload.hpp"

namespace ctv::cuda {

/// Decodes predicted frames with the results of ctv::RegionDecoder. Kernels of all frames have the same
/// shape.
class ResidualDecoder {
 public:
  /// Copies the plan's tables.
  Status initialise(Device& device, const CodingPlan& plan, const MotionGrid& cells);

  /// Calls per frame, as with TileDecoder: start(), put() for each coded region, upload(), decode().
  Status start(Device& device, size_t bytes);
  /// pieces: with macroblock numbers of the frame.
  bool put(size_t region, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces);
  Status upload(Device& device, cudaStream_t stream);
  /// Starts on `stream`. skips: on the device. Writes all records, and the levels of coded blocks.
  Status decode(Device& device, const std::array<Level*, 3>& levels, Macroblock* macroblocks,
                const uint8_t* skips, cudaStream_t stream);
  /// Device address of the frame's bytes, which may differ between calls of decode() with equal arguments.
  const void* uploaded() const { return pieces().bytes; }
  /// By region, whether a piece is damaged; valid after decode()'s work is done.
  std::span<const uint32_t> damaged() const { return {damaged_.data(), damaged_.size()}; }

 private:
  /// With one frame in flight, kernels read the pieces from host memory: a copy would take longer to start.
  UploadedPieces pieces() const { return single_frame_ ? upload_.on_host() : upload_.uploaded(); }

  MacroblockGrid grid_;
  MotionGrid cells_;
  bool single_frame_ = false;
  size_t most_bytes_ = 0;  // per macroblock
  unsigned blocks_ = 0;
  DeviceArray<SymbolTable> tables_;
  DeviceArray<uint8_t> skipped_;  // per macroblock: mask of skipped quarters
  PieceUpload upload_;
  PinnedArray<uint32_t> damaged_;  // written by kernels
};

}  // namespace ctv::cuda

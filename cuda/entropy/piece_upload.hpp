// SPDX-License-Identifier: BSD-3-Clause
// Pieces of a frame for upload, in one block of memory: records of pieces, from their end downwards; their
// number, padded to 8 bytes; coded bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "codec/model/tile_sets.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Record of a piece in the uploaded memory.
struct UploadedPiece {
  uint64_t begin;  // offset of its bytes
  uint32_t size;
  uint32_t first, tiles;  // in the tiles of all components, or the macroblocks of the frame
  uint32_t component;
};

/// The upload as kernels read it.
struct UploadedPieces {
  const uint64_t* count;  // records precede it, the first one last
  const uint8_t* bytes;

  __device__ __forceinline__ UploadedPiece piece(uint32_t i) const {
    return reinterpret_cast<const UploadedPiece*>(count)[-1 - static_cast<ptrdiff_t>(i)];
  }
};

class PieceUpload {
 public:
  /// At most `pieces` pieces; the reader of each reads `beyond` bytes after its end.
  void initialise(size_t pieces, size_t beyond) {
    count_at_ = pieces * sizeof(UploadedPiece);
    beyond_ = beyond;
  }
  /// bytes: upper bound for all components. padding: additional bytes for alignment. most: limit above which
  /// put() is not called. If necessary, grows page-locked and device memory to twice the size.
  Status start(Device& device, size_t bytes, size_t padding, size_t most);
  /// Copies a component's bytes; from any thread. first: number of its first tile.
  void put(size_t component, uint32_t first, std::span<const uint8_t> bytes,
           std::span<const TilePiece> pieces);
  /// Starts the copy to the device on `stream`.
  Status upload(Device& device, cudaStream_t stream);

  UploadedPieces uploaded() const { return in(device_.data()); }
  /// The same in host memory, where kernels can read it without upload().
  UploadedPieces on_host() const { return in(host_.data()); }

 private:
  static constexpr size_t kCountBytes = 16;
  UploadedPieces in(const uint8_t* memory) const {
    return {reinterpret_cast<const uint64_t*>(memory + count_at_), memory + count_at_ + kCountBytes};
  }
  uint64_t& count() const { return *reinterpret_cast<uint64_t*>(host_.data() + count_at_); }

  size_t count_at_ = 0;
  size_t beyond_ = 0;
  std::atomic<size_t> end_{0};  // end of the block so far
  PinnedArray<uint8_t> host_;
  DeviceArray<uint8_t> device_;
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Decodes components of runs from host memory to levels on the device (docs/bitstream.md, 6.1).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/model/run_stream.hpp"
#include "cuda/entropy/run_layout.hpp"

namespace ctv::cuda {

/// Uploaded data of a chunk: its place in its component's bytes, in bits. Without heads, all levels are 0.
struct UploadedChunk {
  uint64_t heads, tails;
  uint32_t head_bits, tail_bits;
};

/// Uploaded data of a code: the lengths of all symbols, and the longest length; 0 without a code.
struct UploadedCode {
  uint8_t lengths[kDeflateSymbols];
  uint32_t bits;
};

/// Uploaded data of a component. The bytes of all components follow all chunks.
struct UploadedRuns {
  uint64_t bytes;         // offset, a multiple of 16
  uint64_t words;         // readable 8-byte words from there
  UploadedCode codes[2];  // of heads, of tails
  uint32_t runs;
  uint32_t sound;  // 0: nothing of it is decoded
};

/// Chunks of one component, which a block of the kernel decodes.
struct RunBlock {
  uint32_t component, first;  // chunk in the component
};

/// Decodes components with the levels of ctv::RunDecoder. Kernels of all frames have the same shape.
class RunDecoder {
 public:
  Status initialise(Device& device, std::span<const RunComponent> plan);

  /// Calls per frame: start(), room() for each component, put() for each that is not 0, upload(), decode().
  /// Do not call put() before the previous upload is done, nor upload() or start() before the previous
  /// decoding is done. bytes: upper bound for all components. If necessary, grows page-locked and device
  /// memory to twice the size.
  Status start(Device& device, bool key, size_t bytes);
  /// Returns where the component's bytes must be stored before upload(). Null: more bytes than any sound
  /// component has. Call it from one thread, component by component.
  uint8_t* room(size_t component, size_t bytes);
  /// Reads a component's index and headers; call once for each, from any thread. Returns false if they are
  /// damaged.
  bool put(size_t component, std::span<const uint8_t> bytes);
  /// Starts the copy to the device on `stream`.
  Status upload(Device& device, cudaStream_t stream);
  /// Starts on `stream`, which must have waited for the upload. Writes all levels of the plan's components,
  /// and no others. Levels of damaged components are undefined.
  Status decode(Device& device, const std::array<Level*, 3>& levels, cudaStream_t stream);
  /// By component, whether it is damaged; valid after decode()'s work is done.
  std::span<const uint32_t> damaged() const { return {damaged_.data(), layout_.components.size()}; }

 private:
  UploadedRuns* runs() const { return reinterpret_cast<UploadedRuns*>(host_.data()); }
  UploadedChunk* chunks() const { return reinterpret_cast<UploadedChunk*>(host_.data() + chunks_at_); }
  size_t most_bytes(size_t component) const;

  RunLayout layout_{std::span<const RunComponent>{}};
  bool key_ = false;
  unsigned blocks_ = 0;
  // Uploaded data in one block: components; chunks, at chunks_at_; streams, at bytes_at_.
  size_t chunks_at_ = 0, bytes_at_ = 0;
  size_t end_ = 0;                  // end of the block so far
  std::vector<RunStream> streams_;  // [components]
  DeviceArray<DeviceRunComponent> components_;
  DeviceArray<RunBlock> run_blocks_;
  PinnedArray<uint8_t> host_;
  DeviceArray<uint8_t> device_;
  PinnedArray<uint32_t> damaged_;  // [components], written by kernels
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Components of runs in host memory to levels on the device (docs/bitstream.md, 6.1).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/model/run_stream.hpp"
#include "cuda/entropy/run_layout.hpp"

namespace ctv::cuda {

/// What is uploaded of a chunk: its place in its component's bytes, in bits. None of heads: zeros.
struct UploadedChunk {
  uint64_t heads, tails;
  uint32_t head_bits, tail_bits;
};

/// What is uploaded of a code: the lengths of all symbols, and the bits of the longest, 0 without a code.
struct UploadedCode {
  uint8_t lengths[kDeflateSymbols];
  uint32_t bits;
};

/// What is uploaded of a component. Its bytes are among those that follow all chunks.
struct UploadedRuns {
  uint64_t bytes;         // where they begin; a multiple of 16
  uint64_t words;         // of 8 bytes that can be read from there
  UploadedCode codes[2];  // of heads and of tails
  uint32_t runs;
  uint32_t sound;  // otherwise nothing of it is decoded
};

/// A block of the kernel: so many chunks of one component.
struct RunBlock {
  uint32_t component, first;  // chunk in the component
};

/// Decodes components with the levels of ctv::RunDecoder. Made once; the kernels of all frames have the same
/// shape.
class RunDecoder {
 public:
  Status initialise(Device& device, std::span<const RunComponent> plan);

  /// A frame: start(), room() for each component, put() for each that is not 0, upload(), decode(). Until the
  /// upload is done nothing may be put, and until the decoding is done nothing uploaded and no frame started.
  /// bytes: of all components together, at most. Grows page-locked memory and the device's to twice as many
  /// if need be.
  Status start(Device& device, bool key, size_t bytes);
  /// Where the component's bytes must be before upload(). Null: it has more than any that is sound. By one
  /// thread, for one component after the other.
  uint8_t* room(size_t component, size_t bytes);
  /// Reads a component's index and headers; once for each, by any thread. False if they are damaged.
  bool put(size_t component, std::span<const uint8_t> bytes);
  /// Starts the copy to the device on `stream`.
  Status upload(Device& device, cudaStream_t stream);
  /// Starts on `stream`, which has waited for the upload. Writes all levels of the plan's components, and no
  /// others; those of damaged components are undefined.
  Status decode(Device& device, const std::array<Level*, 3>& levels, cudaStream_t stream);
  /// Of each component, whether it is damaged; valid when decode()'s work is done.
  std::span<const uint32_t> damaged() const { return {damaged_.data(), layout_.components.size()}; }

 private:
  UploadedRuns* runs() const { return reinterpret_cast<UploadedRuns*>(host_.data()); }
  UploadedChunk* chunks() const { return reinterpret_cast<UploadedChunk*>(host_.data() + chunks_at_); }
  size_t most_bytes(size_t component) const;

  RunLayout layout_{std::span<const RunComponent>{}};
  bool key_ = false;
  unsigned blocks_ = 0;
  // What travels, in one block: components; chunks, at chunks_at_; streams, at bytes_at_.
  size_t chunks_at_ = 0, bytes_at_ = 0;
  size_t end_ = 0;                  // of the block so far
  std::vector<RunStream> streams_;  // [components]
  DeviceArray<DeviceRunComponent> components_;
  DeviceArray<RunBlock> run_blocks_;
  PinnedArray<uint8_t> host_;
  DeviceArray<uint8_t> device_;
  PinnedArray<uint32_t> damaged_;  // [components], written by kernels
};

}  // namespace ctv::cuda

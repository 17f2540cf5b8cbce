// SPDX-License-Identifier: BSD-3-Clause
// Codes a component's levels as runs and Huffman codes (docs/bitstream.md, 6.1). Equal levels give equal
// bytes on every backend and with any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/run_symbols.hpp"
#include "codec/model/deflate_block.hpp"
#include "codec/model/run_ranges.hpp"

namespace ctv {

class RunEncoder {
 public:
  /// Histogram of bytes, of heads and of tails.
  using Counts = std::array<std::array<uint64_t, 256>, 2>;

  explicit RunEncoder(std::vector<RunRange> ranges);
  /// planes: the levels of all planes. runs: whether zeros are coded as runs. Returns the bytes written to
  /// `out`; 0 if all levels are 0.
  size_t encode(std::span<const Level* const> planes, bool runs, Growing<uint8_t>& out);

  // The steps of encode(). scan(), measure() and write() work on one chunk; threads may run one step for
  // several chunks in parallel. All chunks must finish a step before the next step starts.
  size_t chunks() const { return chunks_.size(); }
  /// Finds the chunk's symbols as bytes and adds them to `counts`.
  void scan(std::span<const Level* const> planes, bool runs, size_t chunk, Counts& counts);
  /// Makes the codes. counts: sum over all chunks. Returns false if all levels are 0; encoding then ends.
  bool make_codes(const Counts& counts);
  void measure(size_t chunk);
  /// Writes the index and places everything else. Returns the size of the component.
  size_t plan(Growing<uint8_t>& out);
  void write(size_t chunk, Growing<uint8_t>& out);
  /// Writes headers, ends of blocks, and bytes that chunks share.
  void finish(Growing<uint8_t>& out);

 private:
  static constexpr size_t kSlot = kMostHeads + kMostTails;
  struct Chunk {
    RunBytes bytes;
    std::array<uint64_t, 2> begin{};                // bits of the stream before heads, before tails
    std::array<std::array<uint8_t, 2>, 2> edges{};  // first and last byte of heads, of tails
  };
  std::span<const uint8_t> bytes_of(size_t chunk, size_t stream) const;
  uint32_t bits_of(size_t chunk, size_t stream) const {
    return stream == 0 ? bits_[chunk].heads : bits_[chunk].tails;
  }

  std::vector<RunRange> ranges_;
  size_t levels_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<RunChunkBits> bits_;  // by chunk
  Growing<uint8_t> slots_;          // kSlot bytes per chunk
  size_t blocks_used_ = 0;
  std::array<DeflateBlock, 2> blocks_;  // of heads, of tails
  std::array<std::array<uint32_t, kDeflateSymbols>, 2> codes_;
  BlockScratch scratch_;
  std::array<uint64_t, 2> begin_{}, end_{};  // bits before the first chunk, before the end of the block
  size_t index_size_ = 0;
};

}  // namespace ctv

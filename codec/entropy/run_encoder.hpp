// SPDX-License-Identifier: BSD-3-Clause
// A component's levels as runs and Huffman codes (docs/bitstream.md, 6.1). Equal levels give equal bytes on
// every backend and with any number of threads.
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
  /// How often each byte occurs, of heads and of tails.
  using Counts = std::array<std::array<uint64_t, 256>, 2>;

  explicit RunEncoder(std::vector<RunRange> ranges);
  /// planes: the levels of all planes. runs: zeros are runs. Returns the bytes written to `out`; none if
  /// every level is 0.
  size_t encode(std::span<const Level* const> planes, bool runs, Growing<uint8_t>& out);

  // The steps of encode(). scan(), measure() and write() work on one chunk and may run at once for several;
  // all chunks end a step before the next one begins.
  size_t chunks() const { return chunks_.size(); }
  /// Finds the chunk's bytes, and adds them to `counts`.
  void scan(std::span<const Level* const> planes, bool runs, size_t chunk, Counts& counts);
  /// Makes the codes. counts: of all chunks. Returns false if every level is 0; nothing else is to be done.
  bool make_codes(const Counts& counts);
  void measure(size_t chunk);
  /// Writes the index and finds the place of all else. Returns the component's bytes.
  size_t plan(Growing<uint8_t>& out);
  void write(size_t chunk, Growing<uint8_t>& out);
  /// Writes headers and ends of blocks, and the bytes that chunks share.
  void finish(Growing<uint8_t>& out);

 private:
  static constexpr size_t kSlot = kMostHeads + kMostTails;
  struct Chunk {
    RunBytes bytes;
    std::array<uint64_t, 2> begin{};                // bits of the stream before its heads, its tails
    std::array<std::array<uint8_t, 2>, 2> edges{};  // first and last byte of these
  };
  std::span<const uint8_t> bytes_of(size_t chunk, size_t stream) const;
  uint32_t bits_of(size_t chunk, size_t stream) const {
    return stream == 0 ? bits_[chunk].heads : bits_[chunk].tails;
  }

  std::vector<RunRange> ranges_;
  size_t levels_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<RunChunkBits> bits_;  // of chunks
  Growing<uint8_t> slots_;          // kSlot bytes of each chunk
  size_t blocks_used_ = 0;
  std::array<DeflateBlock, 2> blocks_;  // of heads and of tails
  std::array<std::array<uint32_t, kDeflateSymbols>, 2> codes_;
  BlockScratch scratch_;
  std::array<uint64_t, 2> begin_{}, end_{};  // bits before the first chunk, before the end of the block
  size_t index_size_ = 0;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Index and code headers of a component of runs (docs/bitstream.md, 6.1). Read on the host, for both
// backends.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/model/deflate_tables.hpp"
#include "codec/model/run_chunk.hpp"
#include "codec/model/run_index.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

/// A component's index and codes. Reused without allocations.
struct RunStream {
  size_t begin = 0;                     // of the DEFLATE stream in the component's bytes
  CountedVector<RunChunkBits> bits;     // of chunks
  CountedVector<RunChunkPlace> places;  // of chunks
  std::array<DeflateCode, 2> codes;     // of heads, of tails

  void reserve(size_t chunks) {
    bits.reserve(chunks);
    places.reserve(chunks);
  }
  /// Reads the index and the headers of a component of `chunks` chunks. Returns false unless the bytes end
  /// exactly with its chunks and ends of blocks.
  bool read(std::span<const uint8_t> bytes, size_t chunks) {
    bits.assign(chunks, {});
    begin = read_run_index(bytes, bits);
    if (begin == 0) return false;
    std::array<uint64_t, 2> sums{};
    for (const RunChunkBits& c : bits) {
      sums[0] += c.heads;
      sums[1] += c.tails;
    }
    if (sums[0] == 0) return false;
    std::array<uint64_t, 2> first{};
    DeflateBits stream(bytes.subspan(begin));
    const size_t blocks = sums[1] > 0 ? 2 : 1;
    for (size_t s = 0; s < blocks; ++s) {
      if (!read_block_header(stream, s + 1 == blocks, codes[s])) return false;
      first[s] = stream.at();
      stream.skip(sums[s]);
      if (!stream.within() || !codes[s].take_end(stream)) return false;
    }
    if (blocks == 1) codes[1] = {};
    places.clear();
    for (const RunChunkBits& c : bits) {
      places.push_back({first[0], first[0] + c.heads, first[1], first[1] + c.tails});
      first[0] += c.heads;
      first[1] += c.tails;
    }
    const uint64_t end = stream.at();
    return end <= 8 * uint64_t{bytes.size() - begin} && (end + 7) / 8 == bytes.size() - begin &&
           stream.take((8 - (end & 7U)) & 7U) == 0;
  }
};

}  // namespace ctv

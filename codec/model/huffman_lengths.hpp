// SPDX-License-Identifier: BSD-3-Clause
// Lengths of a Huffman code from counts, limited, in integers only: equal counts give equal lengths on every
// backend.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv {

/// A key orders symbols by weight, then by number: weight << kSymbolBits | symbol.
inline constexpr uint32_t kSymbolBits = 9;
inline constexpr uint32_t kSymbolMask = (1U << kSymbolBits) - 1;

/// By how many bits counts with this sum become weights, whose sums fit beside a symbol.
CTV_HOST_DEVICE uint32_t weight_shift(uint64_t sum) {
  uint32_t shift = 0;
  while ((sum >> shift) >= (1U << 22)) ++shift;
  return shift;
}
/// Of a symbol that occurs, count > 0.
CTV_HOST_DEVICE uint32_t weight_key(uint64_t count, uint32_t shift, uint32_t symbol) {
  return max_of(static_cast<uint32_t>(count >> shift), 1U) << kSymbolBits | symbol;
}

/// keys: those of `symbols` >= 2 symbols, rising; overwritten. Writes the length, 1..limit, of each of these
/// symbols to lengths[symbol]. The code is complete. limit <= 15, 2^limit >= symbols.
CTV_HOST_DEVICE void huffman_lengths(uint32_t* keys, uint32_t symbols, uint32_t limit, uint8_t* lengths) {
  // Pairs the lightest nodes (Moffat and Katajainen, in place). Leaves from `leaf` on have no parent yet;
  // inner nodes are made from 0 on, and those from `inner` on have no parent yet. A node's parent replaces
  // its weight. Inner nodes are never made faster than leaves are used up, so that none is overwritten.
  const uint32_t root = symbols - 2;
  uint32_t leaf = 0;
  uint32_t inner = 0;
  for (uint32_t made = 0; made <= root; ++made) {
    uint32_t weight = 0;
    for (int child = 0; child < 2; ++child) {
      const bool take_leaf =
          leaf < symbols && (inner == made || (keys[leaf] >> kSymbolBits) <= (keys[inner] >> kSymbolBits));
      if (take_leaf) {
        weight += keys[leaf++] >> kSymbolBits;
      } else {
        weight += keys[inner] >> kSymbolBits;
        keys[inner] = (keys[inner] & kSymbolMask) | made << kSymbolBits;
        ++inner;
      }
    }
    keys[made] = (keys[made] & kSymbolMask) | weight << kSymbolBits;
  }
  // From the root down, each inner node replaces a leaf by two that are longer. Where that would be too long,
  // the longest leaf that may become longer is replaced instead.
  uint32_t leaves[17];
  for (uint32_t& n : leaves) n = 0;
  leaves[1] = 2;
  keys[root] &= kSymbolMask;  // depth 0
  for (uint32_t node = root; node-- > 0;) {
    uint32_t depth = (keys[keys[node] >> kSymbolBits] >> kSymbolBits) + 1;
    keys[node] = (keys[node] & kSymbolMask) | depth << kSymbolBits;
    if (depth >= limit) {
      depth = limit - 1;
      while (leaves[depth] == 0) --depth;
    }
    --leaves[depth];
    leaves[depth + 1] += 2;
  }
  uint32_t next = 0;
  for (uint32_t length = limit; length > 0; --length) {
    for (uint32_t n = leaves[length]; n > 0; --n) {
      lengths[keys[next++] & kSymbolMask] = static_cast<uint8_t>(length);
    }
  }
}

}  // namespace ctv

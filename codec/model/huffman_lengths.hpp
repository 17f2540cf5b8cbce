// SPDX-License-Identifier: BSD-3-Clause
// Length-limited Huffman code lengths from counts, by integer arithmetic only, so they are equal on all
// backends.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv {

/// A key orders symbols by weight, then by number: weight << kSymbolBits | symbol.
inline constexpr uint32_t kSymbolBits = 9;
inline constexpr uint32_t kSymbolMask = (1U << kSymbolBits) - 1;

/// Right shift that turns counts with this sum into weights whose sums fit in a key above the symbol.
CTV_HOST_DEVICE uint32_t weight_shift(uint64_t sum) {
  uint32_t shift = 0;
  while ((sum >> shift) >= (1U << 22)) ++shift;
  return shift;
}
/// Key of a symbol with count > 0.
CTV_HOST_DEVICE uint32_t weight_key(uint64_t count, uint32_t shift, uint32_t symbol) {
  return max_of(static_cast<uint32_t>(count >> shift), 1U) << kSymbolBits | symbol;
}

/// keys: of at least two symbols, ascending; overwritten. Writes the length of each, 1..limit, to
/// lengths[symbol]. The code is complete. limit <= 15, 2^limit >= symbols.
CTV_HOST_DEVICE void huffman_lengths(uint32_t* keys, uint32_t symbols, uint32_t limit, uint8_t* lengths) {
  // Merges the two lightest nodes, in place (Moffat and Katajainen). Leaves from `leaf` on and inner nodes
  // from `inner` on have no parent yet. The index of a node's parent replaces its weight. Inner nodes never
  // overtake the leaves, so no leaf is overwritten too early.
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
  // From the root down, each inner node replaces a leaf by two leaves one bit longer. If these exceed the
  // limit, it replaces the longest leaf that can still grow.
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

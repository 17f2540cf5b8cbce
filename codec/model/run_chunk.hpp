// SPDX-License-Identifier: BSD-3-Clause
// Decodes a chunk of levels (docs/bitstream.md, 6.1), compiled for CPU and GPU.
#pragma once

#include <cstdint>

#include "codec/model/deflate_block.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

// Branch-free, since signs are unpredictable.
CTV_HOST_DEVICE constexpr uint32_t zigzag(int v) {
  const int u = v - 1;
  return ((static_cast<uint32_t>(u) << 1) ^ static_cast<uint32_t>(u >> 31)) ^ 1U;
}
CTV_HOST_DEVICE constexpr int unzigzag(uint32_t z) { return static_cast<int>((z >> 1) ^ ((z & 1U) - 1)) + 1; }
inline constexpr uint32_t kMostZigzag = 65536;  // zigzag(-32768)

/// Table entries, indexed by the next bits: code length in bits 0..3, flags, and the low 7 bits of the byte
/// from bit 8 on.
inline constexpr uint32_t kRareSymbol = 16;  // not a byte, or a tail byte that is not the last
inline constexpr uint32_t kHasTail = 32;
inline constexpr uint32_t kIsRun = 64;

/// Entry of a head. entry: symbol << 4 | length.
CTV_HOST_DEVICE constexpr uint16_t head_entry(uint32_t entry, bool runs) {
  const uint32_t symbol = entry >> 4;
  const bool run = runs && symbol == 0;
  return static_cast<uint16_t>((entry & 15U) | (symbol >= kEndOfBlock ? kRareSymbol : 0) |
                               (run || symbol >= 128 ? kHasTail : 0) | (run ? kIsRun : 0) |
                               (symbol & 127U) << 8);
}
/// Entry of a tail. The end of the block has kIsRun.
CTV_HOST_DEVICE constexpr uint16_t tail_entry(uint32_t entry) {
  const uint32_t symbol = entry >> 4;
  return static_cast<uint16_t>((entry & 15U) | (symbol >= 128 ? kRareSymbol : 0) |
                               (symbol >= kEndOfBlock ? kIsRun : 0) | (symbol & 127U) << 8);
}
/// Entry of a component without tails.
inline constexpr uint16_t kNoTailEntry = kRareSymbol | kIsRun;

/// Without runs, levels are coded as differences from the previous level of the chunk, modulo 2^16.
CTV_HOST_DEVICE constexpr Level run_difference(Level level, Level before) {
  return static_cast<Level>(level - before);
}

struct RunTables {
  const uint16_t* heads;
  const uint16_t* tails;
  uint32_t head_mask, tail_mask;  // of the index bits
};

/// Where a chunk begins and ends, in bits of its DEFLATE stream.
struct RunChunkPlace {
  uint64_t heads, heads_end, tails, tails_end;
};

/// Decodes `count` levels, which must be 0 before. bits.load(at) returns at least 48 bits from any bit `at`.
/// levels.put(i, level) is called with ascending i. kRuns: zeros are coded as runs; a short run puts one 0,
/// at its first level. Returns false unless the chunk ends after exactly `count` levels. Levels of a damaged
/// chunk are undefined.
template <bool kRuns, typename Bits, typename Levels>
CTV_HOST_DEVICE bool decode_run_chunk(const Bits& bits, const RunTables& tables, const RunChunkPlace& place,
                                      const Levels& levels, uint32_t count) {
  uint64_t head_at = place.heads;
  uint64_t tail_at = place.tails;
  Level before = 0;
  uint32_t i = 0;
  const auto put = [&](uint32_t z) {
    before = static_cast<Level>(unzigzag(z) + (kRuns ? 0 : before));
    levels.put(i, before);
  };
  while (i < count) {
    // Four symbols of at most 12 bits each. Branch-free, since their kinds are unpredictable.
    uint64_t head_bits = bits.load(head_at);
    uint64_t tail_bits = bits.load(tail_at);
    bool rare = false;
    for (int k = 0; k < 4 && i < count; ++k) {
      const uint32_t head = tables.heads[static_cast<uint32_t>(head_bits) & tables.head_mask];
      uint32_t tail = tables.tails[static_cast<uint32_t>(tail_bits) & tables.tail_mask];
      tail &= 0U - (head / kHasTail & 1U);
      rare = ((head | tail) & kRareSymbol) != 0;
      if (rare) break;
      const uint32_t run = kRuns ? tail >> 8 & (0U - (head / kIsRun & 1U)) : 0;
      put(head >> 8 | ((tail >> 8) - run) << 7);
      i += 1 + run;
      head_bits >>= head & 15U;
      head_at += head & 15U;
      tail_bits >>= tail & 15U;
      tail_at += tail & 15U;
    }
    if (!rare) continue;
    const uint32_t head = tables.heads[static_cast<uint32_t>(head_bits) & tables.head_mask];
    if ((head & kRareSymbol) != 0) return false;
    head_at += head & 15U;
    tail_bits = bits.load(tail_at);
    const uint32_t low = tables.tails[static_cast<uint32_t>(tail_bits) & tables.tail_mask];
    if ((low & kIsRun) != 0) return false;
    tail_bits >>= low & 15U;
    // One-byte tails are handled above, so a second byte follows.
    const uint32_t high = tables.tails[static_cast<uint32_t>(tail_bits) & tables.tail_mask];
    if ((high & kRareSymbol) != 0) return false;
    tail_at += (low & 15U) + (high & 15U);
    const uint32_t number = low >> 8 | high >> 8 << 7;
    if (kRuns && (head & kIsRun) != 0) {
      i += 1 + number;
    } else {
      const uint32_t z = head >> 8 | number << 7;
      if (z > kMostZigzag) return false;
      put(z);
      ++i;
    }
  }
  return i == count && head_at == place.heads_end && tail_at == place.tails_end;
}

}  // namespace ctv

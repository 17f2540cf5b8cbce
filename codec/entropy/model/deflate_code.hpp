// SPDX-License-Identifier: BSD-3-Clause
// A Huffman code that is read, and the table that decodes it, for both backends. The code travels to a device
// and the table is made there: it is ten times as large.
#pragma once

#include <cstdint>

#include "codec/entropy/model/deflate_block.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr uint32_t kDeflateTable = 1U << kMostCodeBits;  // entries at most

struct alignas(16) DeflateCode {
  uint16_t entries[kDeflateSymbols];  // of the symbols that have codes, in the order of these
  uint16_t begin[kMostCodeBits + 2];  // of the codes of each length 1.. in `entries`; the last is their end
  uint32_t bits;                      // of the longest code; 0: entries[0] is for all bits
  uint32_t end;                       // code of the end of the block, length << 16 | code, first bit lowest

  CTV_HOST_DEVICE constexpr uint32_t mask() const { return (1U << bits) - 1; }

  /// entry(symbol << 4 | length): what becomes of it; the length stays in bits 0..3. Returns false unless the
  /// code is complete and its lengths are at most `limit`.
  template <typename Entry>
  bool make(const uint8_t* lengths, uint32_t symbols, uint32_t limit, Entry entry) {
    uint32_t counts[16] = {};
    for (uint32_t s = 0; s < symbols; ++s) {
      if (lengths[s] > limit) return false;
      ++counts[lengths[s]];
    }
    uint32_t used = 0;
    uint32_t code = 0;
    uint32_t codes[kMostCodeBits + 1];  // the first of each length
    uint32_t next[kMostCodeBits + 1];   // place in `entries`
    bits = 0;
    begin[1] = 0;
    for (uint32_t n = 1; n <= kMostCodeBits; ++n) {
      code <<= 1;
      codes[n] = code;
      code += counts[n];
      next[n] = begin[n];
      begin[n + 1] = static_cast<uint16_t>(begin[n] + counts[n]);
      used += counts[n] << (kMostCodeBits - n);
      if (counts[n] > 0) bits = n;
    }
    if (used != kDeflateTable) return false;
    for (uint32_t s = 0; s < symbols; ++s) {
      const uint32_t length = lengths[s];
      if (length == 0) continue;
      if (s == kEndOfBlock)
        end = length << 16 | reverse_bits(codes[length] + next[length] - begin[length], length);
      entries[next[length]++] = entry(s << 4 | length);
    }
    return true;
  }
};

/// Fills 2^code.bits entries, by the next bits, first lowest. By lane `lane` of `lanes`, which wait for each
/// other in sync(). table: aligned to 16 bytes.
template <typename Sync>
CTV_HOST_DEVICE void fill_table(const DeflateCode& code, uint16_t* table, uint32_t lane, uint32_t lanes,
                                Sync sync) {
  struct alignas(16) Eight {
    uint16_t entries[8];
  };
  if (lane == 0) table[0] = code.entries[0];
  uint32_t next = 0;  // code
  for (uint32_t length = 1; length <= code.bits; ++length) {
    sync();
    // A bit more doubles the table: shorter codes are there twice.
    const uint32_t half = 1U << (length - 1);
    if (half >= 8) {
      auto* const eights = reinterpret_cast<Eight*>(table);
      for (uint32_t i = lane; i < half / 8; i += lanes) eights[half / 8 + i] = eights[i];
    } else {
      for (uint32_t i = lane; i < half; i += lanes) table[half + i] = table[i];
    }
    sync();
    next <<= 1;
    const uint32_t first = code.begin[length];
    const uint32_t count = code.begin[length + 1] - first;
    for (uint32_t i = lane; i < count; i += lanes)
      table[reverse_bits(next + i, length)] = code.entries[first + i];
    next += count;
  }
}

}  // namespace ctv

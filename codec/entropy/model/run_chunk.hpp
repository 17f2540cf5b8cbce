// SPDX-License-Identifier: BSD-3-Clause
// Decodes a chunk of levels (docs/bitstream.md, 6.1), compiled for CPU and GPU.
#pragma once

#include <cstdint>

#include "codec/entropy/model/deflate_block.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

// Signs are unpredictable, so neither function branches.
CTV_HOST_DEVICE constexpr uint32_t zigzag(int v) {
  const int u = v - 1;
  return ((static_cast<uint32_t>(u) << 1) ^ static_cast<uint32_t>(u >> 31)) ^ 1U;
}
CTV_HOST_DEVICE constexpr int unzigzag(uint32_t z) { return static_cast<int>((z >> 1) ^ ((z & 1U) - 1)) + 1; }
inline constexpr uint32_t kMostZigzag = 65534;  // of -32767

/// Entries of tables, by the next bits: the code's length in bits 0..3, and from bit 16 on the level of a
/// literal below 128, or the symbol if kRareSymbol is set.
inline constexpr uint32_t kRareSymbol = 16;  // a literal from 128 on, or another symbol
inline constexpr uint32_t kRunSymbol = 32;   // the value 0, if there are runs; with level 0

/// entry: symbol << 4 | length.
CTV_HOST_DEVICE constexpr uint32_t value_entry(uint32_t entry, bool runs) {
  const uint32_t symbol = entry >> 4;
  if (symbol >= 128) return (entry & 15U) | kRareSymbol | symbol << 16;
  const auto level = static_cast<uint32_t>(unzigzag(symbol));
  return (entry & 15U) | (runs && symbol == 0 ? kRunSymbol : 0) | level << 16;
}
CTV_HOST_DEVICE constexpr uint32_t run_entry(uint32_t entry) {
  const uint32_t symbol = entry >> 4;
  return (entry & 15U) | (symbol >= 128 ? kRareSymbol : 0) | symbol << 16;
}
/// Of a component without runs: no code.
inline constexpr uint32_t kNoRunEntry = kRareSymbol | kEndOfBlock << 16;

struct RunTables {
  const uint32_t* values;
  const uint32_t* runs;
  uint32_t value_mask, run_mask;  // of the bits that index them
};

/// Where a chunk begins and ends, in bits of its DEFLATE stream.
struct RunChunkPlace {
  uint64_t values, values_end, runs, runs_end;
};

/// A varint of at most `most_bytes` literals, from bit `at` on. kLevels: the table is that of values. Returns
/// false at the end of the block.
template <bool kLevels, typename Bits>
CTV_HOST_DEVICE bool take_varint(const Bits& bits, uint64_t& at, const uint32_t* table, uint32_t mask,
                                 uint32_t most_bytes, uint32_t& number) {
  number = 0;
  uint64_t ahead = bits.load(at);
  for (uint32_t i = 0; i < most_bytes; ++i) {
    const uint32_t entry = table[static_cast<uint32_t>(ahead) & mask];
    const bool rare = (entry & kRareSymbol) != 0;
    const uint32_t symbol = rare || !kLevels ? entry >> 16 : zigzag(static_cast<int16_t>(entry >> 16));
    if (symbol >= kEndOfBlock) return false;
    ahead >>= entry & 15U;
    at += entry & 15U;
    number |= (symbol & 127U) << (7 * i);
    if (!rare) return true;
  }
  return false;
}

/// Decodes `count` levels, which are 0 before. bits.load(at) gives at least 48 bits from bit `at` on,
/// whatever it is. Returns false unless the chunk ends with exactly these levels; those of a chunk that is
/// not sound are undefined.
template <typename Bits>
CTV_HOST_DEVICE bool decode_run_chunk(const Bits& bits, const RunTables& tables, const RunChunkPlace& place,
                                      Level* levels, uint32_t count) {
  uint64_t value_at = place.values;
  uint64_t run_at = place.runs;
  uint32_t i = 0;
  while (i < count) {
    // Four symbols of at most 12 bits. Whether one is a run is unpredictable, so there is no branch on it.
    uint64_t value_bits = bits.load(value_at);
    uint64_t run_bits = bits.load(run_at);
    bool rare = false;
    for (int k = 0; k < 4 && i < count; ++k) {
      const uint32_t value = tables.values[static_cast<uint32_t>(value_bits) & tables.value_mask];
      uint32_t run = tables.runs[static_cast<uint32_t>(run_bits) & tables.run_mask];
      run &= 0U - (value / kRunSymbol & 1U);
      rare = ((value | run) & kRareSymbol) != 0;
      if (rare) break;
      levels[i] = static_cast<Level>(value >> 16);
      i += 1 + (run >> 16);
      value_bits >>= value & 15U;
      value_at += value & 15U;
      run_bits >>= run & 15U;
      run_at += run & 15U;
    }
    if (!rare) continue;
    const uint32_t value = tables.values[static_cast<uint32_t>(value_bits) & tables.value_mask];
    uint32_t number = 0;
    if ((value & kRunSymbol) != 0) {
      value_at += value & 15U;
      if (!take_varint<false>(bits, run_at, tables.runs, tables.run_mask, 2, number)) return false;
      i += 1 + number;
    } else {
      if (!take_varint<true>(bits, value_at, tables.values, tables.value_mask, 3, number)) return false;
      if (number > kMostZigzag) return false;
      levels[i++] = static_cast<Level>(unzigzag(number));
    }
  }
  return i == count && value_at == place.values_end && run_at == place.runs_end;
}

}  // namespace ctv

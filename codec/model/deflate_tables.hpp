// SPDX-License-Identifier: BSD-3-Clause
// Reads headers of blocks with literals only, on the host for both backends, and makes decoding tables for
// the CPU backend.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "codec/model/deflate_block.hpp"

namespace ctv {

/// Reads bits of a DEFLATE stream, lowest first. Bits after the end are 0.
class DeflateBits {
 public:
  explicit DeflateBits(std::span<const uint8_t> bytes, uint64_t at = 0) : bytes_(bytes), at_(at) {}

  /// count <= 16.
  uint32_t take(uint32_t count) {
    const auto bits = static_cast<uint32_t>(load_bits(bytes_.data(), bytes_.size(), at_));
    at_ += count;
    return bits & ((1U << count) - 1);
  }
  uint64_t at() const { return at_; }
  void skip(uint64_t bits) { at_ += bits; }
  bool within() const { return at_ <= uint64_t{bytes_.size()} * 8; }

  /// Returns at least 57 bits from bit `at` on.
  static uint64_t load_bits(const uint8_t* bytes, size_t size, uint64_t at) {
    const auto byte = static_cast<size_t>(at >> 3);
    uint64_t bits = 0;
    if (byte + 8 <= size) {
      for (uint32_t i = 0; i < 8; ++i) bits |= uint64_t{bytes[byte + i]} << (8 * i);
    } else {
      for (size_t i = byte; i < size; ++i) bits |= uint64_t{bytes[i]} << (8 * (i - byte));
    }
    return bits >> (at & 7U);
  }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t at_;
};

/// Number of symbols of each length; [0] is not used.
using LengthCounts = std::array<uint32_t, 16>;

/// Whether a code of these lengths is complete and has at most `most` bits. longest: its longest length.
inline bool is_complete_code(const LengthCounts& counts, uint32_t most, uint32_t& longest) {
  uint32_t used = 0;
  longest = 0;
  for (uint32_t length = 1; length < counts.size(); ++length) {
    if (counts[length] == 0) continue;
    if (length > most) return false;
    used += counts[length] << (kMostCodeBits - length);
    longest = length;
  }
  return used == 1U << kMostCodeBits;
}

/// Decoding table, indexed by the next bits.
template <uint32_t kMostBits>
struct DeflateTable {
  std::array<uint16_t, 1U << kMostBits> entries;
  uint32_t bits = 0;  // 2^bits entries are used

  /// Makes the table of a complete code of at most kMostBits bits. counts, longest: of its lengths.
  /// entry(symbol << 4 | length): returns the table entry, which keeps the length in bits 0..3.
  template <typename Entry>
  void make(const uint8_t* lengths, uint32_t symbols, const LengthCounts& counts, uint32_t longest,
            Entry entry) {
    std::array<uint32_t, 17> begin{};  // of each length's symbols in `sorted`
    for (size_t length = 1; length < counts.size(); ++length)
      begin[length + 1] = begin[length] + counts[length];
    std::array<uint16_t, kDeflateSymbols> sorted;
    std::array<uint32_t, 17> next = begin;
    next[0] = begin[16];  // symbols without a code are last
    for (uint32_t s = 0; s < symbols; ++s) sorted[next[lengths[s]]++] = static_cast<uint16_t>(s);
    // Each further length doubles the table, so entries of shorter codes are copied.
    entries[0] = 0;
    uint32_t code = 0;
    for (uint32_t length = 1; length <= longest; ++length) {
      std::copy_n(entries.begin(), 1U << (length - 1), entries.begin() + (1U << (length - 1)));
      code <<= 1;
      for (uint32_t i = begin[length]; i < begin[length + 1]; ++i)
        entries[reverse_bits(code++, length)] = entry(uint32_t{sorted[i]} << 4 | length);
    }
    bits = longest;
  }
  /// Consumes the next symbol and returns its entry.
  uint32_t take(DeflateBits& from) const {
    DeflateBits ahead = from;
    const uint32_t entry = entries[ahead.take(bits)];
    from.skip(entry & 15U);
    return entry;
  }
};

/// The code of a block's symbols.
struct DeflateCode {
  std::array<uint8_t, kDeflateSymbols> lengths;  // 0: the symbol has no code
  LengthCounts counts;                           // of `lengths`
  uint32_t bits = 0;                             // longest length; 0: there is no code

  /// Consumes the end-of-block symbol. Returns false if another symbol follows.
  bool take_end(DeflateBits& from) const {
    const uint32_t length = lengths[kEndOfBlock];
    uint32_t code = 0;
    for (uint32_t shorter = 1; shorter < length; ++shorter) code = (code + counts[shorter]) << 1;
    code += static_cast<uint32_t>(
        std::count(lengths.begin(), lengths.begin() + kEndOfBlock, static_cast<uint8_t>(length)));
    return from.take(length) == reverse_bits(code, length);
  }
};

/// Reads a block's header. Returns false unless its code is the fixed one, or a complete code of literals
/// only with at most 12 bits.
inline bool read_block_header(DeflateBits& bits, bool last, DeflateCode& code) {
  if ((bits.take(1) != 0) != last) return false;
  const uint32_t type = bits.take(2);
  code.counts = {};
  if (type == 1) {
    for (uint32_t s = 0; s < kDeflateSymbols; ++s) {
      code.lengths[s] = fixed_length(s);
      ++code.counts[code.lengths[s]];
    }
    return bits.within() && is_complete_code(code.counts, kMostCodeBits, code.bits);
  }
  if (type != 2 || bits.take(5) != 0 || bits.take(5) != 0) return false;
  const uint32_t sent = bits.take(4) + 4;
  std::array<uint8_t, kLengthSymbols> lengths_of_lengths{};
  LengthCounts counts_of_lengths{};
  for (uint32_t i = 0; i < sent; ++i) {
    const uint32_t length = bits.take(3);
    lengths_of_lengths[length_symbol_at(i)] = static_cast<uint8_t>(length);
    ++counts_of_lengths[length];
  }
  uint32_t longest = 0;
  if (!is_complete_code(counts_of_lengths, kMostLengthBits, longest)) return false;
  DeflateTable<kMostLengthBits> table;
  table.make(lengths_of_lengths.data(), kLengthSymbols, counts_of_lengths, longest,
             [](uint32_t e) { return static_cast<uint16_t>(e); });
  code.lengths = {};
  uint32_t at = 0;
  while (at <= kCodedSymbols) {  // and one distance
    const uint32_t symbol = table.take(bits) >> 4;
    uint32_t count = 1;
    uint32_t length = symbol;
    if (symbol >= 16) {
      if (symbol == 16 && at == 0) return false;
      length = symbol == 16 ? code.lengths[at - 1] : 0;
      count = (symbol == 18 ? 11 : 3) + bits.take(token_extra_bits(symbol));
    }
    if (at + count > kCodedSymbols + 1) return false;
    code.counts[length] += count;
    for (; count > 0; --count) code.lengths[at++] = static_cast<uint8_t>(length);
  }
  // The distance must have no code.
  if (code.lengths[kCodedSymbols] != 0 || code.lengths[kEndOfBlock] == 0) return false;
  return bits.within() && is_complete_code(code.counts, kMostCodeBits, code.bits);
}

}  // namespace ctv

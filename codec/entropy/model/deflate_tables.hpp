// SPDX-License-Identifier: BSD-3-Clause
// Reads headers of blocks that have literals only, and makes tables to decode them. On the host, for both
// backends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/model/deflate_block.hpp"

namespace ctv {

/// Bits of a DEFLATE stream, first lowest. Beyond the end all are 0.
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

  /// At least 57 bits from bit `at` of so many bytes.
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

/// Symbols by the next bits.
struct DeflateTable {
  std::array<uint16_t, 1U << kMostCodeBits> entries;
  uint32_t bits = 0;  // 2^bits entries are used
  uint32_t end = 0;   // code of the end of the block, length << 16 | code

  /// entry(symbol << 4 | length): what becomes of it; the length stays in bits 0..3. Returns false unless the
  /// code is complete and its lengths are at most `limit`.
  template <typename Entry>
  bool make(const uint8_t* lengths, uint32_t symbols, uint32_t limit, Entry entry) {
    std::array<uint32_t, 17> begin{};  // of the symbols of each length in `sorted`
    uint32_t used = 0;
    bits = 0;
    for (uint32_t s = 0; s < symbols; ++s) {
      const uint32_t length = lengths[s];
      if (length > limit) return false;
      ++begin[length + 1];
      bits = max_of(bits, length);
      if (length > 0) used += (1U << kMostCodeBits) >> length;
    }
    if (used != 1U << kMostCodeBits) return false;
    for (size_t n = 1; n < begin.size(); ++n) begin[n] += begin[n - 1];
    std::array<uint16_t, kDeflateSymbols> sorted;
    std::array<uint32_t, 17> next = begin;
    for (uint32_t s = 0; s < symbols; ++s) sorted[next[lengths[s]]++] = static_cast<uint16_t>(s);
    // A length more doubles the table: shorter codes are there twice.
    entries[0] = 0;
    uint32_t code = 0;
    for (uint32_t length = 1; length <= bits; ++length) {
      std::copy_n(entries.begin(), 1U << (length - 1), entries.begin() + (1U << (length - 1)));
      code <<= 1;
      for (uint32_t i = begin[length]; i < begin[length + 1]; ++i) {
        const uint32_t reversed = reverse_bits(code++, length);
        const uint32_t symbol = sorted[i];
        entries[reversed] = entry(symbol << 4 | length);
        if (symbol == kEndOfBlock) end = length << 16 | reversed;
      }
    }
    return true;
  }
  /// The entry of the next symbol, which is taken.
  uint32_t take(DeflateBits& from) const {
    DeflateBits ahead = from;
    const uint32_t entry = entries[ahead.take(bits)];
    from.skip(entry & 15U);
    return entry;
  }
  bool take_end(DeflateBits& from) const { return from.take(end >> 16) == (end & 0xffffU); }
};

/// Reads a block's header from `bits`, and makes the table of its code; entry: as DeflateTable::make().
/// Returns false unless it has a fixed code, or a complete one of literals alone with at most 12 bits.
template <typename Entry>
bool read_block_header(DeflateBits& bits, bool last, DeflateTable& table, Entry entry) {
  if ((bits.take(1) != 0) != last) return false;
  std::array<uint8_t, kDeflateSymbols> lengths{};
  const uint32_t type = bits.take(2);
  if (type == 1) {
    for (uint32_t s = 0; s < kDeflateSymbols; ++s) lengths[s] = fixed_length(s);
    return bits.within() && table.make(lengths.data(), kDeflateSymbols, kMostCodeBits, entry);
  }
  if (type != 2 || bits.take(5) != 0 || bits.take(5) != 0) return false;
  const uint32_t sent = bits.take(4) + 4;
  for (uint32_t i = 0; i < sent; ++i) lengths[length_symbol_at(i)] = static_cast<uint8_t>(bits.take(3));
  const auto plain = [](uint32_t e) { return static_cast<uint16_t>(e); };
  if (!table.make(lengths.data(), kLengthSymbols, kMostLengthBits, plain)) return false;
  lengths = {};
  uint32_t at = 0;
  while (at <= kCodedSymbols) {  // and one distance
    const uint32_t symbol = table.take(bits) >> 4;
    uint32_t count = 1;
    uint32_t length = symbol;
    if (symbol >= 16) {
      if (symbol == 16 && at == 0) return false;
      length = symbol == 16 ? lengths[at - 1] : 0;
      count = (symbol == 18 ? 11 : 3) + bits.take(token_extra_bits(symbol));
    }
    if (at + count > kCodedSymbols + 1) return false;
    for (; count > 0; --count) lengths[at++] = static_cast<uint8_t>(length);
  }
  if (lengths[kCodedSymbols] != 0 || lengths[kEndOfBlock] == 0) return false;
  return bits.within() && table.make(lengths.data(), kCodedSymbols, kMostCodeBits, entry);
}

}  // namespace ctv

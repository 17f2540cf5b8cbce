// SPDX-License-Identifier: BSD-3-Clause
// Reads headers of blocks that have literals only. On the host, for both backends.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/entropy/model/deflate_block.hpp"
#include "codec/entropy/model/deflate_code.hpp"

namespace ctv {

/// Bits of a DEFLATE stream, first lowest. Beyond the end all are 0.
class DeflateBits {
 public:
  explicit DeflateBits(std::span<const uint8_t> bytes, uint64_t at = 0) : bytes_(bytes), at_(at) {}

  /// The next bits, count <= 16.
  uint32_t see(uint32_t count) const {
    const auto bits = static_cast<uint32_t>(load_bits(bytes_.data(), bytes_.size(), at_));
    return bits & ((1U << count) - 1);
  }
  uint32_t take(uint32_t count) {
    const uint32_t bits = see(count);
    at_ += count;
    return bits;
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

/// Reads a block's header from `bits`; entry: as DeflateCode::make(). Returns false unless it has a fixed
/// code, or a complete one of literals alone with at most 12 bits.
template <typename Entry>
bool read_block_header(DeflateBits& bits, bool last, DeflateCode& code, Entry entry) {
  if ((bits.take(1) != 0) != last) return false;
  std::array<uint8_t, kDeflateSymbols> lengths{};
  const uint32_t type = bits.take(2);
  if (type == 1) {
    for (uint32_t s = 0; s < kDeflateSymbols; ++s) lengths[s] = fixed_length(s);
    return bits.within() && code.make(lengths.data(), kDeflateSymbols, kMostCodeBits, entry);
  }
  if (type != 2 || bits.take(5) != 0 || bits.take(5) != 0) return false;
  const uint32_t sent = bits.take(4) + 4;
  for (uint32_t i = 0; i < sent; ++i) lengths[length_symbol_at(i)] = static_cast<uint8_t>(bits.take(3));
  const auto plain = [](uint32_t e) { return static_cast<uint16_t>(e); };
  if (!code.make(lengths.data(), kLengthSymbols, kMostLengthBits, plain)) return false;
  alignas(16) std::array<uint16_t, 1U << kMostLengthBits> table;
  fill_table(code, table.data(), 0, 1, [] {});
  const uint32_t longest = code.bits;
  lengths = {};
  uint32_t at = 0;
  while (at <= kCodedSymbols) {  // and one distance
    const uint32_t next = table[bits.see(longest)];
    bits.skip(next & 15U);
    const uint32_t symbol = next >> 4;
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
  return bits.within() && code.make(lengths.data(), kCodedSymbols, kMostCodeBits, entry);
}

}  // namespace ctv

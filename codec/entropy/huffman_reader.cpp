// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/huffman_reader.hpp"

#include <algorithm>

#include "codec/entropy/huffman_code.hpp"

namespace ctv {
namespace {

constexpr int kEndOfBlock = 256;
constexpr int kLengthBits = 6;  // of a table's entry: as many as a shift by them regards
constexpr unsigned kLengthMask = (1U << kLengthBits) - 1;

}  // namespace

// Refuses codes with more words than fit; words that are missing stay 0 in the table. It grows with the
// length of the words: what is known of so many bits holds whatever the next one is.
bool HuffmanReader::make_table(std::span<const uint8_t> lengths, int bits) {
  table_bits_ = bits;
  std::array<uint16_t, kMaxHuffmanSymbols> codes;
  canonical_codes(lengths, std::span(codes).first(lengths.size()));
  std::array<std::array<uint16_t, kMaxHuffmanSymbols>, kMaxLiteralLength + 1> of_length;
  std::array<size_t, kMaxLiteralLength + 1> count{};
  uint32_t used = 0;
  for (size_t s = 0; s < lengths.size(); ++s) {
    const size_t length = lengths[s];
    of_length[length][count[length]++] = static_cast<uint16_t>(s);
    used += length == 0 ? 0 : 1U << bits >> length;
  }
  if (used > 1U << bits) return false;
  table_[0] = 0;
  for (size_t length = 1; length <= static_cast<size_t>(bits); ++length) {
    std::copy_n(table_.begin(), 1U << (length - 1), table_.begin() + (1U << (length - 1)));
    for (size_t i = 0; i < count[length]; ++i) {
      const uint16_t s = of_length[length][i];
      table_[codes[s]] = static_cast<uint16_t>(s << kLengthBits | static_cast<int>(length));
    }
  }
  return true;
}

bool HuffmanReader::read_dynamic_codes(int alphabet) {
  if (bits_.take(5) != kLiteralCodes - 257 || bits_.take(5) != 0) return false;
  const uint32_t token_codes = bits_.take(4) + 4;
  std::array<uint8_t, kCodeLengthCodes> token_lengths{};
  for (uint32_t i = 0; i < token_codes; ++i) {
    token_lengths[kCodeLengthOrder[i]] = static_cast<uint8_t>(bits_.take(3));
  }
  if (!make_table(token_lengths, kMaxCodeLengthLength)) return false;
  std::array<uint8_t, kLiteralCodes + 1> lengths;
  for (size_t i = 0; i < lengths.size();) {
    bits_.refill();
    const unsigned entry = table_[bits_.window() & ((1U << kMaxCodeLengthLength) - 1)];
    if (entry == 0) return false;
    bits_.drop(static_cast<int>(entry & kLengthMask));
    const unsigned code = entry >> kLengthBits;
    size_t repeat = 1;
    auto length = static_cast<uint8_t>(code);
    if (code == 16) {
      if (i == 0) return false;
      length = lengths[i - 1];
      repeat = 3 + bits_.take(2);
    } else if (code >= 17) {
      length = 0;
      repeat = code == 17 ? 3 + bits_.take(3) : 11 + bits_.take(7);
    }
    if (length > kMaxLiteralLength || repeat > lengths.size() - i) return false;
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), repeat, length);
    i += repeat;
  }
  const auto literals = lengths.begin() + alphabet;
  if (lengths.back() != 0 ||
      std::any_of(literals, lengths.begin() + kEndOfBlock, [](uint8_t l) { return l != 0; }))
    return false;
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  return longest > 0 && make_table(std::span(lengths).first(kLiteralCodes), longest);
}

bool HuffmanReader::literals(int alphabet, std::span<uint8_t> out, size_t& count) {
  if (bits_.take(1) != 0) return false;
  switch (bits_.take(2)) {
    case 1: {
      std::array<uint8_t, kMaxHuffmanSymbols> lengths;
      for (size_t s = 0; s < lengths.size(); ++s) {
        lengths[s] = s < 144 ? 8 : (s < kEndOfBlock ? 9 : (s < 280 ? 7 : 8));
      }
      if (!make_table(lengths, 9)) return false;
      for (size_t i = 0; i < size_t{1} << table_bits_;
           ++i) {  // only the alphabet and the end of the block count
        const int symbol = table_[i] >> kLengthBits;
        if (symbol >= alphabet && symbol != kEndOfBlock) table_[i] = 0;
      }
      break;
    }
    case 2:
      if (!read_dynamic_codes(alphabet)) return false;
      break;
    default:
      return false;
  }
  return decode_symbols(out, count);
}

bool HuffmanReader::decode_symbols(std::span<uint8_t> out, size_t& count) {
  constexpr int kAtOnce = 4;  // codes of at most 12 bits, without another look at the window's 56
  constexpr unsigned kEnd = kEndOfBlock << kLengthBits;
  const uint64_t mask = (uint64_t{1} << table_bits_) - 1;
  BitReader bits = bits_;  // kept in registers
  uint8_t* to = out.data();
  uint8_t* const end = to + out.size();
  unsigned entry = 0;
  for (int i = 0, n = 0; i == n;) {
    bits.refill();
    if (bits.overrun()) return false;
    n = end - to >= kAtOnce ? kAtOnce : 1;
    for (i = 0; i < n; ++i) {
      entry = table_[bits.window() & mask];
      bits.drop(static_cast<int>(entry & kLengthMask));
      if (entry - 1 >= kEnd - 1) break;  // no code, or the end of the block
      if (to == end) return false;
      *to++ = static_cast<uint8_t>(entry >> kLengthBits);
    }
  }
  bits_ = bits;
  count = static_cast<size_t>(to - out.data());
  return entry != 0 && !bits.overrun();
}

bool HuffmanReader::finish(Growing<uint8_t>& joined, std::span<const uint8_t>& raw) {
  size_t size = 0;
  for (bool first = true;; first = false) {
    const bool last = bits_.take(1) != 0;
    if (bits_.take(2) != 0) return false;
    bits_.align();
    const uint32_t length = bits_.take(16);
    const uint32_t complement = bits_.take(16);
    if (bits_.overrun() || length != (complement ^ 0xffffU) || (!last && length != kMaxStored)) return false;
    const std::span<const uint8_t> rest = bits_.rest();
    if (rest.size() < length || (last && rest.size() != length)) return false;
    if (first && last) {
      raw = rest;
      return true;
    }
    joined.reserve(size + length, size);
    std::copy_n(rest.data(), length, joined.data() + size);
    size += length;
    if (last) {
      raw = {joined.data(), size};
      return true;
    }
    bits_ = BitReader(rest.subspan(length));
  }
}

}  // namespace ctv

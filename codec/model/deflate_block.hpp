// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE blocks (RFC 1951) with literals only: codes and block headers, for both backends.
#pragma once

#include <cstdint>

#include "codec/model/huffman_lengths.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr uint32_t kEndOfBlock = 256;
inline constexpr uint32_t kCodedSymbols = 257;    // literals and the end of the block
inline constexpr uint32_t kDeflateSymbols = 288;  // in the fixed code
inline constexpr uint32_t kMostCodeBits = 12;
inline constexpr uint32_t kLengthSymbols = 19;  // of the code length code
inline constexpr uint32_t kMostLengthBits = 7;
inline constexpr uint32_t kBlockHeaderWords = 64;  // more than 17 + 3 * 19 + 258 * 7 bits

CTV_HOST_DEVICE constexpr uint8_t fixed_length(uint32_t symbol) {
  return symbol < 144 || symbol >= 280 ? 8 : (symbol < 256 ? 9 : 7);
}

/// Symbol of the code length code at a place of the block header.
CTV_HOST_DEVICE constexpr uint32_t length_symbol_at(uint32_t place) {
  constexpr uint8_t kOrder[kLengthSymbols] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
  return kOrder[place];
}

CTV_HOST_DEVICE constexpr uint32_t reverse_bits(uint32_t code, uint32_t length) {
  uint32_t reversed = 0;
  for (uint32_t i = 0; i < length; ++i) reversed |= (code >> i & 1U) << (length - 1 - i);
  return reversed;
}

/// codes[length]: first code of each length 1..15; has 16 elements.
CTV_HOST_DEVICE void first_codes(const uint8_t* lengths, uint32_t symbols, uint32_t* codes) {
  for (uint32_t i = 0; i < 16; ++i) codes[i] = 0;
  for (uint32_t s = 0; s < symbols; ++s) ++codes[lengths[s]];
  codes[0] = 0;
  uint32_t code = 0;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t count = codes[i];
    codes[i] = code;
    code = (code + count) << 1;
  }
}

/// codes[symbol]: length << 16 | code, first bit lowest; 0 for a symbol of length 0. Lengths are at most 15.
CTV_HOST_DEVICE void make_codes(const uint8_t* lengths, uint32_t symbols, uint32_t* codes) {
  uint32_t next[16];
  first_codes(lengths, symbols, next);
  for (uint32_t s = 0; s < symbols; ++s) {
    const uint32_t length = lengths[s];
    codes[s] = length == 0 ? 0 : length << 16 | reverse_bits(next[length]++, length);
  }
}

/// Writes bits, lowest first, to words that are initially 0.
struct BitWords {
  uint32_t* words;
  uint32_t bits = 0;

  /// value < 2^count, count <= 16.
  CTV_HOST_DEVICE void put(uint32_t value, uint32_t count) {
    const uint32_t at = bits & 31U;
    words[bits >> 5] |= value << at;
    if (at + count > 32) words[(bits >> 5) + 1] |= value >> (32 - at);
    bits += count;
  }
};

/// A block's code and header.
struct DeflateBlock {
  uint8_t lengths[kDeflateSymbols];  // of all symbols
  uint32_t header[kBlockHeaderWords];
  uint32_t header_bits;
};

/// Scratch memory of make_block().
struct BlockScratch {
  uint16_t tokens[kCodedSymbols + 1];  // code length symbol | extra bits << 8
  uint32_t keys[kLengthSymbols], counts[kLengthSymbols], codes[kLengthSymbols];
  uint8_t lengths[kLengthSymbols];
};

/// Calls put(symbol, extra bits) to code `run` equal lengths: the length itself, repetitions (16), zeros (17,
/// 18).
template <typename Put>
CTV_HOST_DEVICE void for_length_tokens(uint32_t length, uint32_t run, Put put) {
  if (length != 0) {
    put(length, 0U);
    --run;
  }
  const uint32_t most = length != 0 ? 6 : 138;
  while (run >= 3) {
    const uint32_t take = min_of(run, most);
    const uint32_t symbol = length != 0 ? 16 : (take > 10 ? 18 : 17);
    put(symbol, take - (symbol == 18 ? 11 : 3));
    run -= take;
  }
  for (; run > 0; --run) put(length, 0U);
}

/// Finds the code length symbols of all lengths and returns their number.
CTV_HOST_DEVICE uint32_t find_length_tokens(const uint8_t* lengths, uint16_t* tokens) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < kCodedSymbols;) {
    const uint32_t length = lengths[s];
    uint32_t end = s + 1;
    while (end < kCodedSymbols && lengths[end] == length) ++end;
    for_length_tokens(length, end - s, [&](uint32_t symbol, uint32_t extra) {
      tokens[count++] = static_cast<uint16_t>(symbol | extra << 8);
    });
    s = end;
  }
  tokens[count++] = 0;  // the only distance code has length 0
  return count;
}
CTV_HOST_DEVICE constexpr uint32_t token_extra_bits(uint32_t symbol) {
  return symbol < 16 ? 0 : (symbol == 16 ? 2 : (symbol == 17 ? 3 : 7));
}

CTV_HOST_DEVICE void put_dynamic_header(bool last, DeflateBlock& block, BlockScratch& scratch) {
  const uint32_t tokens = find_length_tokens(block.lengths, scratch.tokens);
  for (uint32_t s = 0; s < kLengthSymbols; ++s) {
    scratch.counts[s] = 0;
    scratch.lengths[s] = 0;
  }
  for (uint32_t i = 0; i < tokens; ++i) ++scratch.counts[scratch.tokens[i] & 255U];
  uint32_t keys = 0;
  for (uint32_t s = 0; s < kLengthSymbols; ++s) {
    if (scratch.counts[s] == 0) continue;
    const uint32_t key = weight_key(scratch.counts[s], 0, s);
    uint32_t at = keys++;
    for (; at > 0 && scratch.keys[at - 1] > key; --at) scratch.keys[at] = scratch.keys[at - 1];
    scratch.keys[at] = key;
  }
  huffman_lengths(scratch.keys, keys, kMostLengthBits, scratch.lengths);
  make_codes(scratch.lengths, kLengthSymbols, scratch.codes);
  uint32_t sent = kLengthSymbols;
  while (scratch.lengths[length_symbol_at(sent - 1)] == 0) --sent;

  for (uint32_t& word : block.header) word = 0;
  BitWords bits{block.header};
  bits.put((last ? 1 : 0) | 2U << 1, 3);
  bits.put(0, 5);  // 257 symbols
  bits.put(0, 5);  // one distance code, of length 0
  bits.put(sent - 4, 4);
  for (uint32_t i = 0; i < sent; ++i) bits.put(scratch.lengths[length_symbol_at(i)], 3);
  for (uint32_t i = 0; i < tokens; ++i) {
    const uint32_t symbol = scratch.tokens[i] & 255U;
    bits.put(scratch.codes[symbol] & 0xffffU, scratch.codes[symbol] >> 16);
    bits.put(scratch.tokens[i] >> 8, token_extra_bits(symbol));
  }
  block.header_bits = bits.bits;
}

/// Makes the block's header. counts: of the 257 symbols; 1 for the end of the block, and at least one other
/// is not 0. block.lengths: those of the best code, 0 for all other symbols; replaced by the fixed code
/// unless that is longer.
CTV_HOST_DEVICE void make_block(const uint32_t* counts, bool last, DeflateBlock& block,
                                BlockScratch& scratch) {
  put_dynamic_header(last, block, scratch);
  uint64_t dynamic = block.header_bits;
  uint64_t fixed = 3;
  for (uint32_t s = 0; s < kCodedSymbols; ++s) {
    dynamic += uint64_t{counts[s]} * block.lengths[s];
    fixed += uint64_t{counts[s]} * fixed_length(s);
  }
  if (dynamic < fixed) return;
  for (uint32_t s = 0; s < kDeflateSymbols; ++s) block.lengths[s] = fixed_length(s);
  for (uint32_t& word : block.header) word = 0;
  block.header[0] = (last ? 1 : 0) | 1U << 1;
  block.header_bits = 3;
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/huffman_writer.hpp"

#include <algorithm>
#include <bit>

#include "codec/entropy/huffman_code.hpp"

namespace ctv {

// A dynamic block: lengths of the literals' codes, and how the head of the block says them.
struct HuffmanWriter::Plan {
  std::array<uint8_t, kLiteralCodes> lengths;
  struct Token {
    uint8_t code;  // of the code length alphabet
    uint8_t repeat;
  };
  std::array<Token, kLiteralCodes + 1>
      tokens;  // the last length is that of the one distance code, 0: not used
  size_t token_count;
  std::array<uint8_t, kCodeLengthCodes> token_lengths;
  int token_codes;  // of them written
  uint64_t bits;    // of the whole block

  void make(const HuffmanTree& tree, std::span<const uint32_t, kLiteralCodes> counts, int limit);
  void make_tokens(std::span<uint32_t, kCodeLengthCodes> counts);
};

namespace {

constexpr int kStored = 0;
constexpr int kFixed = 1;
constexpr int kDynamic = 2;
constexpr int kEndOfBlock = 256;

// Bits of repeat count behind a code of the code length alphabet.
constexpr int repeat_bits(int code) { return code < 16 ? 0 : (code == 16 ? 2 : (code == 17 ? 3 : 7)); }

uint8_t fixed_length(int symbol) { return symbol < 144 ? 8 : (symbol < kEndOfBlock ? 9 : 7); }

void count_symbols(std::span<const uint8_t> symbols, std::span<uint32_t, kLiteralCodes> counts) {
  // Two histograms, so that equal neighbours need not wait for each other.
  std::array<uint32_t, 256> odd{};
  std::fill(counts.begin(), counts.end(), 0U);
  size_t i = 0;
  for (; i + 2 <= symbols.size(); i += 2) {
    ++counts[symbols[i]];
    ++odd[symbols[i + 1]];
  }
  if (i < symbols.size()) ++counts[symbols[i]];
  for (size_t s = 0; s < odd.size(); ++s) counts[s] += odd[s];
  counts[kEndOfBlock] = 1;
}

}  // namespace

void HuffmanWriter::Plan::make_tokens(std::span<uint32_t, kCodeLengthCodes> counts) {
  std::array<uint8_t, kLiteralCodes + 1> sequence;
  std::copy(lengths.begin(), lengths.end(), sequence.begin());
  sequence.back() = 0;
  token_count = 0;
  std::fill(counts.begin(), counts.end(), 0U);
  const auto add = [&](int code, size_t repeat) {
    tokens[token_count++] = {static_cast<uint8_t>(code), static_cast<uint8_t>(repeat)};
    ++counts[static_cast<size_t>(code)];
  };
  for (size_t i = 0; i < sequence.size();) {
    const uint8_t length = sequence[i];
    size_t run = 1;
    while (i + run < sequence.size() && sequence[i + run] == length) ++run;
    i += run;
    if (length == 0) {
      for (size_t n = 0; run >= 11; run -= n) add(18, (n = std::min<size_t>(run, 138)) - 11);
      if (run >= 3) {
        add(17, run - 3);
        run = 0;
      }
    } else {
      add(length, 0);
      --run;
      for (size_t n = 0; run >= 3; run -= n) {
        n = std::min<size_t>(run, 6);
        if (run - n > 0 && run - n < 3 && run > 6)
          n = run - 3 > 6 ? 6 : run - 3;  // leave a run that can be said
        add(16, n - 3);
      }
    }
    for (; run > 0; --run) add(length, 0);
  }
}

void HuffmanWriter::Plan::make(const HuffmanTree& tree, std::span<const uint32_t, kLiteralCodes> counts,
                               int limit) {
  tree.lengths(limit, lengths);
  std::array<uint32_t, kCodeLengthCodes> token_counts;
  make_tokens(token_counts);
  HuffmanTree(token_counts).lengths(kMaxCodeLengthLength, token_lengths);
  token_codes = kCodeLengthCodes;
  while (token_codes > 4 && token_lengths[kCodeLengthOrder[static_cast<size_t>(token_codes - 1)]] == 0)
    --token_codes;
  bits = 3 + 5 + 5 + 4 + 3 * static_cast<uint64_t>(token_codes);
  for (size_t c = 0; c < kCodeLengthCodes; ++c) {
    bits += uint64_t{token_counts[c]} *
            static_cast<uint64_t>(token_lengths[c] + repeat_bits(static_cast<int>(c)));
  }
  for (size_t s = 0; s < kLiteralCodes; ++s) bits += uint64_t{counts[s]} * lengths[s];
}

// Shorter limits cost body and may save more head: walk down while it pays.
void HuffmanWriter::plan(std::span<const uint32_t, kLiteralCodes> counts, Plan& best) {
  constexpr uint64_t kPatience = 40;  // bits by which a limit may lose before the search ends
  const HuffmanTree tree(counts);
  const int first = std::min(kMaxLiteralLength, tree.depth());
  best.make(tree, counts, first);
  for (int limit = first - 1; limit >= 3 && 1 << limit >= tree.used(); --limit) {
    Plan candidate;
    candidate.make(tree, counts, limit);
    if (candidate.bits < best.bits) {
      best = candidate;
    } else if (candidate.bits > best.bits + kPatience) {
      break;
    }
  }
}

void HuffmanWriter::write_head(const Plan& plan) {
  bits_.put(kLiteralCodes - 257U, 5);
  bits_.put(0, 5);  // one distance code
  bits_.put(static_cast<uint32_t>(plan.token_codes - 4), 4);
  for (size_t i = 0; i < static_cast<size_t>(plan.token_codes); ++i) {
    bits_.put(plan.token_lengths[kCodeLengthOrder[i]], 3);
  }
  std::array<uint16_t, kCodeLengthCodes> codes;
  canonical_codes(plan.token_lengths, codes);
  for (size_t i = 0; i < plan.token_count; ++i) {
    const Plan::Token t = plan.tokens[i];
    const int length = plan.token_lengths[t.code];
    bits_.put(codes[t.code] | uint64_t{t.repeat} << length, length + repeat_bits(t.code));
  }
}

void HuffmanWriter::write_symbols(std::span<const uint8_t> symbols, std::span<const uint8_t> lengths) {
  std::array<uint16_t, kMaxHuffmanSymbols>
      codes;  // those of the fixed code depend on codes behind the literals, too
  canonical_codes(lengths, codes);
  std::array<uint32_t, kLiteralCodes> table;  // code and length side by side
  for (size_t s = 0; s < kLiteralCodes; ++s) table[s] = static_cast<uint32_t>(codes[s] << 8 | lengths[s]);
  size_t i = 0;
  for (; i + 4 <= symbols.size(); i += 4) {  // four codes of at most 12 bits at once
    uint64_t four = 0;
    int length = 0;
    for (size_t j = 0; j < 4; ++j) {
      const uint32_t entry = table[symbols[i + j]];
      four |= uint64_t{entry >> 8} << length;
      length += static_cast<int>(entry & 255U);
    }
    bits_.put(four, length);
  }
  for (; i < symbols.size(); ++i) bits_.put(codes[symbols[i]], lengths[symbols[i]]);
  bits_.put(codes[kEndOfBlock], lengths[kEndOfBlock]);
}

void HuffmanWriter::literals(std::span<const uint8_t> symbols) {
  constexpr size_t kMostBitsPerSymbol = 12;
  constexpr size_t kMostHead = 400;  // bytes: 258 lengths of at most 7 + 7 bits, and what announces them
  bits_.reserve(symbols.size() * kMostBitsPerSymbol / 8 + kMostHead + 64);
  if (symbols.empty()) {
    bits_.put(kFixed << 1, 3);
    bits_.put(0, 7);
    return;
  }
  std::array<uint32_t, kLiteralCodes> counts;
  count_symbols(symbols, counts);
  Plan dynamic;
  plan(counts, dynamic);
  uint64_t fixed_bits = 3;
  for (int s = 0; s < kLiteralCodes; ++s)
    fixed_bits += uint64_t{counts[static_cast<size_t>(s)]} * fixed_length(s);
  if (fixed_bits <= dynamic.bits) {
    std::array<uint8_t, kMaxHuffmanSymbols> lengths;
    for (int s = 0; s < kMaxHuffmanSymbols; ++s) {
      lengths[static_cast<size_t>(s)] = s < 280 ? fixed_length(s) : uint8_t{8};
    }
    bits_.put(kFixed << 1, 3);
    write_symbols(symbols, lengths);
  } else {
    bits_.put(kDynamic << 1, 3);
    write_head(dynamic);
    write_symbols(symbols, dynamic.lengths);
  }
}

size_t HuffmanWriter::finish(std::span<const uint8_t> raw) {
  bits_.reserve(raw.size() + (raw.size() / kMaxStored + 1) * 5 + 16);
  size_t at = 0;
  for (;;) {
    const size_t size = std::min(raw.size() - at, kMaxStored);
    const bool last = at + size == raw.size();
    bits_.put((last ? 1U : 0U) | kStored << 1, 3);
    bits_.align();
    bits_.put(size | (~size & 0xffffU) << 16, 32);
    const size_t begin = bits_.size();
    std::copy_n(raw.data() + at, size, out_.data() + begin);
    bits_.start(begin + size);
    at += size;
    if (last) return begin + size;
  }
}

}  // namespace ctv

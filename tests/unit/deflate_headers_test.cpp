// SPDX-License-Identifier: BSD-3-Clause
// Headers of DEFLATE blocks (docs/bitstream.md, 6.1): a sound one gives its code, and one fault of any kind
// is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "codec/model/deflate_tables.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;
using test::Random;

class BitWriter {
 public:
  void put(uint32_t value, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, ++bits_) {
      if (bits_ % 8 == 0) bytes.push_back(0);
      bytes.back() = static_cast<uint8_t>(bytes.back() | (value >> i & 1U) << (bits_ % 8));
    }
  }
  Bytes bytes;

 private:
  size_t bits_ = 0;
};

struct Token {
  uint32_t symbol, extra = 0;
};

/// What a header says, right or wrong.
struct Header {
  uint32_t last = 1, type = 2, literals = 0, distances = 0;
  std::vector<uint8_t> lengths_of_lengths = std::vector<uint8_t>(kLengthSymbols);
  std::vector<Token> tokens;

  explicit Header(const std::vector<uint8_t>& lengths) {
    for (uint32_t s = 0; s < kLengthSymbols; ++s) lengths_of_lengths[s] = s < 13 ? 4 : 5;  // complete
    for (const uint8_t length : lengths) tokens.push_back({length});
    tokens.push_back({0});  // the distance
  }
  BitWriter written() const {
    BitWriter w;
    w.put(last, 1);
    w.put(type, 2);
    w.put(literals, 5);
    w.put(distances, 5);
    w.put(kLengthSymbols - 4, 4);
    for (uint32_t i = 0; i < kLengthSymbols; ++i) w.put(lengths_of_lengths[length_symbol_at(i)], 3);
    uint32_t codes[kLengthSymbols];
    make_codes(lengths_of_lengths.data(), kLengthSymbols, codes);
    for (const Token& t : tokens) {
      w.put(codes[t.symbol] & 0xffffU, codes[t.symbol] >> 16);
      w.put(t.extra, token_extra_bits(t.symbol));
    }
    return w;
  }
  bool sound() const {
    const Bytes bytes = written().bytes;
    DeflateBits bits(bytes);
    DeflateCode code;
    return read_block_header(bits, true, code);
  }
};

// A complete code of some symbols with at most `most` bits, the end of the block among them.
std::vector<uint8_t> some_code(Random& random, int most) {
  std::vector<uint8_t> leaves = {1, 1};
  const auto wanted = static_cast<size_t>(random.between(2, std::min(1 << most, 257)));
  while (leaves.size() < wanted) {
    uint8_t& leaf = leaves[static_cast<size_t>(random.between(0, static_cast<int>(leaves.size()) - 1))];
    if (leaf < most) {
      ++leaf;
      leaves.push_back(leaf);
    }
  }
  std::vector<uint8_t> lengths(kCodedSymbols);
  std::vector<size_t> symbols(kEndOfBlock);
  std::iota(symbols.begin(), symbols.end(), size_t{0});
  lengths[kEndOfBlock] = leaves[0];
  for (size_t i = 1; i < leaves.size(); ++i) {
    const auto at = static_cast<size_t>(random.between(static_cast<int>(i) - 1, kEndOfBlock - 1));
    std::swap(symbols[i - 1], symbols[at]);
    lengths[symbols[i - 1]] = leaves[i];
  }
  return lengths;
}

// Checks the codes of all symbols, and the end of the block, right and wrong.
void expect_code(const Bytes& header, size_t symbols, const uint8_t* lengths) {
  DeflateBits bits(header);
  DeflateCode code;
  ASSERT_TRUE(read_block_header(bits, true, code));
  ASSERT_TRUE(std::equal(lengths, lengths + symbols, code.lengths.begin()));
  ASSERT_EQ(code.bits, *std::max_element(lengths, lengths + symbols));
  std::vector<uint32_t> codes(symbols);
  make_codes(lengths, static_cast<uint32_t>(symbols), codes.data());
  DeflateTable<kMostCodeBits> table;
  table.make(code.lengths.data(), kDeflateSymbols, code.counts, code.bits,
             [](uint32_t e) { return static_cast<uint16_t>(e); });
  ASSERT_EQ(table.bits, code.bits);
  for (uint32_t s = 0; s < symbols; ++s) {
    if (lengths[s] == 0) continue;
    BitWriter own;
    own.put(codes[s] & 0xffffU, lengths[s]);
    DeflateBits of_own(own.bytes);
    ASSERT_EQ(table.take(of_own), s << 4 | lengths[s]);
    ASSERT_EQ(of_own.at(), lengths[s]);
    DeflateBits again(own.bytes);
    ASSERT_EQ(code.take_end(again), s == kEndOfBlock) << s;
  }
}

TEST(DeflateHeaders, GiveTheirCode) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<uint8_t> lengths = some_code(random, random.between(1, kMostCodeBits));
    ASSERT_NO_FATAL_FAILURE(expect_code(Header(lengths).written().bytes, lengths.size(), lengths.data()));
  }
  BitWriter fixed;
  fixed.put(1, 1);
  fixed.put(1, 2);
  std::vector<uint8_t> lengths;
  for (uint32_t s = 0; s < kDeflateSymbols; ++s) lengths.push_back(fixed_length(s));
  ASSERT_NO_FATAL_FAILURE(expect_code(fixed.bytes, lengths.size(), lengths.data()));
}

TEST(DeflateHeaders, WithOneFaultAreRefused) {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<uint8_t> lengths = some_code(random, random.between(2, kMostCodeBits));
    const Header whole(lengths);
    ASSERT_TRUE(whole.sound());
    const auto refused = [&](const char* what, auto fault) {
      Header header = whole;
      fault(header);
      EXPECT_FALSE(header.sound()) << what << ", trial " << trial;
    };
    size_t used = 0;
    do {
      used = static_cast<size_t>(random.between(0, kEndOfBlock));
    } while (lengths[used] == 0);
    refused("incomplete", [&](Header& h) { ++h.tokens[used].symbol; });
    refused("overfull",
            [&](Header& h) { h.tokens[used].symbol = lengths[used] > 1U ? lengths[used] - 1U : 0U; });
    refused("an end without a code", [](Header& h) { h.tokens[kEndOfBlock].symbol = 0; });
    refused("a distance", [&](Header& h) {
      h.tokens[kCodedSymbols].symbol = static_cast<uint32_t>(random.between(1, 15));
    });
    refused("a repetition of nothing", [](Header& h) { h.tokens[0] = {16, 0}; });
    refused("a run beyond the last", [&](Header& h) {
      h.tokens[kCodedSymbols] = {static_cast<uint32_t>(random.between(17, 18)), 0};
    });
    refused("lengths whose code is incomplete", [&](Header& h) {
      ++h.lengths_of_lengths[static_cast<size_t>(random.between(0, kLengthSymbols - 1))];
    });
    refused("lengths whose code is overfull", [&](Header& h) {
      --h.lengths_of_lengths[static_cast<size_t>(random.between(0, kLengthSymbols - 1))];
    });
    refused("not the last block", [](Header& h) { h.last = 0; });
    refused("stored", [](Header& h) { h.type = 0; });
    refused("no type", [](Header& h) { h.type = 3; });
    refused("more literals", [&](Header& h) { h.literals = static_cast<uint32_t>(random.between(1, 31)); });
    refused("more distances", [&](Header& h) { h.distances = static_cast<uint32_t>(random.between(1, 31)); });
    Bytes cut = whole.written().bytes;
    cut.resize(static_cast<size_t>(random.between(0, static_cast<int>(cut.size()) - 1)));
    DeflateBits bits(cut);
    DeflateCode code;
    EXPECT_FALSE(read_block_header(bits, true, code)) << "cut, trial " << trial;
  }
}

// Codes of 13 to 15 bits are right in DEFLATE, and have no place in a table here.
TEST(DeflateHeaders, OfLongerCodesAreRefused) {
  for (uint8_t most = 11; most <= 15; ++most) {
    std::vector<uint8_t> lengths(kCodedSymbols);
    for (uint8_t length = 1; length < most; ++length) lengths[length] = length;
    lengths[most] = lengths[kEndOfBlock] = most;
    EXPECT_EQ(Header(lengths).sound(), most <= kMostCodeBits) << int{most};
  }
}

}  // namespace
}  // namespace ctv

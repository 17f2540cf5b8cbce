// SPDX-License-Identifier: BSD-3-Clause
// Blocks of literals and stored blocks: read back, and inflated by zlib to the bytes that were put in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "codec/entropy/huffman_code.hpp"
#include "codec/entropy/huffman_reader.hpp"
#include "codec/entropy/huffman_writer.hpp"
#include "codec/entropy/number_buckets.hpp"
#include "tests/support/inflate.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;
using test::Random;

// Symbols below `alphabet`, the smaller the likelier; skew 0: all alike.
Bytes random_symbols(Random& random, size_t count, int alphabet, int skew) {
  Bytes symbols(count);
  for (uint8_t& s : symbols) {
    int v = random.between(0, alphabet - 1);
    for (int i = 0; i < skew; ++i) v = std::min(v, random.between(0, alphabet - 1));
    s = static_cast<uint8_t>(v);
  }
  return symbols;
}

Bytes write(const std::vector<Bytes>& arrays, const Bytes& raw) {
  Growing<uint8_t> out;
  HuffmanWriter writer(out);
  writer.start(0);
  for (const Bytes& a : arrays) writer.literals(a);
  const size_t size = writer.finish(raw);
  return {out.data(), out.data() + size};
}

TEST(HuffmanCode, LengthsAreCompleteAndWithinTheLimit) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<uint32_t> counts(static_cast<size_t>(random.between(2, kMaxHuffmanSymbols)));
    for (uint32_t& c : counts) c = random.between(0, 3) == 0 ? 0 : 1U << random.between(0, 31);
    counts[0] = counts[1] = 1;
    const HuffmanTree tree(counts);
    const auto used = std::count_if(counts.begin(), counts.end(), [](uint32_t c) { return c != 0; });
    ASSERT_EQ(tree.used(), used);
    for (int limit = 1; limit <= kMaxCodeLength; ++limit) {
      if (int64_t{1} << limit < used) continue;
      std::vector<uint8_t> lengths(counts.size());
      tree.lengths(limit, lengths);
      uint32_t kraft = 0;
      for (size_t s = 0; s < counts.size(); ++s) {
        ASSERT_EQ(lengths[s] != 0, counts[s] != 0);
        ASSERT_LE(lengths[s], limit);
        if (lengths[s] != 0) kraft += 1U << (limit - lengths[s]);
        for (size_t r = 0; r < s; ++r) {
          if (counts[r] != 0 && counts[s] > counts[r]) {
            ASSERT_LE(lengths[s], lengths[r]);
          }
        }
      }
      ASSERT_EQ(kraft, 1U << limit) << "limit " << limit;
    }
  }
}

TEST(HuffmanCode, LengthsWithoutALimitAreOptimal) {
  // Fibonacci's numbers make the deepest tree; equal counts the flattest.
  const std::vector<uint32_t> fibonacci = {1, 1, 2, 3, 5, 8, 13, 21};
  std::vector<uint8_t> lengths(8);
  HuffmanTree(fibonacci).lengths(15, lengths);
  EXPECT_EQ(lengths, (std::vector<uint8_t>{7, 7, 6, 5, 4, 3, 2, 1}));
  HuffmanTree(std::vector<uint32_t>(8, 5)).lengths(15, lengths);
  EXPECT_EQ(lengths, std::vector<uint8_t>(8, 3));
}

TEST(HuffmanBlocks, ReadBackAndInflateToTheirSymbols) {
  Random random(2);
  HuffmanReader reader;
  Growing<uint8_t> joined;
  for (int trial = 0; trial < 400; ++trial) {
    const int alphabet = random.between(1, 256);
    std::vector<Bytes> arrays(static_cast<size_t>(random.between(0, 4)));
    Bytes all;
    for (Bytes& a : arrays) {
      const int size = random.between(0, 3);
      a = random_symbols(random,
                         static_cast<size_t>(random.between(0, size == 0   ? 3
                                                               : size == 1 ? 40
                                                                           : 20000)),
                         alphabet, random.between(0, 12));
      all.insert(all.end(), a.begin(), a.end());
    }
    const Bytes raw =
        random_symbols(random, static_cast<size_t>(random.between(0, 1) * random.between(0, 140000)), 256, 0);
    all.insert(all.end(), raw.begin(), raw.end());
    const Bytes stream = write(arrays, raw);
    const auto inflated = test::inflate(stream);
    ASSERT_TRUE(inflated.has_value());
    ASSERT_EQ(*inflated, all);
    reader.start(stream);
    for (const Bytes& a : arrays) {
      Bytes out(a.size() + static_cast<size_t>(random.between(0, 5)));
      size_t count = 0;
      ASSERT_TRUE(reader.literals(alphabet, out, count));
      ASSERT_EQ(Bytes(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count)), a);
    }
    std::span<const uint8_t> read;
    ASSERT_TRUE(reader.finish(joined, read));
    ASSERT_TRUE(std::ranges::equal(read, raw));
  }
}

TEST(HuffmanBlocks, AreNearTheEntropy) {
  Random random(3);
  const Bytes symbols = random_symbols(random, 100000, 81, 9);
  std::array<double, 256> counts{};
  for (const uint8_t s : symbols) counts[s] += 1;
  double bits = 0;
  for (const double c : counts) bits -= c > 0 ? c * std::log2(c / 100000) : 0;
  EXPECT_LT(static_cast<double>(write({symbols}, {}).size()), bits / 8 * 1.03 + 80);
}

TEST(HuffmanBlocks, OneSymbolTooManyOrTooLargeIsRefused) {
  for (const size_t count : {1U, 2U, 3U, 4U, 5U, 8U, 100U}) {
    const Bytes symbols(count, 7);
    const Bytes stream = write({symbols}, {});
    HuffmanReader reader;
    Bytes out(count);
    size_t got = 0;
    reader.start(stream);
    EXPECT_TRUE(reader.literals(8, out, got));
    reader.start(stream);
    EXPECT_FALSE(reader.literals(7, out, got));
    reader.start(stream);
    EXPECT_FALSE(reader.literals(8, std::span(out).first(count - 1), got));
  }
}

TEST(HuffmanBlocks, MatchesOfOtherWritersAreRefused) {
  Bytes in(2000, 3);
  Bytes stream(3000);
  z_stream z{};
  ASSERT_EQ(deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = in.data();
  z.avail_in = static_cast<unsigned>(in.size());
  z.next_out = stream.data();
  z.avail_out = static_cast<unsigned>(stream.size());
  ASSERT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  stream.resize(z.total_out);
  deflateEnd(&z);
  HuffmanReader reader;
  size_t count = 0;
  reader.start(stream);
  EXPECT_FALSE(reader.literals(256, in, count));
}

TEST(HuffmanBlocks, DamagedStreamsEndWithinTheirRoom) {
  Random random(4);
  HuffmanReader reader;
  Growing<uint8_t> joined;
  for (int trial = 0; trial < 3000; ++trial) {
    Bytes stream =
        write({random_symbols(random, 300, 81, 5), random_symbols(random, 90, 81, 2)}, Bytes(20, 1));
    for (int flips = random.between(1, 4); flips > 0; --flips) {
      stream[static_cast<size_t>(random.between(0, static_cast<int>(stream.size()) - 1))] ^= random.byte();
    }
    if (random.between(0, 2) == 0)
      stream.resize(static_cast<size_t>(random.between(0, static_cast<int>(stream.size()))));
    Bytes out(310, 0xee);
    size_t count = 0;
    std::span<const uint8_t> raw;
    reader.start(stream);
    const std::span room = std::span(out).first(300);
    if (reader.literals(81, room, count) && reader.literals(81, room, count))
      (void)reader.finish(joined, raw);
    ASSERT_EQ(Bytes(out.begin() + 300, out.end()), Bytes(10, 0xee));
  }
}

TEST(NumberBuckets, EveryNumberComesBack) {
  Random random(5);
  const auto check = [](uint32_t v) {
    const BucketedNumber n = bucket_of(v);
    ASSERT_LT(n.symbol, kRunSymbols);
    ASSERT_EQ(kBuckets[n.symbol].extra_bits, n.extra_bits);
    ASSERT_LT(n.extra, uint64_t{1} << n.extra_bits);
    ASSERT_EQ(kBuckets[n.symbol].base + n.extra, v);
  };
  for (uint32_t v = 0; v < 100000; ++v) check(v);
  for (int i = 0; i < 100000; ++i) check(static_cast<uint32_t>(random.next() >> random.between(32, 63)));
  check(UINT32_MAX);
  EXPECT_LT(bucket_of(32767).symbol, kMagnitudeSymbols);
}

}  // namespace
}  // namespace ctv

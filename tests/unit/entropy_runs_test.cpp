// SPDX-License-Identifier: BSD-3-Clause
// Runs against the document: heads and tails of every component inflate with zlib, levels come back, and any
// other bytes are refused or give levels without touching others.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "codec/entropy/run_decoder.hpp"
#include "codec/entropy/run_encoder.hpp"
#include "codec/model/huffman_lengths.hpp"
#include "codec/model/run_stream.hpp"
#include "tests/reference/run_symbols.hpp"
#include "tests/support/inflate.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;
using Levels = std::vector<Level>;

constexpr size_t kGuards = 16;

// Zeros in runs of up to `longest`, then levels up to `largest`, now and then any.
Levels mixed_levels(test::Random& random, size_t count, int longest, int largest) {
  Levels levels;
  while (levels.size() < count) {
    levels.resize(levels.size() + static_cast<size_t>(random.between(0, longest)));
    for (int values = random.between(1, 12); values > 0; --values) {
      const int most = random.between(0, 40) == 0 ? 32768 : largest;
      levels.push_back(static_cast<Level>(random.between(-most, most)));
    }
  }
  levels.resize(count);
  return levels;
}

// Levels of three planes as one component.
struct Component3 {
  std::vector<RunRange> ranges;
  std::vector<Levels> planes;

  explicit Component3(std::span<const Level> levels, size_t planes_used = 1) {
    for (size_t p = 0; p < planes_used; ++p) {
      const size_t begin = levels.size() * p / planes_used;
      const size_t end = levels.size() * (p + 1) / planes_used;
      planes.emplace_back(kGuards, Level{1234});
      planes[p].insert(planes[p].end(), levels.begin() + static_cast<std::ptrdiff_t>(begin),
                       levels.begin() + static_cast<std::ptrdiff_t>(end));
      planes[p].insert(planes[p].end(), kGuards, Level{1234});
      if (end > begin) ranges.push_back({p, kGuards, end - begin});
    }
  }
  std::vector<Level*> pointers() {
    std::vector<Level*> all;
    for (Levels& p : planes) all.push_back(p.data());
    return all;
  }
  void spoil() {
    for (const RunRange& r : ranges) std::fill_n(planes[r.plane].begin() + kGuards, r.count, Level{99});
  }
  void expect_guards() const {
    for (const Levels& p : planes) {
      ASSERT_TRUE(std::all_of(p.begin(), p.begin() + kGuards, [](Level l) { return l == 1234; }));
      ASSERT_TRUE(std::all_of(p.end() - kGuards, p.end(), [](Level l) { return l == 1234; }));
    }
  }
  Bytes encode(bool runs) {
    const std::vector<Level*> to = pointers();
    Growing<uint8_t> out;
    const size_t size = RunEncoder(ranges).encode(std::vector<const Level*>(to.begin(), to.end()), runs, out);
    return {out.data(), out.data() + size};
  }
  bool decode(const Bytes& bytes, bool runs) { return RunDecoder(ranges).decode(bytes, runs, pointers()); }
};

TEST(RunCodes, HaveTheLeastBitsWhereNoLimitIsReachedAndAreComplete) {
  test::Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto symbols = static_cast<uint32_t>(random.between(2, 257));
    std::vector<uint64_t> counts(symbols);
    uint64_t sum = 0;
    for (uint64_t& c : counts)
      sum += c = static_cast<uint64_t>(1 + (random.between(0, 1 << 20) >> random.between(0, 20)));
    const uint32_t shift = weight_shift(sum);
    std::vector<uint32_t> keys;
    for (uint32_t s = 0; s < symbols; ++s) keys.push_back(weight_key(counts[s], shift, s));
    std::sort(keys.begin(), keys.end());
    // Sums of pairs are the bits of the best code.
    std::vector<uint64_t> heap;
    for (const uint32_t k : keys) heap.push_back(k >> kSymbolBits);
    std::vector<uint64_t> weights(symbols);
    for (const uint32_t k : keys) weights[k & kSymbolMask] = k >> kSymbolBits;
    uint64_t best = 0;
    while (heap.size() > 1) {
      std::sort(heap.begin(), heap.end());
      const uint64_t pair = heap[0] + heap[1];
      best += pair;
      heap.erase(heap.begin(), heap.begin() + 2);
      heap.push_back(pair);
    }
    for (const uint32_t limit : {9U, 12U, 15U}) {
      std::vector<uint8_t> lengths(symbols);
      auto copy = keys;
      huffman_lengths(copy.data(), symbols, limit, lengths.data());
      uint32_t used = 0;
      uint64_t bits = 0;
      for (uint32_t s = 0; s < symbols; ++s) {
        ASSERT_GE(lengths[s], 1);
        ASSERT_LE(lengths[s], limit);
        used += (1U << 15) >> lengths[s];
        bits += weights[s] * lengths[s];
      }
      ASSERT_EQ(used, 1U << 15);
      if (*std::max_element(lengths.begin(), lengths.end()) < limit) {
        ASSERT_EQ(bits, best);
      }
      ASSERT_GE(bits, best);
    }
    if (trial > 300) trial += 9;
  }
}

TEST(Runs, AreThoseOfTheDocumentAndComeBack) {
  test::Random random(2);
  for (int trial = 0; trial < 800; ++trial) {
    const int count = random.between(0, trial % 8 == 0 ? 9000 : 300);
    Levels levels = mixed_levels(random, static_cast<size_t>(count), 1 << random.between(0, 12),
                                 1 << random.between(0, 9));
    if (trial % 3 == 0 && count > 2048) std::fill_n(levels.begin(), 2048, Level{0});
    if (trial % 50 == 1) std::fill(levels.begin(), levels.end(), Level{0});
    Component3 component(levels, static_cast<size_t>(random.between(1, 3)));
    for (const bool runs : {true, false}) {
      const Bytes bytes = component.encode(runs);
      reference::RunSymbols symbols;
      for (size_t i = 0; i < levels.size(); i += kRunChunk) {
        reference::add_chunk(
            symbols, std::span(levels).subspan(i, std::min<size_t>(kRunChunk, levels.size() - i)), runs);
      }
      ASSERT_EQ(bytes.empty(), symbols.heads.empty());
      if (!bytes.empty()) {
        std::vector<RunChunkBits> chunks(run_chunks(levels.size()));
        const size_t index = read_run_index(bytes, chunks);
        ASSERT_GT(index, 0U);
        const auto inflated = test::inflate(std::span(bytes).subspan(index));
        ASSERT_TRUE(inflated.has_value());
        Bytes expected = symbols.heads;
        expected.insert(expected.end(), symbols.tails.begin(), symbols.tails.end());
        ASSERT_EQ(*inflated, expected);
      }
      const Component3 original = component;
      component.spoil();
      ASSERT_TRUE(component.decode(bytes, runs));
      ASSERT_EQ(component.planes, original.planes);
    }
  }
}

// A level of two bytes, whose second is changed to 0.
TEST(Runs, AZeroInTwoBytesIsALevel) {
  Component3 component(Levels{-64});
  const Bytes bytes = component.encode(true);
  int zeros = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes changed = bytes;
    changed[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
    component.spoil();
    if (component.decode(changed, true) && component.planes[0][kGuards] == 0) ++zeros;
  }
  EXPECT_EQ(zeros, 1);
}

TEST(Runs, EveryByteCounts) {
  test::Random random(3);
  Component3 component(mixed_levels(random, 5000, 60, 200), 2);
  for (const bool runs : {true, false}) {
    const Bytes bytes = component.encode(runs);
    const Component3 original = component;
    for (size_t size = 1; size < bytes.size(); ++size) {
      ASSERT_FALSE(component.decode({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, runs))
          << size;
    }
    Bytes longer = bytes;
    longer.push_back(0);
    ASSERT_FALSE(component.decode(longer, runs));
    // The pad bits of the last byte are 0. Any other change is refused, or changes levels.
    for (size_t bit = 0; bit < 8 * bytes.size(); bit += 1 + bit / 400) {
      Bytes damaged = bytes;
      damaged[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
      component.spoil();
      if (component.decode(damaged, runs)) {
        ASSERT_NE(component.planes, original.planes) << bit;
      }
      component.expect_guards();
    }
    component = original;
  }
}

TEST(Runs, AnyBytesStayWithinTheLevels) {
  test::Random random(4);
  Component3 component(mixed_levels(random, 7000, 300, 300), 3);
  for (int trial = 0; trial < 4000; ++trial) {
    const bool runs = random.between(0, 1) != 0;
    Bytes bytes;
    if (trial % 2 == 0) {
      bytes.resize(static_cast<size_t>(random.between(1, 400)));
      std::generate(bytes.begin(), bytes.end(), [&] { return random.byte(); });
    } else {
      bytes = Component3(mixed_levels(random, 7000, 300, 300), 1).encode(random.between(0, 1) != 0);
      for (int flips = random.between(1, 6); flips > 0; --flips) {
        bytes[static_cast<size_t>(random.between(0, static_cast<int>(bytes.size()) - 1))] ^=
            static_cast<uint8_t>(1 << random.between(0, 7));
      }
    }
    (void)component.decode(bytes, runs);
    component.expect_guards();
  }
}

}  // namespace
}  // namespace ctv

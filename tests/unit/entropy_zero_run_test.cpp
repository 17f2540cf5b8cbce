// SPDX-License-Identifier: BSD-3-Clause
// Runs of zeros against the document: all mixtures of runs and levels at every position of a batch of eight,
// and bytes that end early or have invalid numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codec/entropy/zero_run.hpp"
#include "tests/reference/zero_runs.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kGuards = 16;

// Zeros in runs of up to `longest`, then levels up to `largest`, now and then any.
std::vector<Level> mixed_levels(test::Random& random, int count, int longest, int largest) {
  std::vector<Level> levels;
  while (levels.size() < static_cast<size_t>(count)) {
    levels.resize(levels.size() + static_cast<size_t>(random.between(0, longest)));
    for (int values = random.between(1, 12); values > 0; --values) {
      const int most = random.between(0, 40) == 0 ? 32767 : largest;
      levels.push_back(static_cast<Level>(random.between(-most, most)));
    }
  }
  levels.resize(static_cast<size_t>(count));
  return levels;
}

TEST(ZeroRuns, AreThoseOfTheDocumentAndComeBack) {
  test::Random random(1);
  for (int trial = 0; trial < 4000; ++trial) {
    const int count = random.between(0, trial % 50 == 0 ? 3000 : 80);
    const auto levels = mixed_levels(random, count, 1 << random.between(0, 9), 1 << random.between(0, 9));
    for (const bool runs : {true, false}) {
      Bytes expected;
      reference::append_zero_runs(expected, levels, runs);
      Bytes bytes(zero_run_bound(levels.size()) + kGuards, uint8_t{77});
      const size_t size = encode_zero_runs(levels, runs, bytes.data());
      ASSERT_TRUE(std::all_of(bytes.end() - kGuards, bytes.end(), [](uint8_t b) { return b == 77; }));
      bytes.resize(size);
      ASSERT_EQ(bytes, expected) << count << (runs ? " with runs" : "");

      // Something else follows.
      bytes.insert(bytes.end(), {1, 0, 3, 200, 5, 0, 7, 8, 9});
      std::vector<Level> back(levels.size() + kGuards, Level{1234});
      size_t used = 0;
      ASSERT_TRUE(decode_zero_runs(bytes, used, runs, std::span(back).first(levels.size())));
      EXPECT_EQ(used, size);
      ASSERT_TRUE(std::all_of(back.end() - kGuards, back.end(), [](Level l) { return l == 1234; }));
      back.resize(levels.size());
      ASSERT_EQ(back, levels);
    }
  }
}

TEST(ZeroRuns, BytesThatEndEarlyAreRefused) {
  test::Random random(2);
  const auto levels = mixed_levels(random, 300, 200, 200);
  for (const bool runs : {true, false}) {
    Bytes bytes;
    reference::append_zero_runs(bytes, levels, runs);
    std::vector<Level> back(levels.size());
    for (size_t size = 0; size < bytes.size(); ++size) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      size_t used = 0;
      ASSERT_FALSE(decode_zero_runs(cut, used, runs, back)) << size;
    }
  }
}

TEST(ZeroRuns, RunsBeyondTheEndAndNumbersOutOfRangeAreRefused) {
  const std::vector<Bytes> damaged = {
      {1, 0, 19},                            // 20 zeros where 19 levels are left
      {0, 255, 255, 255, 255, 255, 1},       // a number of more than five bytes
      {0, 255, 255, 255, 255, 127},          // of more than 32 bits
      {0x80, 0x80, 4, 1, 1, 1, 1, 1, 1, 1},  // 65536
  };
  for (Bytes bytes : damaged) {
    bytes.resize(40, uint8_t{1});
    std::vector<Level> levels(20 + kGuards, Level{1234});
    size_t used = 0;
    EXPECT_FALSE(decode_zero_runs(bytes, used, true, std::span(levels).first(20)));
    EXPECT_TRUE(std::all_of(levels.end() - kGuards, levels.end(), [](Level l) { return l == 1234; }));
  }
}

}  // namespace
}  // namespace ctv

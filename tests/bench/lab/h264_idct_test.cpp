// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/h264_idct/h264_idct.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/reference/grid.hpp"
#include "tests/support/random.hpp"

namespace ctv::lab {
namespace {

// Blocks whose magnitudes sum up to what is allowed.
std::vector<int16_t> wild_blocks(int size, int count, uint64_t seed) {
  test::Random random(seed);
  std::vector<int16_t> blocks(static_cast<size_t>(size) * static_cast<size_t>(size) *
                              static_cast<size_t>(count));
  for (int b = 0; b < count; ++b) {
    int16_t* block = blocks.data() + b * size * size;
    int left = kMaxBlockSum;
    for (int n = random.between(1, size * size); n > 0 && left > 0; --n) {
      int16_t& place = block[random.between(0, size * size - 1)];
      if (place != 0) continue;
      const int magnitude = random.between(1, left);
      place = static_cast<int16_t>(random.between(0, 1) == 0 ? magnitude : -magnitude);
      left -= magnitude;
    }
  }
  return blocks;
}

using Line = std::vector<int64_t>;
using reference::floor_shift;

Line inverse_4(const Line& w) {
  const int64_t e0 = w[0] + w[2];
  const int64_t e1 = w[0] - w[2];
  const int64_t e2 = floor_shift(w[1], 1) - w[3];
  const int64_t e3 = w[1] + floor_shift(w[3], 1);
  return {e0 + e3, e1 + e2, e1 - e2, e0 - e3};
}

Line inverse_8(const Line& d) {
  const Line e = {d[0] + d[4],
                  -d[3] + d[5] - d[7] - floor_shift(d[7], 1),
                  d[0] - d[4],
                  d[1] + d[7] - d[3] - floor_shift(d[3], 1),
                  floor_shift(d[2], 1) - d[6],
                  -d[1] + d[7] + d[5] + floor_shift(d[5], 1),
                  d[2] + floor_shift(d[6], 1),
                  d[3] + d[5] + d[1] + floor_shift(d[1], 1)};
  const Line f = {e[0] + e[6], e[1] + floor_shift(e[7], 2), e[2] + e[4], e[3] + floor_shift(e[5], 2),
                  e[2] - e[4], floor_shift(e[3], 2) - e[5], e[0] - e[6], e[7] - floor_shift(e[1], 2)};
  return {f[0] + f[7], f[2] + f[5], f[4] + f[3], f[6] + f[1],
          f[6] - f[1], f[4] - f[3], f[2] - f[5], f[0] - f[7]};
}

// The inverse transform of a block as in the standard (8.5.12.2, 8.5.13), in 64ths of samples.
void inverse_block(reference::Grid& block) {
  const int n = block.rows;
  for (const bool columns : {false, true}) {
    for (int i = 0; i < n; ++i) {
      Line x;
      for (int j = 0; j < n; ++j) x.push_back(columns ? block.at(j, i) : block.at(i, j));
      x = n == 4 ? inverse_4(x) : inverse_8(x);
      for (int j = 0; j < n; ++j) (columns ? block.at(j, i) : block.at(i, j)) = x[static_cast<size_t>(j)];
    }
  }
}

TEST(LabH264Idct, ScalarIsTheStandards) {
  for (const int size : {4, 8}) {
    const std::vector<int16_t> blocks = wild_blocks(size, 300, 1);
    std::vector<int16_t> out(blocks.size());
    idct_scalar(size, blocks.data(), 300, out.data());
    const auto samples = static_cast<size_t>(size * size);
    for (size_t b = 0; b < blocks.size(); b += samples) {
      reference::Grid expected(size, size);
      std::copy_n(blocks.begin() + static_cast<std::ptrdiff_t>(b), samples, expected.values.begin());
      inverse_block(expected);
      for (size_t i = 0; i < samples; ++i)
        ASSERT_EQ(out[b + i], (expected.values[i] + 32) >> 6) << "size " << size << ", " << b + i;
    }
  }
}

// Every number of blocks, so that what is left over at the end is met, and every thread count.
TEST(LabH264Idct, AllImplementationsAreEqual) {
  for (const int size : {4, 8})
    for (const int count : {0, 1, 2, 3, 4, 5, 7, 8, 31, 5000}) {
      const std::vector<int16_t> blocks = wild_blocks(size, count, static_cast<uint64_t>(count + size));
      std::vector<int16_t> scalar(blocks.size()), simd(blocks.size()), parallel(blocks.size());
      idct_scalar(size, blocks.data(), count, scalar.data());
      idct_simd(size, blocks.data(), count, simd.data());
      idct_parallel(size, blocks.data(), count, parallel.data(), 3);
      EXPECT_EQ(simd, scalar) << size << ", " << count;
      EXPECT_EQ(parallel, scalar) << size << ", " << count;
    }
}

TEST(LabH264Idct, FramesHaveTheDensitiesAskedFor) {
  const Densities densities = {0.3, 0.6, 0.5};
  const MacroblockFrame frame = make_macroblocks(60, 40, densities, 7);
  size_t macroblocks8 = 0, blocks4 = 0;
  for (const uint32_t flags : frame.flags) {
    const bool is8 = (flags & MacroblockFrame::k8x8) != 0;
    macroblocks8 += is8 ? 1 : 0;
    blocks4 += is8 ? 8 : 24;
  }
  const auto [compacted4, compacted8] = compact(frame);
  EXPECT_NEAR(static_cast<double>(macroblocks8) / 2400, 0.5, 0.04);
  EXPECT_NEAR(static_cast<double>(compacted4.size()) / 16 / static_cast<double>(blocks4), 0.3, 0.02);
  EXPECT_NEAR(static_cast<double>(compacted8.size()) / 64 / static_cast<double>(4 * macroblocks8), 0.6, 0.04);
  for (size_t b = 0; b < compacted4.size(); b += 16) {
    int sum = 0;
    for (size_t i = b; i < b + 16; ++i) sum += std::abs(compacted4[i]);
    ASSERT_GT(sum, 0);
    ASSERT_LE(sum, kMaxBlockSum);
  }
}

TEST(LabH264Idct, CompactionKeepsAllThatIsNotZero) {
  const MacroblockFrame frame = make_macroblocks(9, 5, {0.2, 0.7, 0.4}, 3);
  const auto [blocks4, blocks8] = compact(frame);
  const auto nonzero = [](const std::vector<int16_t>& all) {
    return std::ranges::count_if(all, [](int v) { return v != 0; });
  };
  EXPECT_EQ(nonzero(blocks4) + nonzero(blocks8), nonzero(frame.coefficients));
}

}  // namespace
}  // namespace ctv::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/h264_idct/h264_idct.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/reference/block_transform.hpp"
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

TEST(LabH264Idct, ScalarIsTheStandards) {
  for (const int size : {4, 8}) {
    const std::vector<int16_t> blocks = wild_blocks(size, 300, 1);
    std::vector<int16_t> out(blocks.size());
    idct_scalar(size, blocks.data(), 300, out.data());
    const auto samples = static_cast<size_t>(size * size);
    for (size_t b = 0; b < blocks.size(); b += samples) {
      reference::Grid expected(size, size);
      std::copy_n(blocks.begin() + static_cast<std::ptrdiff_t>(b), samples, expected.values.begin());
      reference::inverse_block(size == 4 ? TransformKind::kH264_4x4 : TransformKind::kH264_8x8, expected);
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

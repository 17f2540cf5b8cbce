// SPDX-License-Identifier: BSD-3-Clause
// Every kernel of the lab's CUDA module against the CPU: equal where integers are computed, the paper's 50 dB
// where floats are.
#include <gtest/gtest.h>

#include "bench/lab/gpu_module.hpp"
#include "tests/support/random.hpp"

namespace ctv::lab {
namespace {

class LabCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    gpu_ = gpu_module(why);
    if (gpu_ == nullptr) GTEST_SKIP() << why;
  }
  const GpuModule* gpu_ = nullptr;
};

GrayImage picture(int width, int height) {
  test::Random random(static_cast<uint64_t>(width * height));
  GrayImage image = {width, height, {}};
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      image.samples.push_back(static_cast<uint8_t>(((r * r / 9 + 3 * c) & 127) + random.between(0, 40)));
  return image;
}

// Extents with and without whole macroblocks of 32x16 and 32x32.
constexpr int kExtents[][2] = {{8, 8}, {64, 64}, {40, 24}, {136, 72}, {512, 512}};

TEST_F(LabCuda, FloatDctIsConsistentWithTheCpu) {
  for (const DctVariant variant : {DctVariant::kDefinition, DctVariant::kSeparable})
    for (const auto& [width, height] : kExtents) {
      const GrayImage image = picture(width, height);
      DctTimes times;
      GrayImage result;
      const Status status = gpu_->dct8x8(variant, image, 1, result, times);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_GE(psnr(dct8x8_on_cpu(variant, image, 1, times), result), 50) << width << "x" << height;
    }
}

TEST_F(LabCuda, ShortDctEqualsTheCpus) {
  for (const auto& [width, height] : kExtents) {
    const GrayImage image = picture(width, height);
    DctTimes times;
    GrayImage result;
    const Status status = gpu_->dct8x8(DctVariant::kShort, image, 1, result, times);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(dct8x8_on_cpu(DctVariant::kShort, image, 1, times).samples, result.samples)
        << width << "x" << height;
  }
}

// What all implementations must make of a frame.
CompactedFrame residuals_of(const CompactedFrame& blocks) {
  CompactedFrame out = blocks;
  idct_scalar(4, blocks.blocks4.data(), static_cast<int>(blocks.blocks4.size() / 16), out.blocks4.data());
  idct_scalar(8, blocks.blocks8.data(), static_cast<int>(blocks.blocks8.size() / 64), out.blocks8.data());
  return out;
}

// No blocks, one size alone, some, all.
constexpr Densities kDensities[] = {{0, 0, 0.5}, {0.5, 0, 0}, {0, 0.5, 1}, {0.1, 0.3, 0.5}, {1, 1, 0.3}};

TEST_F(LabCuda, EveryStepOfTheIdctEqualsTheCpus) {
  for (const Densities& densities : kDensities) {
    const CompactedFrame blocks = compact(make_macroblocks(11, 9, densities, 2));
    const CompactedFrame expected = residuals_of(blocks);
    for (const IdctStep step : kIdctSteps) {
      GpuTimes times;
      std::vector<int16_t> out;
      Status status = gpu_->idct_compacted(step, 4, blocks.blocks4, 1, out, times);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(out, expected.blocks4) << "step " << static_cast<int>(step);
      status = gpu_->idct_compacted(step, 8, blocks.blocks8, 1, out, times);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(out, expected.blocks8) << "step " << static_cast<int>(step);
    }
  }
}

TEST_F(LabCuda, TheBaselineAndTheCompleteIdctEqualTheCpus) {
  for (const Densities& densities : kDensities) {
    const MacroblockFrame frame = make_macroblocks(11, 9, densities, 3);
    const CompactedFrame blocks = compact(frame);
    const CompactedFrame expected = residuals_of(blocks);
    GpuTimes times;
    std::vector<int16_t> out;
    const Status status = gpu_->idct_baseline(frame, 1, out, times);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(out, expand(expected, frame.flags));
    for (const bool overlapped : {false, true}) {
      CompactedFrame result;
      double ms = 0;
      const Status complete = gpu_->idct_complete(blocks, overlapped, 2, result, ms);
      ASSERT_TRUE(complete.ok()) << complete.message();
      EXPECT_EQ(result.blocks4, expected.blocks4);
      EXPECT_EQ(result.blocks8, expected.blocks8);
    }
  }
}

TEST_F(LabCuda, LevelsEqualTheCpus) {
  test::Random random(9);
  YuvFrame frame = {80, 48, {}, {}, {}};
  for (int i = 0; i < 80 * 48; ++i) frame.luma.push_back(i < 1600 ? (i & 1 ? 255 : 0) : random.byte());
  for (int i = 0; i < 40 * 24; ++i) {
    frame.cb.push_back(random.byte());
    frame.cr.push_back(i < 500 ? 255 : random.byte());
  }
  for (int qp = 0; qp <= 51; ++qp) {
    std::vector<int16_t> levels, expected;
    transform_quantise_on_cpu(frame, qp, 1, expected);
    for (const TqVariant variant : {TqVariant::kCoefficients, TqVariant::kBlocks}) {
      GpuTimes times;
      const Status status = gpu_->transform_quantise(variant, frame, qp, 1, levels, times);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(levels, expected) << "qp " << qp << ", variant " << static_cast<int>(variant);
    }
  }
}

}  // namespace
}  // namespace ctv::lab

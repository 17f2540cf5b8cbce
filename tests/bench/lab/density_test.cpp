// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/density/density.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/codec.hpp"

namespace ctv::lab {
namespace {

TEST(LabDensity, SquaresOfASubbandAreCountedOnce) {
  TransformParameters transform;
  transform.scales = 1;
  const SubbandLayout layout = make_layout(transform, {32, 32});  // four subbands of 16x16
  std::vector<int16_t> levels(layout.num_coefficients);
  EXPECT_EQ(count_blocks(layout, levels.data(), 4).blocks, 64U);
  EXPECT_EQ(count_blocks(layout, levels.data(), 4).occupied, 0U);
  const Subband& last = layout.subbands.back();
  ASSERT_EQ(last.rows, 16);
  levels[last.offset] = 1;
  levels[last.offset + 3 * 16 + 3] = -1;  // the same square
  levels[last.offset + 4 * 16 + 3] = 2;   // the one below
  levels[layout.subbands[0].offset + 15] = 7;
  EXPECT_EQ(count_blocks(layout, levels.data(), 4).occupied, 3U);
  EXPECT_EQ(count_blocks(layout, levels.data(), 8).blocks, 16U);
  EXPECT_EQ(count_blocks(layout, levels.data(), 8).occupied, 2U);
}

// Blocks of a block transform: levels of one place in the picture, and of macroblocks for the DC of 4x4.
TEST(LabDensity, ABlockIsCountedOnceForAllItsFrequencies) {
  const SubbandLayout eight = make_layout(block_transform(TransformKind::kH264_8x8), {32, 48});
  std::vector<int16_t> levels(eight.num_coefficients);
  EXPECT_EQ(count_blocks(eight, levels.data(), 8).blocks, 24U);
  EXPECT_EQ(count_blocks(eight, levels.data(), 4).blocks, 0U);
  levels[eight.subbands.front().offset + 7] = 1;  // second row, second column
  levels[eight.subbands.back().offset + 7] = -3;
  levels[eight.subbands.back().offset] = 1;
  EXPECT_EQ(count_blocks(eight, levels.data(), 8).occupied, 2U);

  const SubbandLayout four = make_layout(block_transform(TransformKind::kH264_4x4), {32, 48});
  levels.assign(four.num_coefficients, 0);
  EXPECT_EQ(count_blocks(four, levels.data(), 4).blocks, 96U);
  levels[four.subbands.back().offset] = 1;
  EXPECT_EQ(count_blocks(four, levels.data(), 4).occupied, 1U);
  ASSERT_EQ(four.subbands.front().size(), 6U);  // one DC coefficient of each macroblock
  levels[four.subbands.front().offset] = 1;
  EXPECT_EQ(count_blocks(four, levels.data(), 4).occupied, 16U);
}

TEST(LabDensity, CoarserStepsLeaveFewerBlocks) {
  const std::vector<test::Frame> clip = test::moving_clip(CTV_FORMAT_I420, 64, 48, 3);
  double last = 1;
  for (const int qp : {16, 28, 40}) {
    Config config = test::config_for(clip[0], "default");
    config.qp = qp;
    const test::Bytes file = test::file_of(test::encode(clip, config, true));
    const Result<StreamDensity> density = measure_density(file);
    ASSERT_TRUE(density.ok()) << density.status().message();
    EXPECT_EQ(density->frames, 3U);
    EXPECT_GT(density->all[0].share(), 0);
    EXPECT_LT(density->all[0].share(), last) << "qp " << qp;
    EXPECT_GE(density->all[1].share(), density->all[0].share());
    last = density->all[0].share();
  }
}

TEST(LabDensity, WhatIsNoStreamIsAnError) {
  const std::vector<test::Frame> clip = test::moving_clip(CTV_FORMAT_I420, 64, 48, 1);
  test::Bytes file = test::file_of(test::encode(clip, test::config_for(clip[0], "default")));
  EXPECT_FALSE(measure_density(std::span(file).first(file.size() - 1)).ok());
  file[0] ^= 1;
  EXPECT_FALSE(measure_density(file).ok());
}

}  // namespace
}  // namespace ctv::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_slices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random.hpp"

namespace ctv {
namespace {

constexpr size_t kMost = 64;

/// The vectors of a grid, those before column `noisy` all zero.
std::vector<MotionVector> draw_vectors(const MotionGrid& grid, int noisy, uint64_t seed) {
  test::Random random(seed);
  std::vector<MotionVector> vectors(grid.size());
  for (size_t i = 0; i < vectors.size(); ++i) {
    if (static_cast<int>(i) % grid.cols < noisy) continue;
    vectors[i].y = static_cast<int16_t>(random.between(0, 50));
    vectors[i].x = static_cast<int16_t>(random.between(0, 50));
  }
  return vectors;
}

std::vector<uint8_t> written(const MotionSlices& slices) {
  std::vector<uint8_t> bytes;
  FieldWriter writer(bytes);
  slices.write(writer);
  return bytes;
}

/// How many slices hold each root.
std::vector<int> holders(const MotionGrid& grid, const MotionSlices& slices) {
  std::vector<int> count(grid.roots());
  for (size_t i = 0; i < slices.size(); ++i) {
    const RootArea& a = slices[i];
    for (int r = a.row; r < a.row + a.rows; ++r) {
      for (int c = a.col; c < a.col + a.cols; ++c) ++count.at(static_cast<size_t>(r * grid.root_cols() + c));
    }
  }
  return count;
}

TEST(MotionSlices, CoverTheGridOnceAndComeBack) {
  for (const MotionGrid grid : {MotionGrid{3, 135, 240}, {3, 90, 161}, {3, 8, 1000}, {3, 1000, 3}}) {
    for (const int noisy : {0, grid.cols / 2, grid.cols}) {
      SCOPED_TRACE(testing::Message() << grid.rows << "x" << grid.cols << ", noise from " << noisy);
      const std::vector<MotionVector> vectors = draw_vectors(grid, noisy, 7);
      std::vector<uint8_t> skips(grid.size());
      MotionSlices slices(grid);
      slices.choose(SideInfo{const_cast<MotionVector*>(vectors.data()), skips.data()});
      EXPECT_LE(slices.size(), MotionSlices::most(grid));
      EXPECT_EQ(holders(grid, slices), std::vector<int>(grid.roots(), 1));
      EXPECT_EQ(slices.size() == 1, noisy == grid.cols) << "nothing to code";
      const std::vector<uint8_t> bytes = written(slices);
      FieldReader reader(bytes, 0);
      MotionSlices read(grid);
      read.read(reader);
      EXPECT_TRUE(reader.ok()) << reader.status().message();
      EXPECT_EQ(reader.left(), 0U);
      ASSERT_EQ(read.size(), slices.size());
      for (size_t i = 0; i < slices.size(); ++i) {
        EXPECT_EQ(read[i].row, slices[i].row);
        EXPECT_EQ(read[i].col, slices[i].col);
        EXPECT_EQ(read[i].rows, slices[i].rows);
        EXPECT_EQ(read[i].cols, slices[i].cols);
      }
    }
  }
}

TEST(MotionSlices, BusyAreasAreDivided) {
  const MotionGrid grid{3, 135, 240};
  const std::vector<MotionVector> vectors = draw_vectors(grid, 200, 3);
  MotionSlices slices(grid);
  slices.choose(SideInfo{const_cast<MotionVector*>(vectors.data()), nullptr});
  size_t most = 0;
  size_t sum = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    most = std::max(most, slices.work(i));
    sum += slices.work(i);
  }
  EXPECT_GT(slices.size(), 8U);
  EXPECT_LT(most, sum / 8);
}

TEST(MotionSlices, SmallGridsAreOneSliceWithoutBits) {
  const MotionGrid grid{3, 60, 80};
  const std::vector<MotionVector> vectors = draw_vectors(grid, 0, 5);
  MotionSlices slices(grid);
  slices.choose(SideInfo{const_cast<MotionVector*>(vectors.data()), nullptr});
  EXPECT_EQ(slices.size(), 1U);
  EXPECT_TRUE(written(slices).empty());
  EXPECT_EQ(MotionSlices::most(grid), 1U);
}

TEST(MotionSlices, AnyBitsGiveSlicesOrAreRefused) {
  const MotionGrid grid{3, 135, 240};
  MotionSlices slices(grid);
  const auto read = [&](const std::vector<uint8_t>& bytes) {
    FieldReader reader(bytes, 0);
    slices.read(reader);
    EXPECT_LE(slices.size(), kMost);
    EXPECT_EQ(holders(grid, slices), std::vector<int>(grid.roots(), 1));
    return reader.ok();
  };
  EXPECT_TRUE(read({0}));
  EXPECT_EQ(slices.size(), 1U);
  EXPECT_FALSE(read({})) << "no bits";
  EXPECT_FALSE(read({2})) << "a bit beyond the end";
  EXPECT_TRUE(read({1}));
  EXPECT_EQ(slices.size(), 2U);
  EXPECT_FALSE(read({255})) << "bits are missing";
  std::vector<uint8_t> all(8, 255);
  EXPECT_FALSE(read(all)) << "a bit beyond the end";
  all.back() = 127;
  EXPECT_TRUE(read(all)) << "63 areas are divided";
  EXPECT_EQ(slices.size(), kMost);
  test::Random random(11);
  for (int i = 0; i < 200; ++i) {
    std::vector<uint8_t> bytes(static_cast<size_t>(random.between(0, 20)));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.between(0, 255));
    (void)read(bytes);
  }
}

}  // namespace
}  // namespace ctv

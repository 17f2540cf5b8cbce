// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/subband_layout.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "codec/format/directional_plan.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {
namespace {

struct Shape {
  Pyramid pyramid;
  int levels;
  std::array<uint8_t, kMaxScales> directions_log2;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {Pyramid::kLaplacian, 1, {3}},       {Pyramid::kLaplacian, 1, {4}},
      {Pyramid::kLaplacian, 3, {3, 3, 2}}, {Pyramid::kLaplacian, 2, {1, 0}},
      {Pyramid::kLaplacian, 2, {0, 4}},    {Pyramid::kWavelet9_7, 4, {}},
      {Pyramid::kWavelet9_7, 4, {2}},      {Pyramid::kWavelet5_3, 3, {3, 2, 1}},
      {Pyramid::kWavelet5_3, 1, {4}},      {Pyramid::kWavelet9_7, 5, {1, 4, 1, 0, 2}},
      {Pyramid::kWavelet9_7, 8, {0}}};
  return all;
}

TransformParameters parameters(const Shape& shape) {
  TransformParameters t;
  t.pyramid = shape.pyramid;
  t.scales = shape.levels;
  t.directions_log2 = shape.directions_log2;
  return t;
}

const std::vector<Extent>& extents() {
  static const std::vector<Extent> all = {{1, 1},   {1, 9},     {3, 5},     {16, 16},    {17, 33},
                                          {97, 61}, {240, 320}, {480, 854}, {1080, 1920}};
  return all;
}

template <typename Check>
void for_all(Check check) {
  for (const Shape& shape : shapes()) {
    for (const Extent extent : extents()) check(make_layout(parameters(shape), extent));
  }
}

TEST(SubbandLayout, SubbandsFollowEachOtherWithoutGaps) {
  for_all([](const SubbandLayout& layout) {
    size_t offset = 0;
    for (const Subband& s : layout.subbands) {
      EXPECT_EQ(s.offset, offset);
      EXPECT_GE(s.rows, 1);
      EXPECT_GE(s.cols, 1);
      offset += s.size();
    }
    EXPECT_EQ(layout.num_coefficients, offset);
  });
}

TEST(SubbandLayout, WaveletPyramidsAreCriticallySampled) {
  for_all([](const SubbandLayout& layout) {
    if (layout.transform.pyramid == Pyramid::kLaplacian) return;
    EXPECT_EQ(layout.num_coefficients, layout.padded.area());
  });
}

TEST(SubbandLayout, LaplacianPyramidsHaveAtMostFourThirdsOfTheSamples) {
  for_all([](const SubbandLayout& layout) {
    if (layout.transform.pyramid != Pyramid::kLaplacian) return;
    size_t expected = layout.padded.area() >> (2 * layout.transform.scales);
    for (int l = 0; l < layout.transform.scales; ++l) expected += layout.padded.area() >> (2 * l);
    EXPECT_EQ(layout.num_coefficients, expected);
    EXPECT_LE(3 * layout.num_coefficients, 4 * layout.padded.area());
  });
}

TEST(SubbandLayout, PaddingIsTheLeastThatEverySubbandDivides) {
  for_all([](const SubbandLayout& layout) {
    EXPECT_GE(layout.padded.rows, layout.extent.rows);
    EXPECT_GE(layout.padded.cols, layout.extent.cols);
    int row_shift = 0;
    int col_shift = 0;
    for (const Subband& s : layout.subbands) {
      // n = 1 halves the columns only, but its checkerboard needs even rows as well: padding is square.
      row_shift = std::max({row_shift, s.row_shift, s.col_shift});
      col_shift = row_shift;
    }
    EXPECT_EQ(layout.padded.rows % (1 << row_shift), 0);
    EXPECT_EQ(layout.padded.cols % (1 << col_shift), 0);
    EXPECT_LT(layout.padded.rows - layout.extent.rows, 1 << row_shift);
    EXPECT_LT(layout.padded.cols - layout.extent.cols, 1 << col_shift);
  });
}

TEST(SubbandLayout, ExtentsOfSubbandsAreThePaddedExtentShifted) {
  for_all([](const SubbandLayout& layout) {
    for (const Subband& s : layout.subbands) {
      EXPECT_EQ(s.rows, layout.padded.rows >> s.row_shift);
      EXPECT_EQ(s.cols, layout.padded.cols >> s.col_shift);
    }
  });
}

TEST(SubbandLayout, LayersRiseFromTheLowpassToTheFinestLevel) {
  for_all([](const SubbandLayout& layout) {
    EXPECT_EQ(layout.layers, layout.transform.scales + 1);
    EXPECT_EQ(layout.subbands.front().layer, 0);
    EXPECT_EQ(layout.subbands.back().layer, layout.layers - 1);
    int last = 0;
    for (const Subband& s : layout.subbands) {
      EXPECT_GE(s.layer, last);
      EXPECT_LE(s.layer, last + 1);
      EXPECT_EQ(s.layer, s.scale == 0 ? 0 : layout.transform.scales - s.scale + 1);
      last = s.layer;
    }
  });
}

TEST(SubbandLayout, EveryPyramidLevelHasItsDirections) {
  for_all([](const SubbandLayout& layout) {
    const size_t orientations = layout.transform.pyramid == Pyramid::kLaplacian ? 1 : 3;
    for (int level = 1; level <= layout.transform.scales; ++level) {
      std::set<std::pair<int, int>> seen;
      size_t samples = 0;
      for (const Subband& s : layout.subbands) {
        if (s.scale != level) continue;
        EXPECT_TRUE(seen.insert({s.orientation, s.direction}).second);
        samples += s.size();
      }
      const int n = layout.transform.directions_log2[static_cast<size_t>(level - 1)];
      EXPECT_EQ(seen.size(), orientations << n);
      EXPECT_EQ(samples, orientations * layout.band(level).area());
    }
  });
}

TEST(SubbandLayout, DirectionalSubbandsHaveTheExtentsOfTheirLeaves) {
  for_all([](const SubbandLayout& layout) {
    for (const Subband& s : layout.subbands) {
      if (s.scale == 0) continue;
      const int n = layout.transform.directions_log2[static_cast<size_t>(s.scale - 1)];
      if (n < 2) continue;
      const Leaf leaf = make_directional_plan(n).leaves[static_cast<size_t>(s.direction)];
      EXPECT_EQ(s.rows * leaf.row_stride, layout.band(s.scale).rows);
      EXPECT_EQ(s.cols * leaf.col_stride, layout.band(s.scale).cols);
    }
  });
}

TEST(SubbandLayout, ReducedExtentsRoundUp) {
  const SubbandLayout layout = make_layout(parameters(shapes()[6]), {17, 33});
  EXPECT_EQ(layout.reduced(0), (Extent{17, 33}));
  EXPECT_EQ(layout.reduced(1), (Extent{9, 17}));
  EXPECT_EQ(layout.reduced(4), (Extent{2, 3}));
}

TEST(SubbandLayout, ThePapersFrameHasEightDirectionsAndALowpass) {
  const SubbandLayout layout = make_layout(parameters(shapes()[0]), {1080, 1920});
  ASSERT_EQ(layout.subbands.size(), 9U);
  EXPECT_EQ(layout.padded, (Extent{1080, 1920}));
  EXPECT_EQ(layout.subbands[0].rows, 540);
  EXPECT_EQ(layout.subbands[0].cols, 960);
  EXPECT_EQ(layout.subbands[1].rows, 270);
  EXPECT_EQ(layout.subbands[1].cols, 960);
  EXPECT_EQ(layout.subbands[8].rows, 540);
  EXPECT_EQ(layout.subbands[8].cols, 480);
}

}  // namespace
}  // namespace ctv

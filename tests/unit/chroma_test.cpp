// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dsp/chroma.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.hpp"

namespace ctv {
namespace {

TEST(Chroma, SubsamplingIsTheMeanRoundedHalvesUp) {
  test::Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const int a = random.between(-255, 255);
    const int b = random.between(-255, 255);
    const int c = random.between(-255, 255);
    const int d = random.between(-255, 255);
    EXPECT_EQ(subsample_2x2(a, b, c, d), static_cast<int>(std::floor((a + b + c + d) / 4.0 + 0.5)));
  }
}

TEST(Chroma, UpsamplingIsBilinearRoundedHalvesUp) {
  test::Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const int n = random.between(-255, 255);
    const int h = random.between(-255, 255);
    const int v = random.between(-255, 255);
    const int d = random.between(-255, 255);
    // a quarter of the way to each neighbour
    const double vertical_near = 0.75 * n + 0.25 * v;
    const double vertical_far = 0.75 * h + 0.25 * d;
    const double exact = 0.75 * vertical_near + 0.25 * vertical_far;
    EXPECT_EQ(upsample_bilinear(n, h, v, d), static_cast<int>(std::floor(exact + 0.5)));
  }
}

TEST(Chroma, FlatColourSurvivesBothWays) {
  for (int v = -255; v <= 255; ++v) {
    EXPECT_EQ(subsample_2x2(v, v, v, v), v);
    EXPECT_EQ(upsample_bilinear(v, v, v, v), v);
  }
}

}  // namespace
}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dsp/ycocg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace ctv {
namespace {

TEST(Ycocg, EveryColourComesBackAndStaysInRange) {
  // All 2^24 colours; failures are counted, since 16 million EXPECTs would take minutes.
  uint32_t wrong = 0;
  int y_lo = 0, y_hi = 0, co_lo = 0, co_hi = 0, cg_lo = 0, cg_hi = 0;
  for (int r = 0; r < 256; ++r) {
    for (int g = 0; g < 256; ++g) {
      for (int b = 0; b < 256; ++b) {
        const Ycocg c = rgb_to_ycocg(r, g, b);
        const Rgb back = ycocg_to_rgb(c.y, c.co, c.cg);
        wrong += back.r != r || back.g != g || back.b != b;
        y_lo = std::min(y_lo, c.y);
        y_hi = std::max(y_hi, c.y);
        co_lo = std::min(co_lo, c.co);
        co_hi = std::max(co_hi, c.co);
        cg_lo = std::min(cg_lo, c.cg);
        cg_hi = std::max(cg_hi, c.cg);
      }
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(y_lo, 0);
  EXPECT_EQ(y_hi, 255);
  EXPECT_EQ(co_lo, -255);
  EXPECT_EQ(co_hi, 255);
  EXPECT_EQ(cg_lo, -255);
  EXPECT_EQ(cg_hi, 255);
}

TEST(Ycocg, GreyHasNoChroma) {
  for (int v = 0; v < 256; ++v) {
    const Ycocg c = rgb_to_ycocg(v, v, v);
    EXPECT_EQ(c.y, v);
    EXPECT_EQ(c.co, 0);
    EXPECT_EQ(c.cg, 0);
  }
}

TEST(Ycocg, KnownColours) {
  const Ycocg red = rgb_to_ycocg(255, 0, 0);
  EXPECT_EQ(red.co, 255);
  EXPECT_EQ(red.cg, -127);
  EXPECT_EQ(red.y, 63);
  const Ycocg green = rgb_to_ycocg(0, 255, 0);
  EXPECT_EQ(green.co, 0);
  EXPECT_EQ(green.cg, 255);
  EXPECT_EQ(green.y, 127);
}

}  // namespace
}  // namespace ctv

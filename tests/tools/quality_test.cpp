// SPDX-License-Identifier: BSD-3-Clause
// PSNR and SSIM on pictures whose values can be worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/latency.h"
#include "cli/quality.h"
#include "io/frame.h"

namespace ctv::tools {
namespace {

Frame flat(ctv_format format, int32_t width, int32_t height, uint8_t value) {
  Frame frame;
  frame.reset({format, width, height, 25, 1});
  std::fill(frame.bytes().begin(), frame.bytes().end(), value);
  return frame;
}

TEST(Quality, EqualPictures) {
  const Frame a = flat(CTV_FORMAT_I420, 17, 9, 77);
  Quality q;
  q.add(a.picture(), a.picture(), true);
  EXPECT_TRUE(std::isinf(q.weighted_psnr()));
  EXPECT_DOUBLE_EQ(*q.ssim(), 1);
}

TEST(Quality, AConstantErrorOfOneIs48Decibels) {
  for (const ctv_format format : {CTV_FORMAT_GRAY8, CTV_FORMAT_I420, CTV_FORMAT_I422, CTV_FORMAT_I444,
                                  CTV_FORMAT_RGB8, CTV_FORMAT_NV12}) {
    const Frame a = flat(format, 13, 7, 100), b = flat(format, 13, 7, 101);
    Quality q;
    q.add(a.picture(), b.picture(), false);
    q.add(b.picture(), a.picture(), false);
    EXPECT_NEAR(q.weighted_psnr(), 20 * std::log10(255.0), 1e-9);
    EXPECT_FALSE(q.ssim());
  }
}

TEST(Quality, WeightsOfChannels) {
  Frame a = flat(CTV_FORMAT_I420, 4, 4, 100);
  Frame b = a;
  b.plane(0)[0] = 116;  // 256 / 16 samples: mean squared error 16
  b.plane(1)[0] = 108;  // 64 / 4
  b.plane(2)[3] = 102;  // 4 / 4
  Quality q;
  q.add(a.picture(), b.picture(), false);
  ASSERT_EQ(q.channels().size(), 3u);
  const double at16 = 10 * std::log10(255.0 * 255 / 16), at1 = 10 * std::log10(255.0 * 255);
  EXPECT_NEAR(psnr(q.channels()[0]), at16, 1e-9);
  EXPECT_NEAR(psnr(q.channels()[1]), at16, 1e-9);
  EXPECT_NEAR(psnr(q.channels()[2]), at1, 1e-9);
  EXPECT_NEAR(q.weighted_psnr(), (7 * at16 + at1) / 8, 1e-9);
}

TEST(Quality, AlphaDoesNotCount) {
  Frame a = flat(CTV_FORMAT_RGBA8, 3, 3, 5);
  Frame b = a;
  b.bytes()[3] = 99;
  Quality q;
  q.add(a.picture(), b.picture(), true);
  EXPECT_TRUE(std::isinf(q.weighted_psnr()));
  EXPECT_EQ(first_difference(a.picture(), b.picture()), "");
  b.bytes()[4] = 6;
  EXPECT_EQ(first_difference(a.picture(), b.picture()), "R at column 1, row 0: 5 and 6");
}

TEST(Quality, SsimOfFlatPictures) {
  // Without variance only the luminance term is left: (2ab + c1) / (a^2 + b^2 + c1), c1 = (0.01 * 255)^2.
  const std::vector<uint16_t> a(256, 100), b(256, 120);
  const double c1 = 6.5025;
  EXPECT_NEAR(ssim(a.data(), b.data(), 16, 16), (2 * 100 * 120 + c1) / (100 * 100 + 120 * 120 + c1), 1e-12);
  EXPECT_NEAR(ssim(a.data(), b.data(), 3, 2), (2 * 100 * 120 + c1) / (100 * 100 + 120 * 120 + c1), 1e-12);
}

TEST(Quality, SsimFallsWithNoise) {
  std::vector<uint16_t> a(64 * 64), b, c;
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint16_t>(64 + i % 64 + i / 64);
  b = c = a;
  for (size_t i = 0; i < a.size(); i += 3)
    b[i] = static_cast<uint8_t>(b[i] + 4), c[i] = static_cast<uint8_t>(c[i] + 16);
  const double slight = ssim(a.data(), b.data(), 64, 64), strong = ssim(a.data(), c.data(), 64, 64);
  EXPECT_LT(slight, 1);
  EXPECT_LT(strong, slight);
  EXPECT_GT(strong, 0);
}

TEST(Latency, NearestRankWithoutTheFirst) {
  Latency l;
  l.add(100);
  for (int i = 1; i <= 100; ++i) l.add(i);
  EXPECT_DOUBLE_EQ(l.first(), 100);
  EXPECT_DOUBLE_EQ(l.percentile(0.5), 50);
  EXPECT_DOUBLE_EQ(l.percentile(0.95), 95);
  EXPECT_DOUBLE_EQ(l.percentile(1), 100);
  EXPECT_DOUBLE_EQ(l.percentile(0), 1);
}

}  // namespace
}  // namespace ctv::tools

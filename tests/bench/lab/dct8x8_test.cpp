// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/dct8x8/dct8x8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/random.hpp"

namespace ctv::lab {
namespace {

GrayImage picture(int width, int height) {
  test::Random random(11);
  GrayImage image = {width, height, {}};
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      image.samples.push_back(static_cast<uint8_t>(((r * r / 7 + 5 * c) & 127) + random.between(0, 60)));
  return image;
}

// Equations 4 and 5 in double, with the quantiser between them.
GrayImage by_definition(const GrayImage& image) {
  GrayImage out = image;
  const auto cosine = [](int x, int u) {
    return (u == 0 ? std::sqrt(1.0 / 8) : 0.5) * std::cos(std::numbers::pi * (2 * x + 1) * u / 16);
  };
  for (int top = 0; top < image.height; top += 8)
    for (int left = 0; left < image.width; left += 8) {
      const auto at = [&](int y, int x) { return static_cast<size_t>((top + y) * image.width + left + x); };
      double levels[8][8];
      for (int v = 0; v < 8; ++v)
        for (int u = 0; u < 8; ++u) {
          double sum = 0;
          for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 8; ++x) sum += (image.samples[at(y, x)] - 128) * cosine(y, v) * cosine(x, u);
          const int step = kQuantiserSteps[static_cast<size_t>(v * 8 + u)];
          levels[v][u] = std::round(sum / step) * step;
        }
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
          double sum = 128;
          for (int v = 0; v < 8; ++v)
            for (int u = 0; u < 8; ++u) sum += levels[v][u] * cosine(y, v) * cosine(x, u);
          out.samples[at(y, x)] = static_cast<uint8_t>(std::lround(std::clamp(sum, 0.0, 255.0)));
        }
    }
  return out;
}

TEST(LabDct8x8, EachVariantIsTheDefinitionsPicture) {
  const GrayImage image = picture(72, 40);
  const GrayImage expected = by_definition(image);
  for (const DctVariant variant : {DctVariant::kDefinition, DctVariant::kSeparable}) {
    const GrayImage result = dct8x8_on_cpu(variant, image);
    EXPECT_GE(psnr(expected, result), 50) << static_cast<int>(variant);  // the paper's criterion
    EXPECT_NEAR(psnr(image, expected), psnr(image, result), 0.05) << static_cast<int>(variant);
    EXPECT_LT(psnr(image, result), 45) << "nothing was quantised";
  }
}

TEST(LabDct8x8, PsnrIsTheFormulas) {
  const GrayImage a = {2, 2, {10, 20, 30, 40}}, b = {2, 2, {10, 22, 30, 40}};
  EXPECT_NEAR(psnr(a, b), 20 * std::log10(255.0), 1e-9);  // a mean square of one
  EXPECT_TRUE(std::isinf(psnr(a, a)));
}

}  // namespace
}  // namespace ctv::lab

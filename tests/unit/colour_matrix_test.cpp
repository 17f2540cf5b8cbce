// SPDX-License-Identifier: BSD-3-Clause
// The conversion between R'G'B' and Y'CbCr against its definition in ITU-T H.273, and its choice.
#include "codec/format/colour_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ctv {
namespace {

TEST(YcbcrMatrix, OfBt601InLimitedRange) {
  const YcbcrMatrix& m = kBt601;
  EXPECT_EQ(m.black, 16);
  EXPECT_EQ((std::array{m.y_r, m.y_g, m.y_b}), (std::array{66, 129, 25}));
  EXPECT_EQ((std::array{m.cb_r, m.cb_g, m.cb_b}), (std::array{-38, -74, 112}));
  EXPECT_EQ((std::array{m.cr_r, m.cr_g, m.cr_b}), (std::array{112, -94, -18}));
  EXPECT_EQ((std::array{m.luma, m.r_cr, m.g_cb, m.g_cr, m.b_cb}), (std::array{298, 409, 100, 208, 516}));
}

// E'Y = kr E'R + (1 - kr - kb) E'G + kb E'B, E'CB = (E'B - E'Y) / (2 (1 - kb)), E'CR with R and kr.
TEST(YcbcrMatrix, IsItsDefinitionUpToRounding) {
  constexpr double kError = 1.5;  // half for the result, the rest for coefficients in 256ths
  struct Weights {
    double kr, kb;
  };
  for (const Weights w :
       {Weights{0.2126, 0.0722}, {0.30, 0.11}, {0.299, 0.114}, {0.212, 0.087}, {0.2627, 0.0593}}) {
    for (const bool full : {false, true}) {
      const YcbcrMatrix m = make_ycbcr_matrix(w.kr, w.kb, full);
      const double luma = full ? 255 : 219;
      const double chroma = full ? 255 : 224;
      for (int r = 0; r <= 255; r += 51) {
        for (int g = 0; g <= 255; g += 51) {
          for (int b = 0; b <= 255; b += 51) {
            const double y = (w.kr * r + (1 - w.kr - w.kb) * g + w.kb * b) / 255;
            const double cb = (b / 255.0 - y) / (2 * (1 - w.kb));
            const double cr = (r / 255.0 - y) / (2 * (1 - w.kr));
            const Ycbcr coded = rgb_to_ycbcr(m, r, g, b);
            EXPECT_NEAR(coded.y, (full ? 0 : 16) + luma * y, kError);
            EXPECT_NEAR(coded.cb, std::min(128 + chroma * cb, 255.0), kError);
            EXPECT_NEAR(coded.cr, std::min(128 + chroma * cr, 255.0), kError);
            if (r == g && g == b) {
              EXPECT_EQ(coded.cb, 128);
              EXPECT_EQ(coded.cr, 128);
            }
            // Back, from the rounded sample values: as the definition inverted.
            const double back_y = (coded.y - (full ? 0 : 16)) / luma;
            const double back_cb = (coded.cb - 128) / chroma;
            const double back_cr = (coded.cr - 128) / chroma;
            const double red = back_y + 2 * (1 - w.kr) * back_cr;
            const double blue = back_y + 2 * (1 - w.kb) * back_cb;
            const double green = (back_y - w.kr * red - w.kb * blue) / (1 - w.kr - w.kb);
            const auto byte = [](double v) { return std::clamp(255 * v, 0.0, 255.0); };
            const Rgb decoded = ycbcr_to_rgb(m, coded.y, coded.cb, coded.cr);
            EXPECT_NEAR(decoded.r, byte(red), kError);
            EXPECT_NEAR(decoded.g, byte(green), kError);
            EXPECT_NEAR(decoded.b, byte(blue), kError);
          }
        }
      }
    }
  }
}

TEST(ColourMatrix, FollowsTheHeader) {
  const auto luma_of_red = [](uint16_t height, uint8_t matrix, uint8_t range, uint8_t source) {
    SequenceHeader h;
    h.height = height;
    h.source = source;
    h.description.matrix = matrix;
    h.description.range = range;
    const auto m = colour_matrix(h);
    return m ? rgb_to_ycbcr(*m, 255, 0, 0).y : -1;
  };
  constexpr uint8_t kYcbcr = CTV_FORMAT_I420;
  EXPECT_EQ(luma_of_red(719, 2, CTV_RANGE_UNSPECIFIED, kYcbcr), 82);
  EXPECT_EQ(luma_of_red(720, 2, CTV_RANGE_UNSPECIFIED, kYcbcr), 63);
  EXPECT_EQ(luma_of_red(100, 1, CTV_RANGE_LIMITED, kYcbcr), 63);
  EXPECT_EQ(luma_of_red(2000, 5, CTV_RANGE_LIMITED, kYcbcr), 82);
  EXPECT_EQ(luma_of_red(2000, 6, CTV_RANGE_FULL, kYcbcr), 77);
  EXPECT_EQ(luma_of_red(100, 9, CTV_RANGE_FULL, kYcbcr), 67);
  for (const uint8_t none : std::initializer_list<uint8_t>{0, 8, 10, 14, 255})
    EXPECT_EQ(luma_of_red(100, none, 0, kYcbcr), -1) << none;
  EXPECT_EQ(luma_of_red(720, 0, 0, CTV_FORMAT_RGB8), 63) << "RGB has the identity for its matrix";
}

}  // namespace
}  // namespace ctv

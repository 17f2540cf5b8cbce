// SPDX-License-Identifier: BSD-3-Clause
// Equal quality, equal bytes: the search for a setting, what tjbench says, parts of pictures.
#include "bench/versus.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/pictures.h"

namespace ctv::tools {
namespace {

TEST(Match, FindsTheNearestSettingAndTheSlope) {
  int calls = 0;
  const auto measure = [&](double qp) {  // a dB a step, a tenth more bytes each dB
    ++calls;
    return Yield{60 - qp, static_cast<uint64_t>(1e6 * std::exp(-0.1 * qp))};
  };
  const Match match = match_quality({1, 51, 1, false}, 40.3, measure);
  EXPECT_EQ(match.setting, 20);
  EXPECT_DOUBLE_EQ(match.yield.decibels, 40);
  EXPECT_NEAR(match.bytes_per_decibel, 0.1, 1e-4);
  EXPECT_NEAR(match.bytes_at(41), 1e6 * std::exp(-1.9), 100);
  EXPECT_LE(calls, 8);
}

TEST(Match, RisingScalesWithFractions) {
  const auto measure = [](double rate) { return Yield{30 + rate, static_cast<uint64_t>(1000 * rate)}; };
  EXPECT_EQ(match_quality({0.5, 12, 0.25, true}, 33.9, measure).setting, 4);
}

TEST(Match, OutOfReachEndsAtTheEnd) {
  const auto measure = [](double qp) { return Yield{60 - qp, 1000}; };
  const Match low = match_quality({1, 51, 1, false}, 5, measure);
  EXPECT_EQ(low.setting, 51);
  EXPECT_EQ(low.bytes_at(5), 1000) << "nothing is known beyond the end";
  EXPECT_EQ(match_quality({1, 51, 1, false}, 80, measure).setting, 1);
}

TEST(JpegTurbo, ReadsTjbench) {
  const std::string said =
      "Image size: 1280 x 720\n"
      "Compress      --> Frame rate:         200.0 fps\n"
      "                  Output image size:  260403 bytes\n"
      "Decompress    --> Frame rate:         100.0 fps\n";
  uint64_t bytes = 0;
  double encode = 0, decode = 0;
  ASSERT_TRUE(read_tjbench(said, bytes, encode, decode));
  EXPECT_EQ(bytes, 260403u);
  EXPECT_DOUBLE_EQ(encode, 5);
  EXPECT_DOUBLE_EQ(decode, 10);
  EXPECT_FALSE(read_tjbench("usage: tjbench", bytes, encode, decode));
}

TEST(Pictures, Base64) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({'f'}), "Zg==");
  EXPECT_EQ(base64({'f', 'o'}), "Zm8=");
  EXPECT_EQ(base64({'f', 'o', 'o'}), "Zm9v");
  EXPECT_EQ(base64({0xff, 0xfe, 0xfd, 0x00}), "//79AA==");
}

TEST(Pictures, TheMiddleIsTheMiddle) {
  Frame rgb;
  rgb.reset({CTV_FORMAT_RGB8, 5, 3, 25, 1});
  for (size_t i = 0; i < rgb.bytes().size(); ++i) rgb.bytes()[i] = static_cast<uint8_t>(i);
  const Frame part = middle_of(rgb, 1, 1);
  EXPECT_EQ(part.bytes(), (Samples{21, 22, 23}));
  EXPECT_EQ(middle_of(rgb, 99, 99).bytes(), rgb.bytes());
}

}  // namespace
}  // namespace ctv::tools

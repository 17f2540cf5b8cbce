// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/scene_cut.hpp"

#include <gtest/gtest.h>

#include "tests/support/clip.hpp"

namespace ctv::test {
namespace {

constexpr int kWidth = 640, kHeight = 360;

// Random strokes, black on white, in some lines.
Frame slide(uint32_t seed, int lines, int offset = 0) {
  Frame frame = make_frame(CTV_FORMAT_GRAY8, kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const int row = y / 12, column = (x + offset) / 3;
      uint32_t hash = seed * 2654435761U ^ static_cast<uint32_t>(row * 977 + column) * 40503U;
      hash = (hash ^ hash >> 15) * 2246822519U;
      const bool ink = row < lines && y % 12 < 9 && (hash >> 20 & 1) != 0;
      frame.planes[0][static_cast<size_t>(y * kWidth + x)] = ink ? 20 : 235;
    }
  }
  return frame;
}

TEST(SceneCut, ASlideOfTextIsOneAfterAnother) {
  SceneCutDetector scenes;
  const Frame a = slide(1, 18), b = slide(2, 26);
  EXPECT_FALSE(scenes.is_cut(picture_of(a)));
  EXPECT_FALSE(scenes.is_cut(picture_of(a)));
  EXPECT_TRUE(scenes.is_cut(picture_of(b)));
  EXPECT_FALSE(scenes.is_cut(picture_of(b)));
  EXPECT_TRUE(scenes.is_cut(picture_of(a)));
}

// Formats of words are seen as bytes are.
TEST(SceneCut, DeepSamplesAreSeenAs8Bits) {
  for (const ctv_format format : {CTV_FORMAT_GRAY10, CTV_FORMAT_GRAY12}) {
    SceneCutDetector scenes;
    const auto deep = [&](const Frame& frame) {
      Frame out = make_frame(format, kWidth, kHeight);
      for (size_t i = 0; i < frame.planes[0].size(); ++i) {
        const int word = frame.planes[0][i] << (bits_of(format) - 8);
        out.planes[0][2 * i] = static_cast<uint8_t>(word);
        out.planes[0][2 * i + 1] = static_cast<uint8_t>(word >> 8);
      }
      return out;
    };
    const Frame a = deep(slide(1, 18)), b = deep(slide(2, 26));
    EXPECT_FALSE(scenes.is_cut(picture_of(a)));
    EXPECT_FALSE(scenes.is_cut(picture_of(a)));
    EXPECT_TRUE(scenes.is_cut(picture_of(b)));
    EXPECT_FALSE(scenes.is_cut(picture_of(b)));
  }
}

TEST(SceneCut, TextThatMovesOnIsNone) {
  SceneCutDetector scenes;
  for (int i = 0; i < 10; ++i) {
    const Frame frame = slide(1, 18 + i % 2 * 8, 12 * i);  // and lines come and go
    const bool cut = scenes.is_cut(picture_of(frame));
    EXPECT_TRUE(!cut || i == 1) << i;
  }
}

TEST(SceneCut, TextThatStandsStillAndThenScrollsIsNone) {
  SceneCutDetector scenes;
  const Frame a = slide(1, 22), b = slide(1, 22, 30);
  EXPECT_FALSE(scenes.is_cut(picture_of(a)));
  EXPECT_FALSE(scenes.is_cut(picture_of(a)));
  EXPECT_FALSE(scenes.is_cut(picture_of(b)));
}

TEST(SceneCut, LightIsNone) {
  SceneCutDetector scenes;
  Frame frame = slide(1, 22);
  EXPECT_FALSE(scenes.is_cut(picture_of(frame)));
  for (auto& sample : frame.planes[0]) sample = static_cast<uint8_t>(sample - sample / 12);
  EXPECT_FALSE(scenes.is_cut(picture_of(frame)));
}

TEST(SceneCut, PicturesNarrowerThanARunAreCompared) {
  SceneCutDetector scenes;
  Frame dark = make_frame(CTV_FORMAT_GRAY8, 5, 40), light = dark;
  for (auto& sample : light.planes[0]) sample = 200;
  EXPECT_FALSE(scenes.is_cut(picture_of(dark)));
  EXPECT_TRUE(scenes.is_cut(picture_of(light)));
}

}  // namespace
}  // namespace ctv::test

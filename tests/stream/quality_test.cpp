// SPDX-License-Identifier: BSD-3-Clause
// What the presets reach on generated clips. Bounds are tight on both sides: a bound that reality has left
// behind must be moved, in the commit that says why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

struct Measured {
  double luma_psnr;  // of the mean squared error of all frames
  double bits_per_pixel;
};

Measured measure(const std::vector<Frame>& clip, const ctv_config& config) {
  const Stream stream = encode(clip, config);
  const auto decoded = decode(stream);
  std::vector<uint8_t> a;
  std::vector<uint8_t> b;
  for (size_t i = 0; i < clip.size(); ++i) {
    a.insert(a.end(), clip[i].planes[0].begin(), clip[i].planes[0].end());
    b.insert(b.end(), decoded[i].planes[0].begin(), decoded[i].planes[0].end());
  }
  const double pixels = static_cast<double>(clip.size()) * clip[0].width * clip[0].height;
  return {psnr(a, b), 8.0 * static_cast<double>(packet_bytes(stream)) / pixels};
}

void expect_near_floor(const char* what, double value, double floor, double slack) {
  EXPECT_GE(value, floor) << what << " fell";
  EXPECT_LE(value, floor + slack) << what << " is better than its bound says: move the bound";
}

TEST(Quality, DefaultPresetOnAMovingClip) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 160, 128, 12);
  Config c = config_for(clip[0], "default");
  c.qp = 28;
  const Measured m = measure(clip, c);
  std::printf("luma PSNR %.3f dB, %.4f bits per pixel\n", m.luma_psnr, m.bits_per_pixel);
  expect_near_floor("luma PSNR", m.luma_psnr, 37.8, 0.5);
  expect_near_floor("bits per pixel, negated", -m.bits_per_pixel, -0.3, 0.03);
}

TEST(Quality, PaperPresetOnAMovingClip) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 160, 128, 12);
  const Measured m = measure(clip, config_for(clip[0], "paper"));
  std::printf("luma PSNR %.3f dB, %.4f bits per pixel\n", m.luma_psnr, m.bits_per_pixel);
  expect_near_floor("luma PSNR", m.luma_psnr, 41.0, 0.5);
  expect_near_floor("bits per pixel, negated", -m.bits_per_pixel, -3.32, 0.15);
}

TEST(Quality, ACoarserQuantiserCostsFewerBitsAndMoreError) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 96, 80, 6);
  for (const char* preset : {"paper", "default"}) {
    Measured last{100, 100};
    for (const double step : {2.0, 4.0, 8.0, 16.0, 32.0}) {
      Config c = config_for(clip[0], preset);
      c.qp = -1;
      c.step = step;
      const Measured m = measure(clip, c);
      EXPECT_LT(m.luma_psnr, last.luma_psnr) << preset << " step " << step;
      EXPECT_LT(m.bits_per_pixel, last.bits_per_pixel) << preset << " step " << step;
      last = m;
    }
  }
}

// Luma of predicted frames follows, since cells are skipped with their chroma.
TEST(Quality, TheChromaOffsetMovesChroma) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 96, 80, 4);
  Config c = config_for(clip[0], "default");
  const auto even = decode(encode(clip, c));
  c.chroma_qp_offset = -6;
  const auto finer = decode(encode(clip, c));
  for (size_t i = 0; i < clip.size(); ++i) {
    if (finer[i].key_frame) {
      EXPECT_EQ(finer[i].planes[0], even[i].planes[0]) << "frame " << i;
    }
    for (const size_t p : {1U, 2U}) {
      EXPECT_GT(psnr(finer[i].planes[p], clip[i].planes[p]), psnr(even[i].planes[p], clip[i].planes[p]))
          << "frame " << i << " plane " << p;
    }
  }
}

TEST(Quality, QpIsH264sScaleOfSteps) {
  const auto clip = moving_clip(CTV_FORMAT_GRAY8, 64, 48, 3);
  Config by_qp = config_for(clip[0], "default");
  by_qp.qp = 28;
  Config by_step = by_qp;
  by_step.qp = -1;
  by_step.step = 16;  // 2^((28 - 4) / 6)
  EXPECT_EQ(encode(clip, by_qp).packets, encode(clip, by_step).packets);
}

TEST(Quality, PredictionPaysOnAMovingClip) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 160, 128, 10);
  Config predicted = config_for(clip[0], "default");
  Config keys = predicted;
  keys.key_interval = 1;
  EXPECT_LT(3 * packet_bytes(encode(clip, predicted)), 2 * packet_bytes(encode(clip, keys)));
}

// A chain of 300 predicted frames: if encoder and decoder disagreed anywhere, the error would pile up.
class Chain : public testing::TestWithParam<const char*> {};

TEST_P(Chain, OfThreeHundredPredictedFramesDoesNotDrift) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 40, 301);
  Config c = config_for(clip[0], GetParam());
  c.key_interval = 0;
  c.scene_cut = 0;
  const Stream stream = encode(clip, c);
  const auto one = decode(stream, decoder_config(1));
  const auto two = decode(stream, decoder_config(2));
  ASSERT_EQ(one.size(), clip.size());
  double early = 0;  // means of 20 frames
  double late = 0;
  for (size_t i = 0; i < clip.size(); ++i) {
    ASSERT_EQ(digest(one[i]), digest(two[i])) << "frame " << i;
    if (std::string(GetParam()) == "lossless") {
      ASSERT_EQ(one[i], clip[i]) << "frame " << i;
    }
    const double quality = psnr(one[i], clip[i]);
    if (i > 20 && i <= 40) early += quality / 20;
    if (i >= 281) late += quality / 20;
  }
  EXPECT_GE(late, early - 0.5);
}

INSTANTIATE_TEST_SUITE_P(Presets, Chain, testing::Values("paper", "default", "lossless"),
                         [](const testing::TestParamInfo<const char*>& i) { return std::string(i.param); });

}  // namespace
}  // namespace ctv::test

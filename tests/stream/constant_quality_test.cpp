// SPDX-License-Identifier: BSD-3-Clause
// Constant quality in whole streams: near its target for every content, the same bytes however it runs.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

double target(double crf) { return 55 - 5 * crf / 8; }

Config config_of(const std::vector<Frame>& clip, double crf, const char* preset = "default") {
  Config c = config_for(clip[0], preset);
  c.crf = crf;
  return c;
}

std::vector<double> luma_psnr(const std::vector<Frame>& clip, const Stream& stream) {
  const auto decoded = decode(stream);
  EXPECT_EQ(decoded.size(), clip.size());
  std::vector<double> values;
  for (size_t i = 0; i < decoded.size(); ++i) {
    values.push_back(bits_of(clip[i].format) > 8 ? psnr(decoded[i], clip[i])
                                                 : psnr(decoded[i].planes[0], clip[i].planes[0]));
  }
  return values;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Half of each side has noise: every other frame of it new, or standing still.
std::vector<Frame> noisy_clip(int frames, bool still) {
  std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 96, 64, frames, 5);
  for (size_t i = 0; i < clip.size(); ++i) {
    const Frame noise = noise_frame(CTV_FORMAT_I420, 96, 64, still ? 1 : i / 2);
    for (size_t r = 0; r < 64; ++r) {
      for (size_t c = 0; c < 48; ++c) {
        uint8_t& luma = clip[i].planes[0][r * 96 + c];
        luma = static_cast<uint8_t>((3 * luma + noise.planes[0][r * 96 + c]) / 4);
      }
    }
  }
  return clip;
}

TEST(ConstantQuality, IsNearItsTargetWhateverTheContent) {
  const std::vector<std::vector<Frame>> clips = {moving_clip(CTV_FORMAT_I420, 128, 96, 24),
                                                 moving_clip(CTV_FORMAT_I420, 97, 61, 24, 7),
                                                 moving_clip(CTV_FORMAT_GRAY8, 160, 80, 24, 3),
                                                 noisy_clip(24, false),
                                                 noisy_clip(24, true),
                                                 moving_clip(CTV_FORMAT_GRAY10, 128, 96, 24),
                                                 moving_clip(CTV_FORMAT_GRAY12, 97, 61, 24, 7)};
  double widest = 0;
  for (const double crf : {18.0, 27.5, 36.0}) {
    double least = 1e9;
    double most = 0;
    for (size_t i = 0; i < clips.size(); ++i) {
      const Stream stream = encode(clips[i], config_of(clips[i], crf));
      const std::vector<double> values = luma_psnr(clips[i], stream);
      EXPECT_NEAR(mean({values.begin() + 1, values.end()}), target(crf), 0.6)
          << "clip " << i << " crf " << crf;
      EXPECT_NEAR(values[0], target(crf) + 3, 0.75) << "clip " << i << " crf " << crf;
      // With one step for all, the clips' means lie far apart.
      Config fixed = config_for(clips[i][0], "default");
      fixed.qp = static_cast<int32_t>(crf);
      const double m = mean(luma_psnr(clips[i], encode(clips[i], fixed)));
      least = std::min(least, m);
      most = std::max(most, m);
    }
    widest = std::max(widest, most - least);
  }
  EXPECT_GT(widest, 3.0) << "clips that one step suits as well";
}

TEST(ConstantQuality, ThreadsAndFramesInFlightChangeNoByte) {
  const auto clip = noisy_clip(22, false);
  for (const int key_interval : {1, 3, 7, 0}) {
    Config c = config_of(clip, 26);
    c.key_interval = key_interval;
    c.threads = 1;
    const Stream expected = encode(clip, c);
    for (const int threads : {1, 3}) {
      for (const int in_flight : {1, 2, 8}) {
        c.threads = threads;
        c.frames_in_flight = in_flight;
        EXPECT_EQ(encode(clip, c), expected)
            << "interval " << key_interval << ", " << threads << " threads, " << in_flight << " in flight";
      }
    }
  }
}

TEST(ConstantQuality, SwitchedOffAndOnFramesInFlightChangeNoByte) {
  const auto clip = noisy_clip(24, false);
  const auto packets = [&](int in_flight) {
    Config c = config_of(clip, 26);
    c.key_interval = 0;
    c.frames_in_flight = in_flight;
    Encoder encoder(c);
    Stream stream;
    const auto receive = [&] {
      while (const auto unit = encoder.receive())
        stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
    };
    for (size_t i = 0; i < clip.size(); ++i) {
      if (i == 11) encoder.set_qp(30);
      if (i == 12) encoder.set_crf(20);
      while (!encoder.send(picture_of(clip[i]))) receive();
    }
    encoder.flush();
    receive();
    return stream;
  };
  const Stream expected = packets(1);
  EXPECT_EQ(expected.packets.size(), clip.size());
  for (const int in_flight : {2, 8}) EXPECT_EQ(packets(in_flight), expected) << in_flight << " in flight";
}

TEST(ConstantQuality, GoesWithTheFastestPreset) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 96, 64, 24);
  const Stream stream = encode(clip, config_of(clip, 26, "fastest"));
  EXPECT_NEAR(mean(luma_psnr(clip, stream)), target(26), 0.5);
}

TEST(ConstantQuality, IsSetAtRunTimeWithoutAKeyFrame) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 96, 64, 60);
  Config c = config_for(clip[0], "default");
  c.qp = 20;
  c.scene_cut = 0;
  c.key_interval = 0;
  Encoder encoder(c);
  Stream stream;
  const Unit header = encoder.header();
  stream.header.assign(header.bytes().begin(), header.bytes().end());
  for (size_t i = 0; i < clip.size(); ++i) {
    if (i == 10) encoder.set_crf(36);
    if (i == 30) encoder.set_crf(24.5);
    if (i == 50) encoder.set_qp(40);
    ASSERT_TRUE(encoder.send(picture_of(clip[i])));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit.has_value());
    EXPECT_EQ(unit->key_frame, i == 0 ? 1 : 0) << i;
    EXPECT_EQ(unit->step == 64.0, i >= 50) << i;
    stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
  }
  const std::vector<double> values = luma_psnr(clip, stream);
  EXPECT_NEAR(mean({values.begin() + 20, values.begin() + 30}), target(36), 0.5);
  EXPECT_NEAR(mean({values.begin() + 40, values.begin() + 50}), target(24.5), 0.5);
}

TEST(ConstantQuality, NoPacketIsLargerThanAllowed) {
  const auto clip = noisy_clip(12, false);
  Config c = config_of(clip, 18);
  c.key_interval = 5;
  const Stream free = encode(clip, c);
  size_t largest = 0;
  for (const Bytes& packet : free.packets) largest = std::max(largest, packet.size());
  c.max_frame_bytes = static_cast<int64_t>(largest);
  EXPECT_EQ(encode(clip, c), free);  // a limit that nothing reaches
  c.max_frame_bytes = static_cast<int64_t>(largest / 2);
  for (const int in_flight : {1, 8}) {
    c.frames_in_flight = in_flight;
    const Stream stream = encode(clip, c);
    for (const Bytes& packet : stream.packets) EXPECT_LE(packet.size(), largest / 2);
    EXPECT_EQ(decode(stream).size(), clip.size());
  }
}

TEST(ConstantQuality, ALimitThatNeverBindsChangesNoByte) {
  // Steps rise and fall: none of them may be taken for a limit's.
  const auto clip = moving_clip(CTV_FORMAT_I420, 320, 240, 24);
  Config c = config_of(clip, 27);
  c.key_interval = 7;
  const Stream free = encode(clip, c);
  c.max_frame_bytes = 1 << 30;
  EXPECT_EQ(encode(clip, c), free);
}

TEST(ConstantQuality, ExcludesABitrateAtRunTime) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 32, 16, 1);
  Encoder encoder(config_of(clip, 26));
  EXPECT_EQ(ctv_encoder_set_bitrate(encoder.get(), 100000, 0), CTV_ERROR_ARGUMENT);
  encoder.set_bitrate(0, 5000);
  encoder.set_qp(26);
  encoder.set_bitrate(100000);
  EXPECT_EQ(ctv_encoder_set_crf(encoder.get(), 26), CTV_ERROR_ARGUMENT);
  encoder.set_crf(-1);
}

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Directional lifting in whole streams: slopes travel in key frames, save bits, and change with nothing that
// must not change bytes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/codec.hpp"
#include "tests/support/devices.hpp"

namespace ctv::test {
namespace {

constexpr int kClipWidth = 150;
constexpr int kClipHeight = 97;

ctv_packet_info info_of(const Stream& stream, const Bytes& packet) {
  ctv_packet_info info{};
  info.struct_size = sizeof info;
  check(ctv_packet_info_parse(stream.header.data(), stream.header.size(), packet.data(), packet.size(), &info,
                              nullptr, 0));
  return info;
}

// Slopes of one scale.
std::vector<int8_t> slopes_of(const Stream& stream, const Bytes& packet, int32_t scale) {
  int32_t rows = -1;
  int32_t cols = -1;
  std::vector<int8_t> slopes(100, 99);
  check(ctv_packet_slopes(stream.header.data(), stream.header.size(), packet.data(), packet.size(), scale,
                          slopes.data(), slopes.size(), &rows, &cols));
  slopes.resize(static_cast<size_t>(rows * cols));
  return slopes;
}

// Grey frames of sample(y, x, n).
template <typename Sample>
std::vector<Frame> grey_clip(int frames, Sample sample) {
  std::vector<Frame> clip;
  for (int n = 0; n < frames; ++n) {
    Frame frame = make_frame(CTV_FORMAT_GRAY8, kClipWidth, kClipHeight);
    for (int y = 0; y < kClipHeight; ++y) {
      for (int x = 0; x < kClipWidth; ++x)
        frame.planes[0][static_cast<size_t>(y * kClipWidth + x)] = static_cast<uint8_t>(sample(y, x, n));
    }
    clip.push_back(std::move(frame));
  }
  return clip;
}

// Stripes that lean by as many columns per row as their part of the picture says, and move.
std::vector<Frame> slanted_clip(int frames) {
  return grey_clip(frames, [](int y, int x, int n) {
    const int slope = std::array{2, -1, 1, -2}[static_cast<size_t>(x / 38)];
    return 40 + 11 * ((x + n - slope * y + 2 * kClipHeight) % 16);
  });
}

// Fine waves that lean to one side and, in the other half of the picture, to the other. They move.
std::vector<Frame> hatched_clip(int frames) {
  return grey_clip(frames, [](int y, int x, int n) {
    const double lean = (x < kClipWidth / 2 ? 1.3 : -1.3) * y;
    return std::lround(120 + 90 * std::cos(2.4 * (x + n) + lean));
  });
}

TEST(Slopes, HaveDirectionsBesideThemThatSaveBits) {
  const auto clip = hatched_clip(4);
  for (const char* preset : {"default", "fast", "slow", "lossless"}) {
    SCOPED_TRACE(preset);
    Config c = config_for(clip[0], preset);
    c.key_interval = 3;
    c.scene_cut = 0;
    const Stream stream = encode(clip, c);
    EXPECT_GT(info_of(stream, stream.packets[0]).band_directions[0], 1);
    EXPECT_EQ(info_of(stream, stream.packets[1]).band_directions[0], 0);  // a predicted frame
    const auto decoded = decode(stream);
    ASSERT_EQ(decoded.size(), clip.size());
    if (c.lossless != 0) {
      EXPECT_EQ(decoded, clip);
    }
    for (const int threads : {1, 5}) {
      c.threads = threads;
      EXPECT_EQ(encode(clip, c), stream) << threads;
    }
    c.directional_lifting = 0;
    const Stream plain = encode(clip, c);
    EXPECT_LT(stream.packets[0].size(), plain.packets[0].size() * 19 / 20);
    EXPECT_EQ(info_of(plain, plain.packets[0]).band_directions[0], 0);
  }
}

TEST(Slopes, TravelInKeyFramesAndSaveBits) {
  const auto clip = slanted_clip(5);
  for (const char* preset : {"default", "fast", "slow", "lossless"}) {
    SCOPED_TRACE(preset);
    Config c = config_for(clip[0], preset);
    c.key_interval = 3;
    const Stream stream = encode(clip, c);
    for (size_t n = 0; n < stream.packets.size(); ++n) {
      const ctv_packet_info info = info_of(stream, stream.packets[n]);
      if (n % 3 != 0) {
        EXPECT_EQ(info.slope_blocks, 0);
        continue;
      }
      EXPECT_EQ(info.slope_blocks, 7 * 10 + 4 * 5 + 2 * 3);  // of 112x160, 56x80, 28x40
      EXPECT_GT(info.slanted_blocks, info.slope_blocks / 2);
      EXPECT_GT(info.side_size, 0U);
    }
    const auto decoded = decode(stream);
    ASSERT_EQ(decoded.size(), clip.size());
    if (c.lossless != 0) {
      EXPECT_EQ(decoded, clip);
    }
    c.directional_lifting = 0;
    const Stream plain = encode(clip, c);
    EXPECT_LT(stream.packets[0].size(), plain.packets[0].size() * 9 / 10);
    EXPECT_EQ(info_of(plain, plain.packets[0]).slope_blocks, 0);
  }
}

TEST(Slopes, AreTold) {
  const auto clip = slanted_clip(2);
  const Stream stream = encode(clip, config_for(clip[0], "default"));
  const std::vector<int8_t> finest = slopes_of(stream, stream.packets[0], 1);
  ASSERT_EQ(finest.size(), 7U * 10U);
  // Blocks that lie in one kind of stripes as a whole.
  EXPECT_EQ(finest[2 * 10 + 0], 4);
  EXPECT_EQ(finest[2 * 10 + 3], -2);
  EXPECT_EQ(finest[2 * 10 + 5], 2);
  EXPECT_EQ(finest[2 * 10 + 8], -4);
  int slanted = 0;
  for (const int32_t scale : {1, 2, 3})
    for (const int8_t slope : slopes_of(stream, stream.packets[0], scale)) slanted += slope != 0 ? 1 : 0;
  EXPECT_EQ(slanted, info_of(stream, stream.packets[0]).slanted_blocks);
  EXPECT_EQ(slopes_of(stream, stream.packets[1], 1).size(), 0U);  // a predicted frame
}

TEST(Slopes, AreThoseOfEveryNumberOfThreadsAndOfRepeatedCalls) {
  const auto clip = slanted_clip(8);
  Config c = config_for(clip[0], "default", 1);
  c.key_interval = 1;
  const Stream expected = encode(clip, c);
  for (const int threads : {2, 7}) {
    c.threads = threads;
    EXPECT_EQ(encode(clip, c), expected) << threads;
  }
  c.frames_in_flight = 3;
  EXPECT_EQ(encode(clip, c), expected) << "in flight";
  c.backend = CTV_BACKEND_CUDA;
  const DeviceThatRepeats device;
  EXPECT_EQ(encode(clip, c), expected);
  EXPECT_GT(DeviceThatRepeats::repeated(), 0);
}

// What cannot have slopes says so in its header.
TEST(Slopes, NeedTheNineSevenAndPicturePrediction) {
  const auto clip = slanted_clip(2);
  const auto lifts = [&](void (*change)(ctv_config&)) {
    Config c = config_for(clip[0], "default");
    change(c);
    const Stream stream = encode(clip, c);
    EXPECT_EQ(decode(stream).size(), clip.size());
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    check(ctv_stream_info_parse(stream.header.data(), stream.header.size(), &info));
    return info.directional_lifting;
  };
  EXPECT_EQ(lifts([](ctv_config&) {}), 1);
  EXPECT_EQ(lifts([](ctv_config& c) { c.scales = 1; }), 1);
  EXPECT_EQ(lifts([](ctv_config& c) { c.pyramid = CTV_PYRAMID_WAVELET_5_3; }), 0);
  EXPECT_EQ(lifts([](ctv_config& c) { c.pyramid = CTV_PYRAMID_LAPLACIAN; }), 0);
  EXPECT_EQ(lifts([](ctv_config& c) {
              c.prediction = CTV_PREDICTION_SUBBAND;
              c.subpel = c.overlap = c.split = c.rdoq = 0;
            }),
            0);
}

// A lowpass along slopes is a lowpass: at half the resolution a key frame is nearly as near to the mean of
// 2x2 samples as without slopes, even with stripes that only lean.
TEST(Slopes, GiveReducedResolutions) {
  const auto clip = slanted_clip(1);
  Config c = config_for(clip[0], "default");
  c.qp = 12;
  const Frame with = decode(encode(clip, c), decoder_config(2, 1))[0];
  c.directional_lifting = 0;
  const Frame without = decode(encode(clip, c), decoder_config(2, 1))[0];
  Frame mean = make_frame(CTV_FORMAT_GRAY8, with.width, with.height);
  for (int y = 0; y < mean.height; ++y) {
    for (int x = 0; x < mean.width; ++x) {
      int sum = 0;
      for (int k = 0; k < 4; ++k) {
        const int row = std::min(2 * y + k / 2, clip[0].height - 1);
        const int col = std::min(2 * x + k % 2, clip[0].width - 1);
        sum += clip[0].planes[0][static_cast<size_t>(row * clip[0].width + col)];
      }
      mean.planes[0][static_cast<size_t>(y * mean.width + x)] = static_cast<uint8_t>((sum + 2) / 4);
    }
  }
  EXPECT_GT(psnr(with, mean), psnr(without, mean) - 2);
}

}  // namespace
}  // namespace ctv::test

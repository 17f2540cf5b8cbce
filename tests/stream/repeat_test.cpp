// SPDX-License-Identifier: BSD-3-Clause
// A backend that makes the calls of an equal frame again instead of being called: what FrameCalls tells must
// be all that a frame's calls depend on, so bytes and pictures stay the same.
#include <gtest/gtest.h>

#include "tests/support/clip.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/devices.hpp"

namespace ctv::test {
namespace {

constexpr int kRepeatedFrames = 40;

struct RepeatCase {
  const char* preset;
  int frames_in_flight;
  ctv_format format = CTV_FORMAT_I420;
};

class Repeat : public testing::TestWithParam<RepeatCase> {
 protected:
  Config config(const std::vector<Frame>& clip) const {
    Config c = config_for(clip[0], GetParam().preset, 2);
    c.key_interval = 9;
    c.frames_in_flight = GetParam().frames_in_flight;
    return c;
  }
};

/// Packets of a clip; the quantiser, and with it the calls, change in the dc_offset and back again.
std::vector<Bytes> packets_of(const std::vector<Frame>& clip, const Config& config, bool change) {
  Encoder encoder(config);
  std::vector<Bytes> packets;
  const auto receive = [&] {
    while (const auto unit = encoder.receive()) packets.emplace_back(unit->data, unit->data + unit->size);
  };
  for (size_t n = 0; n < clip.size(); ++n) {
    if (change && n == 20) encoder.set_qp(40);
    if (change && n == 30) config.qp >= 0 ? encoder.set_qp(config.qp) : encoder.set_step(config.step);
    while (!encoder.send(picture_of(clip[n]))) receive();
    receive();
  }
  encoder.flush();
  receive();
  return packets;
}

TEST_P(Repeat, TheEncoderGivesTheSameBytes) {
  const std::vector<Frame> clip = moving_clip(GetParam().format, 70, 50, kRepeatedFrames);
  Config c = config(clip);
  const bool change = c.lossless == 0;
  const std::vector<Bytes> expected = packets_of(clip, c, change);
  ASSERT_EQ(expected.size(), clip.size());
  c.backend = CTV_BACKEND_CUDA;
  const DeviceThatRepeats device;
  EXPECT_EQ(packets_of(clip, c, change), expected);
  EXPECT_GT(DeviceThatRepeats::repeated(), 4);
}

TEST_P(Repeat, TheDecoderGivesTheSamePictures) {
  const std::vector<Frame> clip = moving_clip(GetParam().format, 70, 50, kRepeatedFrames);
  const Stream stream = encode(clip, config(clip));
  for (const int reduction : {0, 1}) {
    if (at_reduction(stream, reduction) != stream) continue;
    DecoderConfig d = decoder_config(2, reduction);
    d.frames_in_flight = GetParam().frames_in_flight;
    const std::vector<Frame> expected = decode(stream, d);
    ASSERT_EQ(expected.size(), clip.size());
    d.backend = CTV_BACKEND_CUDA;
    const DeviceThatRepeats device;
    EXPECT_EQ(decode(stream, d), expected) << "reduction " << reduction;
    EXPECT_GT(DeviceThatRepeats::repeated(), 10);
  }
}

// Frames are measured, with a few meters in turn, and steps come back.
TEST(Repeat, FramesOfConstantQualityAreMeasuredAgain) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 70, 50, 2 * kRepeatedFrames);
  Config c = config_for(clip[0], "default", 2);
  c.crf = 24;
  c.frames_in_flight = 3;
  const Stream expected = encode(clip, c);
  c.backend = CTV_BACKEND_CUDA;
  const DeviceThatRepeats device;
  EXPECT_EQ(encode(clip, c), expected);
  EXPECT_GT(DeviceThatRepeats::repeated(), 4);
  DecoderConfig d = decoder_config(2);
  d.frames_in_flight = 3;
  const std::vector<Frame> pictures = decode(expected, d);
  d.backend = CTV_BACKEND_CUDA;
  EXPECT_EQ(decode(expected, d), pictures);
}

// A first try is repeated, and further ones follow it where its size was wrong.
TEST(Repeat, FramesOfWantedSizesAreTriedTheSame) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 70, 50, kRepeatedFrames);
  for (const int64_t bitrate : {20000, 60000, 0}) {
    Config c = config_for(clip[0], "default", 2);
    c.bitrate = bitrate;
    c.max_frame_bytes = bitrate == 0 ? 300 : 0;
    c.backend = CTV_BACKEND_CPU;
    const Stream expected = encode(clip, c);
    c.backend = CTV_BACKEND_CUDA;
    const DeviceThatRepeats device;
    EXPECT_EQ(encode(clip, c), expected) << bitrate;
    EXPECT_GT(DeviceThatRepeats::repeated(), 4) << bitrate;
  }
}

// What was kept of the stream before must not be repeated, although addresses may come back.
TEST(Repeat, AStreamAfterAnotherIsANewOne) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 70, 50, kRepeatedFrames);
  Config c = config_for(clip[0], "default", 1);
  c.key_interval = 9;
  const Stream expected = encode(clip, c);
  const std::vector<Frame> pictures = decode(expected, decoder_config(1));
  c.backend = CTV_BACKEND_CUDA;
  const DeviceThatRepeats device;
  Encoder encoder(c);
  DecoderConfig d = decoder_config(1);
  d.backend = CTV_BACKEND_CUDA;
  Decoder decoder(d);
  for (int stream = 0; stream < 3; ++stream) {
    if (stream > 0) encoder.reconfigure(c);
    EXPECT_TRUE(decoder.send(expected.header));
    for (size_t n = 0; n < clip.size(); ++n) {
      EXPECT_TRUE(encoder.send(picture_of(clip[n])));
      const auto unit = encoder.receive();
      ASSERT_TRUE(unit);
      if (stream == 0) {
        EXPECT_EQ(Bytes(unit->data, unit->data + unit->size), expected.packets[n]) << "frame " << n;
      }
      EXPECT_TRUE(decoder.send(expected.packets[n]));
      const auto picture = decoder.receive();
      ASSERT_TRUE(picture);
      EXPECT_EQ(copy_of(*picture), pictures[n]) << "stream " << stream << ", frame " << n;
    }
  }
  EXPECT_GT(DeviceThatRepeats::repeated(), 20);
}

INSTANTIATE_TEST_SUITE_P(Presets, Repeat,
                         testing::Values(RepeatCase{"default", 1}, RepeatCase{"default", 2},
                                         RepeatCase{"default", 3}, RepeatCase{"slow", 5},
                                         RepeatCase{"paper", 1, CTV_FORMAT_RGB8}, RepeatCase{"paper", 3},
                                         RepeatCase{"lossless", 4}),
                         [](const auto& i) {
                           return std::string(i.param.preset) + std::to_string(i.param.frames_in_flight);
                         });

}  // namespace
}  // namespace ctv::test

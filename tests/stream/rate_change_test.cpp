// SPDX-License-Identifier: BSD-3-Clause
// A bitrate or largest packet that comes and goes between frames: they are coded one by one meanwhile.
#include <gtest/gtest.h>

#include "tests/support/clip.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/fallback.hpp"

namespace ctv::test {
namespace {

constexpr int kBitrateAt = 5;
constexpr int kNoneAt = 9;
constexpr int kLargestAt = 12;

Config config_of(const std::vector<Frame>& clip, const char* preset, int frames_in_flight, int threads) {
  Config c = config_for(clip[0], preset, threads);
  c.key_interval = 8;
  c.frames_in_flight = frames_in_flight;
  return c;
}

bool coded_alone(int frame) { return (frame >= kBitrateAt && frame < kNoneAt) || frame >= kLargestAt; }

// Receives no packet before it must.
Stream encode_with_changes(const std::vector<Frame>& clip, const ctv_config& config) {
  Encoder encoder(config);
  Stream stream;
  const Unit header = encoder.header();
  stream.header.assign(header.bytes().begin(), header.bytes().end());
  size_t sent = 0;
  const auto receive = [&] {
    const auto unit = encoder.receive();
    if (unit) stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
    return unit.has_value();
  };
  for (int i = 0; i < static_cast<int>(clip.size()); ++i) {
    if (i == kBitrateAt) encoder.set_bitrate(60000);
    if (i == kNoneAt) encoder.set_bitrate(0);
    if (i == kLargestAt) encoder.set_bitrate(0, 2000);
    while (!encoder.send(picture_of(clip[static_cast<size_t>(i)]))) {
      // A full encoder has a packet, and where the number of frames in flight changes gives all of them.
      EXPECT_TRUE(receive()) << i;
      EXPECT_LT(stream.packets.size(), sent + 1);
    }
    ++sent;
    const size_t waiting = sent - stream.packets.size();
    EXPECT_LE(waiting, coded_alone(i) ? 1U : static_cast<size_t>(config.frames_in_flight)) << i;
  }
  encoder.flush();
  while (receive()) {
  }
  EXPECT_EQ(stream.packets.size(), clip.size());
  return stream;
}

class RateChange : public testing::TestWithParam<const char*> {};

TEST_P(RateChange, NoByteDependsOnFramesInFlight) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 16);
  const Stream one = encode_with_changes(clip, config_of(clip, GetParam(), 1, 1));
  EXPECT_EQ(decode(one).size(), clip.size());
  for (const int frames : {2, 4, 16}) {
    EXPECT_EQ(encode_with_changes(clip, config_of(clip, GetParam(), frames, 2)), one) << frames;
  }
}

TEST_P(RateChange, WithABitrateAPacketIsCompleteWhenSendReturns) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 6);
  Encoder encoder(config_of(clip, GetParam(), 4, 2));
  encoder.set_bitrate(60000);
  for (const Frame& frame : clip) {
    ASSERT_TRUE(encoder.send(picture_of(frame)));
    EXPECT_FALSE(encoder.send(picture_of(frame)));
    EXPECT_TRUE(encoder.receive().has_value());
    EXPECT_FALSE(encoder.receive().has_value());
  }
}

TEST_P(RateChange, AFailingDeviceLosesNoFrame) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 14);
  Config c = config_of(clip, GetParam(), 3, 1);
  const Stream expected = encode_with_changes(clip, c);
  c.backend = CTV_BACKEND_CUDA;
  for (const Failure failure : {Failure::kForGood, Failure::kMemoryOnce}) {
    const auto run = [&](long) { expect_key_frame_at_switch(encode_with_changes(clip, c), expected); };
    EXPECT_GT(for_each_failure(3, run, failure), 100 / kCallStep);
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, RateChange, testing::Values("paper", "default"),
                         [](const testing::TestParamInfo<const char*>& i) { return std::string(i.param); });

}  // namespace
}  // namespace ctv::test

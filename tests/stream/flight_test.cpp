// SPDX-License-Identifier: BSD-3-Clause
// Lost, repeated and refused units, with one frame in flight and with several.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/damage.hpp"

namespace ctv::test {
namespace {

std::vector<Event> events_of(const std::vector<Bytes>& units, int frames_in_flight, int threads) {
  DecoderConfig config = decoder_config(threads);
  config.frames_in_flight = frames_in_flight;
  config.limits.max_pixels = 1024;
  return test::events_of(units, config);
}

Stream clip_stream(const char* preset, int width, uint32_t seed, int frames = 9) {
  const auto clip = moving_clip(CTV_FORMAT_I420, width, 24, frames, seed);
  Config config = config_for(clip[0], preset, 1);
  config.key_interval = 5;
  return encode(clip, config, true);
}

std::vector<ctv_status> statuses(const std::vector<Event>& events) {
  std::vector<ctv_status> out;
  for (const Event& event : events) out.push_back(std::get<0>(event));
  return out;
}

class Flight : public testing::TestWithParam<const char*> {};

TEST_P(Flight, ARepeatedPredictedFrameIsDropped) {
  const Stream stream = clip_stream(GetParam(), 40, 1, 4);
  const auto& p = stream.packets;
  const std::vector<Event> once = events_of({stream.header, p[0], p[1], p[2], p[3]}, 1, 1);
  for (const int frames : {1, 2, 4}) {
    const std::vector<Bytes> twice = {stream.header, p[0], p[1], p[1], p[1], p[1], p[2], p[3], p[3], p[3]};
    EXPECT_EQ(events_of(twice, frames, 2), once) << frames;
  }
}

TEST_P(Flight, ALostFrameCostsItsFollowersUpToTheKeyFrameAndADamagedOneMayComeAgain) {
  const Stream stream = clip_stream(GetParam(), 40, 1, 7);
  const auto& p = stream.packets;
  Bytes damaged = p[1];
  damaged.back() ^= 1;
  for (const int frames : {1, 2, 4}) {
    EXPECT_EQ(statuses(events_of({stream.header, p[0], p[2], p[3], p[5], p[6]}, frames, 2)),
              (std::vector<ctv_status>{CTV_OK, CTV_ERROR_REFERENCE, CTV_ERROR_REFERENCE, CTV_OK, CTV_OK}));
    EXPECT_EQ(statuses(events_of({stream.header, p[0], damaged, p[2], p[1], p[2]}, frames, 2)),
              (std::vector<ctv_status>{CTV_OK, CTV_ERROR_STREAM, CTV_ERROR_REFERENCE, CTV_OK, CTV_OK}));
  }
}

TEST_P(Flight, ADamagedHeaderChangesNothingAndARefusedOneEndsTheStream) {
  const Stream stream = clip_stream(GetParam(), 40, 1, 2);
  Bytes damaged = stream.header;
  damaged.back() ^= 1;
  const Bytes large = clip_stream(GetParam(), 64, 1, 1).header;
  for (const int frames : {1, 2, 4}) {
    EXPECT_EQ(statuses(events_of({stream.header, stream.packets[0], damaged, stream.packets[1]}, frames, 1)),
              (std::vector<ctv_status>{CTV_OK, CTV_ERROR_STREAM, CTV_OK}));
    EXPECT_EQ(statuses(events_of({stream.header, stream.packets[0], large, stream.packets[1]}, frames, 1)),
              (std::vector<ctv_status>{CTV_OK, CTV_ERROR_LIMIT, CTV_ERROR_STATE}));
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Flight, testing::Values("paper", "default"),
                         [](const testing::TestParamInfo<const char*>& i) { return std::string(i.param); });

}  // namespace
}  // namespace ctv::test

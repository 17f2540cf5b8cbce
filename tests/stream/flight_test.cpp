// SPDX-License-Identifier: BSD-3-Clause
// Pictures and errors of a damaged stream do not depend on frames in flight or threads.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"
#include "tests/support/repair.hpp"

namespace ctv::test {
namespace {

// A picture, or an error and its message.
using Event = std::tuple<ctv_status, int64_t, uint64_t, std::string>;

std::vector<Event> events_of(const std::vector<Bytes>& units, int frames_in_flight, int threads) {
  DecoderConfig config = decoder_config(threads);
  config.frames_in_flight = frames_in_flight;
  config.limits.max_pixels = 1024;
  Decoder decoder(config);
  std::vector<Event> events;
  const auto note = [&](ctv_status status) {
    if (status < 0) events.emplace_back(status, 0, 0, ctv_last_error());
  };
  const auto receive = [&] {
    ctv_picture picture = make_picture(CTV_FORMAT_NONE, 0, 0);
    const ctv_status status = ctv_decoder_receive(decoder.get(), &picture);
    if (status == CTV_OK) events.emplace_back(status, picture.frame_number, digest(copy_of(picture)), "");
    note(status);
    return status;
  };
  for (const Bytes& unit : units) {
    ctv_status sent = CTV_AGAIN;
    while ((sent = ctv_decoder_send(decoder.get(), unit.data(), unit.size())) == CTV_AGAIN) {
      const ctv_status received = receive();
      EXPECT_TRUE(received == CTV_OK || received < 0) << "neither send nor receive goes on";
      if (received > 0) return events;
    }
    note(sent);
    if (frames_in_flight == 1) {
      while (receive() == CTV_OK) {
      }
    }
  }
  decoder.flush();
  for (ctv_status status = CTV_OK; status != CTV_END;) {
    status = receive();
    EXPECT_NE(status, CTV_AGAIN) << "after a flush";
    if (status == CTV_AGAIN) break;
  }
  return events;
}

void expect_equal_in_flight(const std::vector<Bytes>& units, const std::string& what) {
  const std::vector<Event> expected = events_of(units, 1, 1);
  for (const auto& [frames, threads] : {std::pair{1, 3}, {2, 1}, {2, 3}, {4, 1}, {4, 3}}) {
    const std::vector<Event> got = events_of(units, frames, threads);
    ASSERT_EQ(got.size(), expected.size()) << what << ", " << frames << " in flight";
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], expected[i]) << what << ", event " << i << ", " << frames << " in flight: \""
                                     << std::get<3>(got[i]) << "\", \"" << std::get<3>(expected[i]) << "\"";
    }
  }
}

Stream clip_stream(const char* preset, int width, uint32_t seed, int frames = 9) {
  const auto clip = moving_clip(CTV_FORMAT_I420, width, 24, frames, seed);
  Config config = config_for(clip[0], preset, 1);
  config.key_interval = 5;
  return encode(clip, config, true);
}

std::vector<Bytes> units_of(const Stream& stream) {
  std::vector<Bytes> units = {stream.header};
  units.insert(units.end(), stream.packets.begin(), stream.packets.end());
  units.push_back(stream.index);
  return units;
}

std::vector<ctv_status> statuses(const std::vector<Event>& events) {
  std::vector<ctv_status> out;
  for (const Event& event : events) out.push_back(std::get<0>(event));
  return out;
}

class Flight : public testing::TestWithParam<const char*> {};

TEST_P(Flight, DamagedReorderedRepeatedAndSplicedStreamsGiveTheSame) {
  const std::vector<Stream> streams = {clip_stream(GetParam(), 40, 1), clip_stream(GetParam(), 40, 2),
                                       clip_stream(GetParam(), 24, 3)};
  const auto layers = layers_of_components(streams[0].header);
  Random random(11);
  size_t pictures = 0, errors = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<Bytes> units = units_of(streams[0]);
    const auto any = [&](const std::vector<Bytes>& of) {
      return static_cast<size_t>(random.between(0, static_cast<int>(of.size()) - 1));
    };
    const int changes = random.between(1, 4);
    for (int change = 0; change < changes; ++change) {
      const size_t at = any(units);
      const auto place = units.begin() + static_cast<ptrdiff_t>(at);
      Bytes& unit = units[at];
      switch (random.between(0, 7)) {
        case 0:
          unit[static_cast<size_t>(random.between(0, static_cast<int>(unit.size()) - 1))] ^= 0x10;
          break;
        case 1:  // damage that only the symbols show
          if (unit.size() < 60 || unit[3] != 'P') break;
          unit[static_cast<size_t>(random.between(40, static_cast<int>(unit.size()) - 1))] = random.byte();
          repair_packet(unit, layers);
          break;
        case 2:
          unit.resize(static_cast<size_t>(random.between(0, static_cast<int>(unit.size()) - 1)));
          if (unit.empty()) units.erase(place);
          break;
        case 3:
          units.insert(place, Bytes(unit));
          break;
        case 4:
          std::swap(unit, units[any(units)]);
          break;
        case 5:
          if (units.size() > 2) units.erase(place);
          break;
        default: {
          const std::vector<Bytes> other = units_of(streams[static_cast<size_t>(random.between(1, 2))]);
          const size_t from = any(other);
          units.insert(place, other.begin() + static_cast<ptrdiff_t>(from), other.end());
        }
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal_in_flight(units, "round " + std::to_string(round)));
    for (const ctv_status status : statuses(events_of(units, 1, 1))) (status < 0 ? errors : pictures) += 1;
  }
  EXPECT_GT(pictures, 300U);
  EXPECT_GT(errors, 60U);
}

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

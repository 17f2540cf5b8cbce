// SPDX-License-Identifier: BSD-3-Clause
// What ties packets together: the check of a reference. And what ties them to time and to their caller.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

// ---- The check of a reference -----------------------------------------------------------------------------

TEST(ReferenceCheck, APacketOfAnotherEncodingIsNoticed) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 6);
  for (const char* preset : {"default", "paper"}) {
    for (const int in_flight : {1, 3}) {
      SCOPED_TRACE(std::string(preset) + ", in flight: " + std::to_string(in_flight));
      Config c = config_for(clip[0], preset);
      c.key_interval = 5;
      c.frames_in_flight = in_flight;
      const Stream fine = encode(clip, c);
      c.qp = -1;
      c.step = 24;
      const Stream coarse = encode(clip, c);
      ASSERT_EQ(fine.header, coarse.header);
      DecoderConfig d = decoder_config();
      d.frames_in_flight = in_flight;
      Stream mixed = fine;
      mixed.packets[1] = coarse.packets[1];
      Decoder decoder(d);
      EXPECT_TRUE(decoder.send(mixed.header));
      size_t pictures = 0;
      size_t refused = 0;
      const auto receive = [&] {
        try {
          while (decoder.receive()) ++pictures;
        } catch (const Error& e) {
          ++refused;
          EXPECT_NE(std::string(e.what()).find("refers to frame"), std::string::npos) << e.what();
        }
      };
      const auto send = [&](const Bytes& packet) {
        for (;;) {
          try {
            if (decoder.send(packet)) return;
          } catch (const Error& e) {
            ++refused;
            EXPECT_NE(std::string(e.what()).find("refers to frame"), std::string::npos) << e.what();
            return;
          }
          receive();
        }
      };
      for (size_t i : {0U, 1U, 5U}) send(mixed.packets[i]);
      decoder.flush();
      for (int i = 0; i < 4; ++i) receive();
      EXPECT_EQ(pictures, 2U) << "both key frames";
      EXPECT_EQ(refused, 1U);
    }
  }
}

TEST(ReferenceCheck, LayersMayBeCutFromTheReference) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 4);
  const Stream stream = encode(clip, config_for(clip[0], "paper"));
  const auto expected = decode(stream, decoder_config(2, 1));
  Stream cut = stream;
  for (Bytes& packet : cut.packets) {
    ctv_packet_info info{};
    info.struct_size = sizeof info;
    std::vector<ctv_component_info> components(64);
    ASSERT_EQ(ctv_packet_info_parse(stream.header.data(), stream.header.size(), packet.data(), packet.size(),
                                    &info, components.data(), components.size()),
              CTV_OK);
    size_t kept = info.header_size + info.side_size;
    for (int32_t i = 0; i < info.components; ++i) {
      const ctv_component_info& component = components[static_cast<size_t>(i)];
      if (component.layer < info.layers - 1) kept += component.size;
    }
    packet.resize(kept);
  }
  const auto decoded = decode(cut, decoder_config(2, 1));
  ASSERT_EQ(decoded.size(), clip.size());
  for (size_t i = 0; i < clip.size(); ++i) EXPECT_EQ(digest(decoded[i]), digest(expected[i])) << i;
}

// ---- Time and opaque pointers -----------------------------------------------------------------------------

struct Time {
  int64_t timestamp, duration;
  friend bool operator==(const Time&, const Time&) = default;
};
struct TimedUnit {
  Bytes bytes;
  Time time;
  void* opaque;
};
struct TimedStream {
  Bytes header, index;
  std::vector<TimedUnit> units;
};

TimedStream encode_timed(const std::vector<Frame>& clip, const std::vector<Time>& times,
                         const ctv_config& config) {
  Encoder encoder(config);
  TimedStream coded;
  const auto header = encoder.header().bytes();
  coded.header.assign(header.begin(), header.end());
  const auto receive = [&] {
    while (auto u = encoder.receive()) {
      coded.units.push_back({{u->bytes().begin(), u->bytes().end()}, {u->timestamp, u->duration}, u->opaque});
    }
  };
  for (size_t i = 0; i < clip.size(); ++i) {
    ctv_picture p = picture_of(clip[i]);
    p.timestamp = times[i].timestamp;
    p.duration = times[i].duration;
    p.opaque = const_cast<Frame*>(&clip[i]);
    while (!encoder.send(p)) receive();
  }
  encoder.flush();
  receive();
  const auto index = encoder.index().bytes();
  coded.index.assign(index.begin(), index.end());
  for (size_t i = 0; i < coded.units.size(); ++i) EXPECT_EQ(coded.units[i].opaque, &clip[i]);
  return coded;
}

std::vector<Time> times_of(const TimedStream& coded) {
  std::vector<Time> times;
  for (const TimedUnit& u : coded.units) times.push_back(u.time);
  return times;
}

/// What the decoder, the packets' headers and the index say; all the same.
std::vector<Time> decoded_times(const TimedStream& coded, int in_flight) {
  DecoderConfig config = decoder_config();
  config.frames_in_flight = in_flight;
  Decoder decoder(config);
  EXPECT_TRUE(decoder.send(coded.header));
  std::vector<Time> times;
  const auto receive = [&] {
    while (auto p = decoder.receive()) {
      EXPECT_EQ(p->opaque, &coded.units[times.size()]);
      times.push_back({p->timestamp, p->duration});
    }
  };
  for (const TimedUnit& u : coded.units) {
    while (!decoder.send(u.bytes, const_cast<TimedUnit*>(&u))) receive();
  }
  decoder.flush();
  receive();
  std::vector<ctv_index_entry> entries(coded.units.size());
  size_t count = 0;
  EXPECT_EQ(ctv_index_parse(coded.index.data(), coded.index.size(), entries.data(), entries.size(), &count),
            CTV_OK);
  EXPECT_EQ(count, coded.units.size());
  for (size_t i = 0; i < times.size() && i < count; ++i) {
    EXPECT_EQ(entries[i].timestamp, times[i].timestamp) << i;
    ctv_packet_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(ctv_packet_info_parse(coded.header.data(), coded.header.size(), coded.units[i].bytes.data(),
                                    coded.units[i].bytes.size(), &info, nullptr, 0),
              CTV_OK);
    EXPECT_EQ((Time{info.timestamp, info.duration}), times[i]) << i;
  }
  return times;
}

TEST(Time, OfPicturesComesBackFromTheStream) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 8);
  const std::vector<Time> times = {{0, 3000},   {3000, 3001},      {7000, 3000},           {9000, 1},
                                   {-5, 90000}, {INT64_MIN, 3000}, {INT64_MAX, INT32_MAX}, {21000, 3000}};
  for (const int in_flight : {1, 3}) {
    Config c = config_for(clip[0], "default");
    c.fps_num = 90000;
    c.fps_den = 3000;
    c.frames_in_flight = in_flight;
    const TimedStream coded = encode_timed(clip, times, c);
    EXPECT_EQ(times_of(coded), times);
    EXPECT_EQ(decoded_times(coded, in_flight), times);
  }
}

TEST(Time, OfAConstantRateCostsNothing) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 4);
  Config c = config_for(clip[0], "default");
  c.fps_num = 30000;
  c.fps_den = 1001;
  const std::vector<Time> regular = {{0, 1001}, {1001, 1001}, {2002, 1001}, {3003, 1001}};
  const TimedStream told = encode_timed(clip, regular, c);
  const TimedStream untold = encode_timed(clip, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}, c);
  EXPECT_EQ(decoded_times(told, 1), regular);
  EXPECT_EQ(times_of(untold), regular);
  EXPECT_EQ(told.index, untold.index);
  for (size_t i = 0; i < clip.size(); ++i) EXPECT_EQ(told.units[i].bytes, untold.units[i].bytes) << i;
}

// A camera knows when a picture was taken, not for how long it will be shown.
TEST(Time, OfPicturesWithoutADurationIsKept) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 4);
  Config c = config_for(clip[0], "default");
  c.fps_num = 90000;
  c.fps_den = 3000;
  const TimedStream coded = encode_timed(clip, {{0, 0}, {3100, 0}, {5900, 0}, {9000, 0}}, c);
  EXPECT_EQ(decoded_times(coded, 1),
            (std::vector<Time>{{0, 3000}, {3100, 3000}, {5900, 3000}, {9000, 3000}}));
}

TEST(Time, ADurationOutOfRangeIsRefused) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 1);
  Encoder encoder(config_for(clip[0], "default"));
  for (const int64_t duration : {int64_t{-1}, int64_t{INT32_MAX} + 1}) {
    ctv_picture p = picture_of(clip[0]);
    p.duration = duration;
    EXPECT_EQ(ctv_encoder_send(encoder.get(), &p), CTV_ERROR_ARGUMENT);
    EXPECT_NE(std::string(ctv_last_error()).find("picture.duration"), std::string::npos) << ctv_last_error();
  }
}

}  // namespace
}  // namespace ctv::test

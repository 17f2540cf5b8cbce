// SPDX-License-Identifier: BSD-3-Clause
// An encoder that goes on with another configuration: what it makes is what a new one makes, but for numbers.
#include <gtest/gtest.h>

#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/fallback.hpp"

namespace ctv::test {
namespace {

constexpr int kPartFrames = 4;  // of each part

struct Part {
  int width, height;
  int fps;
  const char* preset;
};
constexpr Part kParts[] = {
    {64, 48, 30, "default"}, {32, 24, 30, "default"}, {64, 48, 15, "fastest"}, {48, 48, 30, "default"}};

std::vector<Frame> clip_of(const Part& part) {
  return moving_clip(CTV_FORMAT_I420, part.width, part.height, kPartFrames);
}

Config config_of(const Part& part, ctv_backend backend, int in_flight) {
  Config c = config_for(clip_of(part)[0], part.preset, 1);
  c.fps_num = part.fps;
  c.fps_den = 1;
  c.key_interval = 0;
  c.slots = 3;
  c.backend = backend;
  c.frames_in_flight = in_flight;
  return c;
}

/// What one encoder makes of all parts: header and packets of each.
std::vector<Stream> encode_parts(ctv_backend backend, int in_flight, bool fails = false) {
  std::optional<Encoder> encoder;
  std::vector<Stream> streams;
  int64_t number = 0;
  for (const Part& part : kParts) {
    const Config config = config_of(part, backend, in_flight);
    if (encoder) {
      encoder->reconfigure(config);
    } else {
      encoder.emplace(config);
    }
    Stream& stream = streams.emplace_back();
    const auto header = encoder->header().bytes();
    stream.header.assign(header.begin(), header.end());
    const auto receive = [&] {
      while (const auto unit = encoder->receive()) {
        EXPECT_EQ(unit->frame_number, number++);
        EXPECT_TRUE(fails || (unit->key_frame != 0) == stream.packets.empty());
        stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
      }
    };
    const auto clip = clip_of(part);
    for (const Frame& frame : clip) {
      while (!encoder->send(picture_of(frame))) receive();
    }
    while (stream.packets.size() < clip.size()) receive();
  }
  return streams;
}

/// What one decoder shows of all parts.
std::vector<std::vector<Frame>> decode_parts(const std::vector<Stream>& streams, ctv_backend backend) {
  DecoderConfig config = decoder_config(1);
  config.backend = backend;
  Decoder decoder(config);
  std::vector<std::vector<Frame>> parts;
  for (const Stream& stream : streams) {
    auto& pictures = parts.emplace_back();
    EXPECT_TRUE(decoder.send(stream.header));
    for (const Bytes& packet : stream.packets) {
      EXPECT_TRUE(decoder.send(packet));
      while (const auto picture = decoder.receive()) pictures.push_back(copy_of(*picture));
    }
  }
  return parts;
}

class Reconfigure : public testing::TestWithParam<std::tuple<ctv_backend, int>> {};

TEST_P(Reconfigure, MakesWhatANewEncoderMakes) {
  const auto [backend, in_flight] = GetParam();
  if (backend == CTV_BACKEND_CUDA && ctv_device_count() <= 0) GTEST_SKIP() << "no device";
  const auto streams = encode_parts(backend, in_flight);
  EXPECT_EQ(streams, encode_parts(CTV_BACKEND_CPU, 1));
  const auto pictures = decode_parts(streams, backend);
  for (size_t i = 0; i < std::size(kParts); ++i) {
    const Stream fresh = encode(clip_of(kParts[i]), config_of(kParts[i], CTV_BACKEND_CPU, 1));
    EXPECT_EQ(streams[i].header, fresh.header) << i;
    EXPECT_EQ(pictures[i], decode(fresh)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Reconfigure,
                         testing::Combine(testing::ValuesIn(built_backends()), testing::Values(1, 3)));

// A device that fails before, during or after.
TEST(ReconfigureFallback, ThePartGoesOnWithAKeyFrame) {
  const auto expected = encode_parts(CTV_BACKEND_CPU, 1);
  const int whole = for_each_failure(7, [&](long) {
    const auto streams = encode_parts(CTV_BACKEND_CUDA, 1, true);
    int others = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (expect_key_frame_at_switch(streams[i], expected[i]) < streams[i].packets.size()) ++others;
    }
    EXPECT_LE(others, 1);
  });
  EXPECT_GT(whole, 30 / kCallStep);
}

TEST(ReconfigureRules, WhatCannotChangeIsRefusedAndChangesNothing) {
  const auto clip = clip_of(kParts[0]);
  const Config config = config_of(kParts[0], CTV_BACKEND_CPU, 1);
  const Stream expected = encode(clip, config);
  Encoder encoder(config);
  const auto refused = [&](ctv_status status, auto change) {
    Config other = config_of(kParts[1], CTV_BACKEND_CPU, 1);
    change(other);
    EXPECT_EQ(ctv_encoder_reconfigure(encoder.get(), &other), status) << ctv_last_error();
  };
  Stream stream{{encoder.header().bytes().begin(), encoder.header().bytes().end()}, {}, {}};
  for (const Frame& frame : clip) {
    refused(CTV_ERROR_ARGUMENT, [](Config& c) { c.width = 0; });
    refused(CTV_ERROR_ARGUMENT, [](Config& c) { c.threads = 2; });
    refused(CTV_ERROR_ARGUMENT, [](Config& c) { c.frames_in_flight = 2; });
    refused(CTV_ERROR_ARGUMENT, [](Config& c) { c.backend = CTV_BACKEND_AUTO; });
    ASSERT_TRUE(encoder.send(picture_of(frame)));
    refused(CTV_ERROR_STATE, [](Config&) {});
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit);
    stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
  }
  EXPECT_EQ(stream, expected);
  encoder.flush();
  refused(CTV_ERROR_STATE, [](Config&) {});
  EXPECT_EQ(ctv_encoder_reconfigure(nullptr, &config), CTV_ERROR_ARGUMENT);
}

// Reports about frames of before do not break the new chain.
TEST(ReconfigureRules, LateReportsAreOfNoConcern) {
  Encoder encoder(config_of(kParts[0], CTV_BACKEND_CPU, 1));
  for (const Frame& frame : clip_of(kParts[0])) {
    ASSERT_TRUE(encoder.send(picture_of(frame)));
    ASSERT_TRUE(encoder.receive());
  }
  encoder.reconfigure(config_of(kParts[1], CTV_BACKEND_CPU, 1));
  for (int64_t i = 0; const Frame& frame : clip_of(kParts[1])) {
    ASSERT_TRUE(encoder.send(picture_of(frame)));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->key_frame != 0, i++ == 0);
    EXPECT_EQ(ctv_encoder_lost(encoder.get(), 2), CTV_OK);
    EXPECT_EQ(ctv_encoder_acknowledge(encoder.get(), 3), CTV_OK);
  }
}

// Key frames of new sizes do not spend the buffer again and again.
TEST(ReconfigureRules, DebtStays) {
  Config config = config_of(kParts[0], CTV_BACKEND_CPU, 1);
  config.bitrate = 40000;
  config.buffer_ms = 500;
  constexpr size_t kPictures = 8;
  const size_t allowed = 40000 / 8 / 2 + kPictures * 40000 / 8 / 30;  // the buffer, and what comes meanwhile
  const auto bytes = [&](bool reconfigured) {
    size_t sum = 0;
    Encoder encoder(config);
    for (size_t i = 0; i < kPictures; ++i) {
      if (i > 0 && reconfigured) encoder.reconfigure(config);
      if (i > 0 && !reconfigured) encoder = Encoder(config);
      EXPECT_TRUE(encoder.send(picture_of(clip_of(kParts[0])[0])));
      sum += encoder.receive()->size;
    }
    return sum;
  };
  EXPECT_LE(bytes(true), allowed);
  EXPECT_GT(bytes(false), allowed);
}

}  // namespace
}  // namespace ctv::test

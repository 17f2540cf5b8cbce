// SPDX-License-Identifier: BSD-3-Clause
// A device that fails at its n-th call, for every n. The CPU goes on: the encoder with a key frame, and with
// every picture; the decoder with the next key frame.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/clip.hpp"
#include "tests/support/fallback.hpp"

namespace ctv::test {
namespace {

constexpr int kInterval = 4;  // of key frames

struct FallbackCase {
  const char* preset;
  int frames_in_flight;
  double crf = -1;
  int64_t max_frame_bytes = 0;
};

class Fallback : public testing::TestWithParam<FallbackCase> {
 protected:
  Config config(const std::vector<Frame>& clip) const {
    Config c = config_for(clip[0], GetParam().preset, 1);
    c.key_interval = kInterval;
    c.frames_in_flight = GetParam().frames_in_flight;
    c.crf = GetParam().crf;
    c.max_frame_bytes = GetParam().max_frame_bytes;
    return c;
  }
  DecoderConfig decoder(ctv_backend backend) const {
    DecoderConfig d = decoder_config(1);
    d.frames_in_flight = GetParam().frames_in_flight;
    d.backend = backend;
    return d;
  }
};

// What an encoder makes that is asked for a key frame.
Stream encode_with_key_frame(const std::vector<Frame>& clip, const ctv_config& config, size_t key_frame) {
  Encoder encoder(config);
  Stream stream;
  stream.header.assign(encoder.header().bytes().begin(), encoder.header().bytes().end());
  const auto receive = [&] {
    while (const auto unit = encoder.receive())
      stream.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
  };
  for (size_t i = 0; i < clip.size(); ++i) {
    if (i == key_frame) encoder.request_key_frame();
    while (!encoder.send(picture_of(clip[i]))) receive();
  }
  encoder.flush();
  receive();
  return stream;
}

// The CPU makes what it makes of a key frame that was asked for there. With constant quality steps may
// differ, since the device had measured some frames; and a key frame that was in flight stays one.
TEST_P(Fallback, TheEncoderGoesOnWithAKeyFrame) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, GetParam().crf < 0 ? 7 : 10);
  Config c = config(clip);
  const Stream expected = encode(clip, c);
  c.min_key_distance = 0;
  std::map<size_t, Stream> with_key_frame;
  std::map<size_t, int> switches;
  const int whole = for_each_failure(1, [&](long) {
    c.backend = CTV_BACKEND_CUDA;
    const Stream stream = encode(clip, c);
    const size_t first = expect_key_frame_at_switch(stream, expected);
    ++switches[first];
    const bool key_in_flight = first % kInterval + static_cast<size_t>(c.frames_in_flight) > kInterval;
    if (GetParam().crf >= 0 || key_in_flight || first == clip.size()) return;
    c.backend = CTV_BACKEND_CPU;
    Stream& like = with_key_frame[first];
    if (like.packets.empty()) like = encode_with_key_frame(clip, c, first);
    EXPECT_EQ(stream, like);
  });
  EXPECT_GT(whole, 20);
  EXPECT_GE(switches.size(), clip.size() - clip.size() / kInterval - 1) << "failures at each predicted frame";
}

TEST_P(Fallback, TheEncoderSaysSo) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 6);
  Config c = config(clip);
  c.backend = CTV_BACKEND_CUDA;
  std::vector<std::string> warnings;
  ctv_set_log_callback(
      [](void* all, ctv_log_level level, const char* message) {
        if (level == CTV_LOG_WARNING) static_cast<std::vector<std::string>*>(all)->emplace_back(message);
      },
      &warnings);
  long calls = 0;
  {
    const DeviceThatFails never(0);
    (void)encode(clip, c);
    calls = DeviceThatFails::calls();
  }
  EXPECT_TRUE(warnings.empty());
  const DeviceThatFails device(calls * 3 / 4);
  Encoder encoder(c);
  EXPECT_EQ(encoder.description().find("stand-in device"), 0U) << encoder.description();
  int packets = 0;
  const auto receive = [&] {
    while (encoder.receive()) ++packets;
  };
  for (const Frame& frame : clip) {
    while (!encoder.send(picture_of(frame))) receive();
  }
  encoder.flush();
  receive();
  ctv_set_log_callback(nullptr, nullptr);
  EXPECT_EQ(packets, static_cast<int>(clip.size()));
  const std::string failure = "stand-in device: call " + std::to_string(calls * 3 / 4) + " failed";
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], failure + ": the CPU takes over");
  EXPECT_EQ(encoder.description().find("cpu"), 0U) << encoder.description();
  EXPECT_NE(encoder.description().find(failure), std::string::npos) << encoder.description();
}

// What lies in device memory is lost with the device: each picture has its packet or an error, and the CPU
// takes no more.
TEST_P(Fallback, PicturesInDeviceMemoryAreLostAndNamed) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 6);
  Config c = config(clip);
  c.backend = CTV_BACKEND_CUDA;
  c.scene_cut = 0;
  int lost = 0;
  for_each_failure(3, [&](long) {
    const Encoder encoder(c);
    size_t taken = 0, given = 0;
    ctv_unit unit;
    ctv_unit_init(&unit);
    const auto receive = [&] {
      const ctv_status status = ctv_encoder_receive(encoder.get(), &unit);
      if (status == CTV_AGAIN || status == CTV_END) return false;
      ++given;
      EXPECT_TRUE(status == CTV_OK || status == CTV_ERROR_DEVICE) << ctv_last_error();
      if (status == CTV_ERROR_DEVICE) ++lost;
      return true;
    };
    for (const Frame& frame : clip) {
      const bool device = encoder.description().starts_with("stand-in");
      ctv_picture picture = picture_of(frame);
      picture.memory = CTV_MEMORY_CUDA;
      ctv_status status;
      while ((status = ctv_encoder_send(encoder.get(), &picture)) == CTV_AGAIN) receive();
      if (status == CTV_OK) ++taken;
      const bool still = encoder.description().starts_with("stand-in");
      EXPECT_TRUE(still ? status == CTV_OK
                        : status == CTV_ERROR_ARGUMENT || (device && status == CTV_ERROR_DEVICE))
          << ctv_last_error();
    }
    EXPECT_EQ(ctv_encoder_flush(encoder.get()), CTV_OK);
    while (receive()) {
    }
    EXPECT_EQ(given, taken);
  });
  EXPECT_TRUE(lost > 0 || c.max_frame_bytes > 0);  // with a limit the device has finished when send returns
}

// Once means once: the call is made again and the device goes on, except where a transfer's finish() fails.
// With frames in flight how often that is depends on the machine's load.
TEST_P(Fallback, MemoryThatLacksOnceIsAskedForAgain) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 5);
  Config c = config(clip);
  const Stream expected = encode(clip, c);
  const std::vector<Frame> pictures = decode(expected);
  c.backend = CTV_BACKEND_CUDA;
  int same = 0;
  int runs = for_each_failure(
      1,
      [&](long) {
        if (expect_key_frame_at_switch(encode(clip, c), expected) == clip.size()) ++same;
      },
      Failure::kMemoryOnce);
  EXPECT_GT(same, runs / 2);
  same = 0;
  runs = for_each_failure(
      1,
      [&](long) {
        const Decoded decoded = decode_all(expected, decoder(CTV_BACKEND_CUDA));
        expect_gap_up_to_key_frame(decoded, pictures);
        if (decoded.errors.empty()) ++same;
      },
      Failure::kMemoryOnce);
  EXPECT_GT(same, runs / 2);
}

TEST_P(Fallback, TheDecoderGoesOnWithTheNextKeyFrame) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 10);
  const Stream stream = encode(clip, config(clip));
  const std::vector<Frame> expected = decode(stream);
  int lost = 0;
  const int whole = for_each_failure(1, [&](long) {
    const Decoded decoded = decode_all(stream, decoder(CTV_BACKEND_CUDA));
    expect_gap_up_to_key_frame(decoded, expected);
    EXPECT_LE(decoded.errors.size(), static_cast<size_t>(kInterval + GetParam().frames_in_flight));
    if (!decoded.errors.empty()) ++lost;
  });
  EXPECT_GT(whole, 20);
  EXPECT_GT(lost, whole / 2);
}

TEST_P(Fallback, ADeviceThatFailsToBeginIsLeftWhereItWasNotAskedFor) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 3);
  const Stream stream = encode(clip, config(clip));
  const std::vector<Frame> expected = decode(stream);
  for (const long n : {1, 2, 5}) {
    const DeviceThatFails device(n);
    EXPECT_EQ(decode(stream, decoder(CTV_BACKEND_AUTO)), expected) << "failure at call " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Fallback,
                         testing::Values(FallbackCase{"default", 1}, FallbackCase{"default", 3},
                                         FallbackCase{"paper", 1}, FallbackCase{"paper", 3},
                                         FallbackCase{"default", 1, 26}, FallbackCase{"default", 3, 26},
                                         FallbackCase{"default", 6, 26}, FallbackCase{"default", 3, 22, 400}),
                         [](const auto& i) {
                           return std::string(i.param.preset) + std::to_string(i.param.frames_in_flight) +
                                  (i.param.crf < 0 ? "" : "_crf") +
                                  (i.param.max_frame_bytes > 0 ? "_limited" : "");
                         });

}  // namespace
}  // namespace ctv::test

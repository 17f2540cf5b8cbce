// SPDX-License-Identifier: BSD-3-Clause
// A device that fails at its n-th call, for every n: the CPU takes over and the bytes and pictures stay the
// same.
#include <gtest/gtest.h>

#include "tests/support/clip.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/failing_backend.hpp"

namespace ctv::test {
namespace {

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
    c.key_interval = 4;
    c.frames_in_flight = GetParam().frames_in_flight;
    c.crf = GetParam().crf;
    c.max_frame_bytes = GetParam().max_frame_bytes;
    return c;
  }
};

TEST_P(Fallback, TheEncoderGoesOnWithAStreamThatDecodes) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, GetParam().crf < 0 ? 7 : 10);
  Config c = config(clip);
  const Stream expected = encode(clip, c);
  c.backend = CTV_BACKEND_CUDA;
  long calls = 0;
  {
    const DeviceThatFails never(0);
    EXPECT_EQ(encode(clip, c), expected);
    calls = DeviceThatFails::calls();
  }
  ASSERT_GT(calls, 20);
  int same = 0;
  int failed_to_open = 0;
  for (long n = 1; n <= calls; n += kCallStep) {
    const DeviceThatFails device(n);
    Stream stream;
    try {
      stream = encode(clip, c);
    } catch (const Error& e) {  // a device that was asked for and fails before the first frame
      EXPECT_EQ(e.status(), CTV_ERROR_DEVICE);
      ++failed_to_open;
      continue;
    }
    ASSERT_EQ(stream.packets.size(), clip.size()) << "failure at call " << n;
    if (std::string(GetParam().preset) == "default") {
      EXPECT_EQ(stream, expected) << "failure at call " << n;
    }
    EXPECT_EQ(decode(stream).size(), clip.size()) << "failure at call " << n;
    same += stream == expected ? 1 : 0;
  }
  EXPECT_GT(same, failed_to_open);
}

// Once means once: the call is made again and the device goes on, except where a transfer's finish() fails.
// With frames in flight how often that is depends on the machine's load.
TEST_P(Fallback, MemoryThatLacksOnceIsAskedForAgain) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 5);
  Config c = config(clip);
  const Stream expected = encode(clip, c);
  const std::vector<Frame> pictures = decode(expected);
  c.backend = CTV_BACKEND_CUDA;
  DecoderConfig d = decoder_config(1);
  d.frames_in_flight = GetParam().frames_in_flight;
  d.backend = CTV_BACKEND_CUDA;
  int fallbacks = 0;
  ctv_set_log_callback(
      [](void* count, ctv_log_level level, const char*) {
        if (level == CTV_LOG_WARNING) ++*static_cast<int*>(count);
      },
      &fallbacks);
  int whole = 0;
  for (long n = 1;; n += kCallStep) {
    const DeviceThatFails device(n, Failure::kMemoryOnce);
    const int before = fallbacks;
    const Stream stream = encode(clip, c);
    if (DeviceThatFails::calls() < n) break;
    ASSERT_EQ(stream.packets.size(), clip.size()) << "failure at call " << n;
    if (fallbacks != before) continue;
    EXPECT_EQ(stream, expected) << "failure at call " << n;
    ++whole;
  }
  EXPECT_GT(whole, fallbacks);
  fallbacks = whole = 0;
  for (long n = 1;; n += kCallStep) {
    const DeviceThatFails device(n, Failure::kMemoryOnce);
    const std::vector<Frame> decoded = decode(expected, d);
    if (DeviceThatFails::calls() < n) break;
    EXPECT_EQ(decoded, pictures) << "failure at call " << n;
    ++whole;
  }
  EXPECT_GT(whole, fallbacks);
  ctv_set_log_callback(nullptr, nullptr);
}

TEST_P(Fallback, TheDecoderGoesOnWithTheSamePictures) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 7);
  const Stream stream = encode(clip, config(clip));
  DecoderConfig d = decoder_config(1);
  d.frames_in_flight = GetParam().frames_in_flight;
  const std::vector<Frame> expected = decode(stream, d);
  d.backend = CTV_BACKEND_CUDA;
  long calls = 0;
  {
    const DeviceThatFails never(0);
    EXPECT_EQ(decode(stream, d), expected);
    calls = DeviceThatFails::calls();
  }
  int whole = 0;
  for (long n = 1; n <= calls; n += kCallStep) {
    const DeviceThatFails device(n);
    try {
      EXPECT_EQ(decode(stream, d), expected) << "failure at call " << n;
      ++whole;
    } catch (const Error& e) {  // while the stream's header is taken
      EXPECT_EQ(e.status(), CTV_ERROR_DEVICE);
    }
  }
  EXPECT_GT(whole, static_cast<int>(calls / kCallStep / 2));
}

TEST_P(Fallback, ADeviceThatFailsToBeginIsLeftWhereItWasNotAskedFor) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 48, 32, 3);
  const Stream stream = encode(clip, config(clip));
  DecoderConfig d = decoder_config(1);
  d.frames_in_flight = GetParam().frames_in_flight;
  const std::vector<Frame> expected = decode(stream, d);
  d.backend = CTV_BACKEND_AUTO;
  for (const long n : {1, 2, 5}) {
    const DeviceThatFails device(n);
    EXPECT_EQ(decode(stream, d), expected) << "failure at call " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Fallback,
                         testing::Values(FallbackCase{"default", 1}, FallbackCase{"h264_4x4", 1},
                                         FallbackCase{"default", 3}, FallbackCase{"paper", 1},
                                         FallbackCase{"paper", 3}, FallbackCase{"default", 1, 26},
                                         FallbackCase{"default", 3, 26}, FallbackCase{"default", 6, 26},
                                         FallbackCase{"default", 3, 22, 400}),
                         [](const auto& i) {
                           return std::string(i.param.preset) + std::to_string(i.param.frames_in_flight) +
                                  (i.param.crf < 0 ? "" : "_crf") +
                                  (i.param.max_frame_bytes > 0 ? "_limited" : "");
                         });

}  // namespace
}  // namespace ctv::test

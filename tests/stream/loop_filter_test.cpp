// SPDX-License-Identifier: BSD-3-Clause
// The loop filter in whole streams: it takes noise off, and changes with nothing that must not change bytes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

// A smooth picture that moves by less than a sample; both without noise and with it.
std::vector<Frame> smooth_clip(int frames, int noise) {
  Random random(7);
  std::vector<Frame> clip;
  for (int n = 0; n < frames; ++n) {
    Frame frame = make_frame(CTV_FORMAT_GRAY8, 96, 64);
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 96; ++x) {
        const double wave = 60 * std::sin((x + 0.3 * n) / 9) + 40 * std::cos((y - 0.2 * n) / 7);
        frame.planes[0][static_cast<size_t>(y * 96 + x)] =
            static_cast<uint8_t>(128 + wave + random.between(-noise, noise));
      }
    }
    clip.push_back(std::move(frame));
  }
  return clip;
}

uint64_t error_of(const std::vector<Frame>& a, const std::vector<Frame>& b) {
  uint64_t sum = 0;
  for (size_t n = 0; n < a.size(); ++n) {
    for (size_t i = 0; i < a[n].planes[0].size(); ++i) {
      const int d = a[n].planes[0][i] - b[n].planes[0][i];
      sum += static_cast<uint64_t>(d * d);
    }
  }
  return sum;
}

TEST(LoopFilterStreams, TakeNoiseOff) {
  const auto clip = smooth_clip(6, 6);
  const auto clean = smooth_clip(6, 0);
  Config c = config_for(clip[0], "default");
  c.qp = 26;
  const auto with = decode(encode(clip, c));
  c.loop_filter = 0;
  const auto without = decode(encode(clip, c));
  EXPECT_LT(error_of(with, clean), error_of(without, clean));
}

TEST(LoopFilterStreams, DoNotDependOnThreadsOrFlight) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 83, 61, 6);
  Config c = config_for(clip[0], "default");
  c.threads = 1;
  const Stream expected = encode(clip, c);
  for (const int flight : {1, 4}) {
    c.frames_in_flight = flight;
    c.threads = 3;
    EXPECT_EQ(encode(clip, c), expected);
  }
}

TEST(LoopFilterStreams, HaveNoneWhereItWouldLose) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 45, 38, 2);
  for (const char* preset : {"lossless", "paper"}) {
    Config c = config_for(clip[0], preset);
    const Stream expected = encode(clip, c);
    c.loop_filter = 1 - c.loop_filter;
    EXPECT_EQ(encode(clip, c), expected) << preset;
  }
}

}  // namespace
}  // namespace ctv::test

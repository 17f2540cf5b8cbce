// SPDX-License-Identifier: BSD-3-Clause
// Rate control computes in double, and its steps decide about bytes: they must not depend on what a machine
// has for double. Each case was found with fused products or with the x87, which gave other steps; those
// with a bitrate do so no more since the controller has changed.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "codec/control/stream_rate.hpp"

namespace ctv {
namespace {

struct RateCase {
  uint64_t seed;
  int64_t bitrate;
  double fps;
  int key_interval;
  double crf;  // -1: none
  bool stills;
  uint64_t digest;
};

// Digest of all steps of 200 frames whose sizes and distortions are integers from the seed.
uint64_t digest_of_steps(const RateCase& c) {
  uint64_t state = c.seed;
  const auto random = [&](uint32_t bound) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<uint32_t>(state >> 33) % bound;
  };
  constexpr size_t kSamples = 76800;
  const KeyGain gain = key_gain(c.key_interval);
  StreamRate rate(ConstantQuantiser(static_cast<uint16_t>(16 + random(400)), gain), {kSamples, gain},
                  TargetSize({c.bitrate, 1000, c.bitrate > 0 ? 0 : 4950}, c.fps, c.key_interval));
  if (c.crf >= 0) rate.set_crf(c.crf, 0);
  const uint32_t bits = 50000 + random(800000);
  uint64_t digest = 0xcbf29ce484222325ULL;
  for (uint64_t frame = 0; frame < 200; ++frame) {
    const bool key = frame == 0 || (c.key_interval > 0 && frame % static_cast<uint64_t>(c.key_interval) == 0);
    uint32_t size = key ? 4 * bits : bits;
    size = c.stills ? size / (frame % 3 != 0 ? 50 : 1) : size / 2 + random(size);
    const uint64_t noise = random(1000);
    uint16_t step = rate.begin(frame, key ? FrameType::kKey : FrameType::kPredicted);
    uint64_t bytes = 0, distortion = 0;
    for (std::optional<uint16_t> next = step; next;) {
      step = *next;
      digest = (digest ^ step) * 0x100000001b3ULL;
      bytes = 20 + size / step;
      distortion = uint64_t{kSamples} * step * step / 3072 + noise;
      const Feedback feedback = rate.feedback();
      if (feedback == Feedback::kNone) break;
      next = rate.retry(step, feedback == Feedback::kBytes ? bytes : distortion);
    }
    (void)rate.end(static_cast<size_t>(bytes));  // the limit may be too low for the picture
    FrameParameters parameters;
    parameters.type = key ? FrameType::kKey : FrameType::kPredicted;
    parameters.base_step = step;
    if (rate.measures()) rate.add(frame, parameters, distortion);
  }
  return digest;
}

TEST(RateSteps, AreEqualOnEveryMachine) {
  static constexpr RateCase kCases[] = {{269, 0, 24, 1, 4, false, 0x35cdef7795dba93aULL},
                                        {327, 64000, 50, 250, -1, true, 0x0b9f9d99ce4737abULL},
                                        {483, 64000, 24, 2, -1, false, 0xd368e7b72affcf94ULL},
                                        {1133, 0, 24, 1, 20, false, 0x4eda07bba8b1f79cULL},
                                        {4487, 128000, 50, 250, -1, true, 0x7fc2cac271e74fe4ULL},
                                        {4641, 64000, 24, 2, -1, false, 0x3098792b991c4e6bULL},
                                        {6214, 100000, 50, 250, -1, true, 0x762c215261e7b3c7ULL},
                                        {23382, 64000, 25, 250, -1, true, 0x097414a6b4d5e8fbULL}};
  for (const RateCase& c : kCases) {
    EXPECT_EQ(digest_of_steps(c), c.digest) << c.seed;
  }
}

}  // namespace
}  // namespace ctv

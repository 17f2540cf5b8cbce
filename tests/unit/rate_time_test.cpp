// SPDX-License-Identifier: BSD-3-Clause
// A bitrate while pictures come at another rate than was told.
#include <gtest/gtest.h>

#include <cmath>

#include "codec/control/stream_rate.hpp"

namespace ctv {
namespace {

constexpr double kToldFps = 25;

/// Codes a frame whose size is a formula of the step, and returns its bytes.
double bytes_of_frame(TargetSize& size, uint64_t frame, FrameType type, double passed) {
  size.elapse(passed);
  uint16_t step = size.begin(frame, type);
  for (;;) {
    const auto bytes =
        static_cast<uint64_t>((type == FrameType::kKey ? 400000 : 100000) / std::pow(step, 0.9));
    const auto next = size.retry(step, bytes);
    if (!next) {
      EXPECT_TRUE(size.end(bytes).ok());
      return static_cast<double>(bytes);
    }
    step = *next;
  }
}

TEST(RealTime, ABitRateIsMet) {
  for (const double interval : {0.4, 0.5, 1.0, 2.0, 5.0}) {
    for (const bool changes : {false, true}) {
      ConstantQuantiser source(160, key_gain(0));
      TargetSize size({400000, 1000, 0}, kToldFps, 0);
      size.set_source(source);
      if (changes) {
        for (uint64_t i = 0; i < 100; ++i)
          bytes_of_frame(size, i, i == 0 ? FrameType::kKey : FrameType::kPredicted, 1);
      }
      double bytes = 0;
      for (uint64_t i = 0; i < 500; ++i)
        bytes +=
            bytes_of_frame(size, i, i == 0 && !changes ? FrameType::kKey : FrameType::kPredicted, interval);
      EXPECT_NEAR(bytes * 8 / (500 * interval / kToldFps), 400000, 400000 * 0.05)
          << interval << " " << changes;
    }
  }
}

TEST(RealTime, APauseIsNotTakenForARate) {
  ConstantQuantiser source(160, key_gain(0));
  TargetSize size({400000, 1000, 0}, kToldFps, 0);
  size.set_source(source);
  for (uint64_t i = 0; i < 100; ++i) bytes_of_frame(size, i, FrameType::kPredicted, 1);
  EXPECT_LE(bytes_of_frame(size, 100, FrameType::kPredicted, 1e9), 50000);  // what the buffer holds
  double bytes = 0;
  for (uint64_t i = 101; i < 151; ++i) bytes += bytes_of_frame(size, i, FrameType::kPredicted, 1);
  EXPECT_LE(bytes * 8 / 2, 400000 * 1.35);  // two seconds, and what was saved
}

}  // namespace
}  // namespace ctv

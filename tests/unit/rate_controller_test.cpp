// SPDX-License-Identifier: BSD-3-Clause
// Rate controllers against frames whose size and distortion are formulas of the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "codec/control/stream_rate.hpp"

namespace ctv {
namespace {

constexpr size_t kPictureSamples = 320 * 240;
constexpr double kFps = 25;

struct ControlledFrame {
  std::vector<uint16_t> steps;      // one per try
  std::vector<Feedback> feedbacks;  // asked for
  size_t bytes = 0;
  Status status;
};

size_t bytes_of(FrameType type, uint16_t step) {
  return static_cast<size_t>((type == FrameType::kKey ? 400000 : 100000) / std::pow(step, 0.9));
}
uint64_t distortion_of(uint16_t step) {
  return static_cast<uint64_t>(kPictureSamples * std::pow(step / 16.0, 1.7) / 12);
}

ControlledFrame code(RateController& rate, uint64_t frame, FrameType type) {
  ControlledFrame coded;
  coded.steps.push_back(rate.begin(frame, type));
  for (;;) {
    const Feedback feedback = rate.feedback();
    coded.feedbacks.push_back(feedback);
    coded.bytes = bytes_of(type, coded.steps.back());
    if (feedback == Feedback::kNone) break;
    const auto next = rate.retry(
        coded.steps.back(), feedback == Feedback::kBytes ? coded.bytes : distortion_of(coded.steps.back()));
    if (!next) break;
    coded.steps.push_back(*next);
  }
  coded.status = rate.end(coded.bytes);
  return coded;
}

TEST(TargetSize, MeetsABitRateWithinTwoPerCent) {
  ConstantQuantiser source(160, key_gain(10));
  for (const int64_t bitrate : {100000, 400000, 2000000}) {
    TargetSize size({bitrate, 1000, 0}, kFps, 10);
    size.set_source(source);
    size_t sum = 0;
    for (uint64_t frame = 0; frame < 150; ++frame) {
      const ControlledFrame coded =
          code(size, frame, frame % 10 == 0 ? FrameType::kKey : FrameType::kPredicted);
      EXPECT_TRUE(coded.status.ok());
      EXPECT_LE(coded.steps.size(), 11U);
      if (frame >= 50) sum += coded.bytes;  // steps far from their own are reached in two seconds
    }
    EXPECT_NEAR(static_cast<double>(sum) * 8 * kFps / 100, static_cast<double>(bitrate),
                0.02 * static_cast<double>(bitrate));
  }
}

// Frames at a bitrate with content that comes and goes. No frame is larger than the receiver's buffer allows.
class Call {
 public:
  Call(int64_t bitrate, int key_interval)
      : source_(160, key_gain(key_interval)),
        size_({bitrate, 1000, 0}, kFps, key_interval),
        bitrate_(bitrate) {
    size_.set_source(source_);
    buffer_ = static_cast<double>(bitrate) / 8;
  }
  void code(FrameType type, double bits = 1) {
    code(type, [&](uint16_t step) {
      return static_cast<size_t>(bits * (type == FrameType::kKey ? kKeyBytes : 90000) / std::pow(step, 0.9));
    });
  }
  /// A picture that stands still costs nothing until a step is finer than all since the key frame.
  void code_still() {
    code(FrameType::kPredicted, [&](uint16_t step) {
      const double more = kKeyBytes * (std::pow(step, -0.9) - std::pow(finest_, -0.9));
      return static_cast<size_t>(std::max(50.0, more));
    });
  }
  /// Sizes depend much on steps.
  void code_noise(double bits) {
    code(FrameType::kPredicted, [&](uint16_t step) {
      return static_cast<size_t>(std::min(50000.0, 20 + bits * 500 * std::pow(320.0 / step, 5)));
    });
  }
  uint16_t finest() const { return finest_; }
  /// What is on its way stays so.
  void set_bitrate(int64_t bitrate) {
    size_.set_target({bitrate, 1000, 0});
    buffer_ = std::max(0.0, buffer_ + static_cast<double>(bitrate - bitrate_) / 8);
    lowered_ = lowered_ || bitrate < bitrate_;
    bitrate_ = bitrate;
  }
  void set_base_reference(bool value) { size_.set_base_reference(value); }
  /// Size of the last frame, in seconds at the bitrate.
  double seconds() const { return static_cast<double>(last_) * 8 / static_cast<double>(bitrate_); }
  /// Spent beyond the rate, in seconds.
  double debt() const { return (spent_ - due_) * 8 / static_cast<double>(bitrate_); }
  /// What the buffer lacks, in seconds: the delay of the last frame.
  double lack() const { return 1 - buffer_ * 8 / static_cast<double>(bitrate_); }
  int most_tries() const { return most_tries_; }

 private:
  static constexpr double kKeyBytes = 12000000;

  template <typename Bytes>
  void code(FrameType type, Bytes bytes_of) {
    uint16_t step = size_.begin(frame_++, type);
    int tries = 1;
    while (const auto next = size_.retry(step, bytes_of(step))) {
      step = *next;
      ++tries;
    }
    most_tries_ = std::max(most_tries_, tries);
    last_ = bytes_of(step);
    finest_ = type == FrameType::kKey ? step : std::min(finest_, step);
    EXPECT_TRUE(size_.end(last_).ok());
    const double average = static_cast<double>(bitrate_) / 8 / kFps;
    // After a lower bitrate what is on its way may fill the buffer; then a frame gets a quarter of the
    // average.
    const double most = lowered_ ? std::max(buffer_, 0.25 * average) : buffer_;
    EXPECT_LE(static_cast<double>(last_), most) << "frame " << frame_ - 1;
    buffer_ = std::min(static_cast<double>(bitrate_) / 8, buffer_ - static_cast<double>(last_) + average);
    spent_ += static_cast<double>(last_);
    due_ += average;
  }

  ConstantQuantiser source_;
  TargetSize size_;
  int64_t bitrate_;
  bool lowered_ = false;  // the bitrate, once
  uint64_t frame_ = 0;
  double buffer_ = 0, spent_ = 0, due_ = 0;
  size_t last_ = 0;
  int most_tries_ = 0;
  uint16_t finest_ = UINT16_MAX;
};

TEST(TargetSize, AFirstFrameTakesAShareOfTheBufferAndIsPaidBack) {
  for (const int64_t bitrate : {300000, 1000000, 2000000}) {
    Call call(bitrate, 0);
    call.code(FrameType::kKey);
    EXPECT_GT(call.seconds(), 0.38);
    EXPECT_LE(call.seconds(), 0.45);
    for (int i = 0; i < 75; ++i) call.code(FrameType::kPredicted);
    EXPECT_LT(call.debt(), 0.05) << bitrate;
    EXPECT_GT(call.debt(), -0.3) << bitrate;
    EXPECT_LE(call.most_tries(), 5);
  }
}

TEST(TargetSize, ASimpleFirstFrameKeepsItsOwnStep) {
  Call call(2000000, 0);
  call.code(FrameType::kKey, 0.005);
  EXPECT_EQ(call.most_tries(), 1);
  EXPECT_LT(call.seconds(), 0.1);
}

TEST(TargetSize, WhatStandsStillIsRefinedUntilTheRateIsUsed) {
  Call call(300000, 0);
  call.code(FrameType::kKey);
  const uint16_t first = call.finest();
  for (int i = 0; i < 25; ++i) call.code_still();
  EXPECT_LT(call.finest(), first * 6 / 10);
  EXPECT_LT(call.debt(), 0.56);  // the reserve is left
  for (int i = 0; i < 275; ++i) call.code_still();
  EXPECT_LE(call.debt(), 0.56);
  EXPECT_GT(call.debt(), -0.6);  // 5 % of 12 seconds
}

TEST(TargetSize, EveryEighthFrameIsFiner) {
  ConstantQuantiser source(160, key_gain(0));
  TargetSize size({300000, 1000, 0}, kFps, 0);
  size.set_source(source);
  double last = 0;
  for (uint64_t frame = 0; frame < 100; ++frame) {
    const double step = code(size, frame, frame == 0 ? FrameType::kKey : FrameType::kPredicted).steps[0];
    const bool settled = frame >= 56 && frame % 8 != 1;
    EXPECT_NEAR(settled ? step / last : 1, settled && frame % 8 == 0 ? 0.67 : 1, 0.08) << frame;
    last = step;
  }
}

TEST(TargetSize, WhatStandsStillIsLeftToKeyFramesThatReturnSoon) {
  Call call(300000, 60);
  for (int i = 0; i < 600; ++i) {
    if (i % 60 != 0) {
      call.code_still();
      continue;
    }
    call.code(FrameType::kKey);
    if (i >= 120) {
      EXPECT_GT(call.seconds(), 0.5) << "frame " << i;
    }
  }
}

TEST(TargetSize, NoiseIsNotTakenForWhatStandsStill) {
  Call call(100000, 0);
  call.code(FrameType::kKey);
  uint32_t random = 1;
  for (int i = 1; i <= 1000; ++i) {
    random = random * 1664525 + 1013904223;
    call.code_noise(std::exp2(random / std::ldexp(1, 31) - 1));
    if (i % 250 == 0) {
      EXPECT_LT(call.debt(), 0.2) << "frame " << i;
    }
  }
}

TEST(TargetSize, SmallFramesOfAHigherLayerAreNotTakenForWhatStandsStill) {
  for (const int period : {2, 4}) {
    Call call(100000, 0);
    call.code(FrameType::kKey);
    for (int i = 1; i <= 250; ++i) {
      call.set_base_reference(i % period == 0);
      call.code(FrameType::kPredicted, i % period == 0 ? 1.6 : 0.3);
      if (i > 25) {
        EXPECT_LT(call.seconds(), 0.2) << "frame " << i;
      }
    }
    EXPECT_LT(call.debt(), 0.1) << period;
    EXPECT_GT(call.debt(), -0.4) << period;
  }
}

// Black pictures, then motion.
TEST(TargetSize, AfterSilenceTheBufferFillsAgain) {
  Call call(300000, 0);
  call.code(FrameType::kKey, 1e-4);
  for (int i = 0; i < 125; ++i) call.code(FrameType::kPredicted, 1e-4);
  for (int i = 0; i < 125; ++i) call.code(FrameType::kPredicted);
  EXPECT_LT(call.lack(), 0.35);
}

TEST(TargetSize, AKeyFrameIsPaidBackInFourBuffersHoweverLateTheNextOneIs) {
  Call call(300000, 1000);
  for (int i = 0; i < 1100; ++i) call.code(i % 1000 == 0 ? FrameType::kKey : FrameType::kPredicted);
  EXPECT_LT(call.lack(), 0.35);
}

TEST(TargetSize, ContentThatComesAndGoesFitsTheBuffer) {
  for (const int interval : {0, 10, 60}) {
    Call call(1000000, interval);
    for (int i = 0; i < 400; ++i) {
      const bool key = i == 0 || (interval > 0 && i % interval == 0) || i == 333;
      call.code(key ? FrameType::kKey : FrameType::kPredicted,
                i / 50 % 2 == 0 ? 0.3 : (i % 50 == 0 ? 20 : 3));
    }
    EXPECT_LT(call.debt(), 0.5) << interval;
    EXPECT_GT(call.debt(), -2) << interval;  // the finest steps leave bits, and few of them are saved
  }
}

TEST(TargetSize, ANewBitRateKeepsTheDebt) {
  for (const int64_t bitrate : {500000, 2000000}) {
    Call call(1000000, 0);
    call.code(FrameType::kKey);
    for (int i = 0; i < 200; ++i) call.code(FrameType::kPredicted);
    call.set_bitrate(bitrate);
    for (int i = 0; i < 200; ++i) call.code(FrameType::kPredicted);
    EXPECT_LT(call.lack(), 0.35) << bitrate;
    EXPECT_LT(call.debt(), 0.12) << bitrate;
  }
}

TEST(TargetSize, AHigherBitRateHasItsBufferAtOnce) {
  Call call(100000, 0);
  call.code(FrameType::kKey);
  for (int i = 0; i < 100; ++i) call.code(FrameType::kPredicted);
  call.set_bitrate(1000000);
  call.code(FrameType::kKey);
  EXPECT_GT(call.seconds(), 0.4);
}

TEST(TargetSize, ALowerBitRatePaysBackWhatIsOnItsWay) {
  Call call(1000000, 0);
  for (int i = 0; i < 125; ++i) call.code(FrameType::kPredicted);
  call.code(FrameType::kKey);
  for (int i = 0; i < 25; ++i) call.code(FrameType::kPredicted);
  call.set_bitrate(200000);
  for (int i = 0; i < 200; ++i) call.code(FrameType::kPredicted);
  EXPECT_LT(call.lack(), 0.35);
}

TEST(TargetSize, NoFrameIsLargerThanTheLimitUnlessNoStepMakesItFit) {
  ConstantQuantiser source(16);
  TargetSize size({0, 1000, 5000}, kFps, 0);
  size.set_source(source);
  const ControlledFrame coarser = code(size, 0, FrameType::kKey);
  EXPECT_TRUE(coarser.status.ok());
  EXPECT_LE(coarser.bytes, 5000U);
  EXPECT_GT(coarser.bytes, 4500U);
  EXPECT_GT(coarser.steps.back(), 16);
  source.set_step(1000);  // fits with its own step, which is kept
  const ControlledFrame own = code(size, 1, FrameType::kKey);
  EXPECT_EQ(own.steps, std::vector<uint16_t>{1000});
  size.set_target({0, 1000, 2});
  const ControlledFrame none = code(size, 2, FrameType::kKey);
  EXPECT_EQ(none.status.code(), CTV_ERROR_LIMIT);
  EXPECT_EQ(none.steps.back(), 65535);
}

// However long a bitrate that no step meets has lasted.
TEST(TargetSize, AfterABitRateOutOfReachTheNextIsMetSoon) {
  for (const int frames : {30, 300, 4000}) {
    ConstantQuantiser source(160);
    TargetSize size({1, 1000, 0}, kFps, 0);
    size.set_source(source);
    uint64_t frame = 0;
    code(size, frame++, FrameType::kKey);
    for (int i = 0; i < frames; ++i) {
      const ControlledFrame coded = code(size, frame++, FrameType::kPredicted);
      ASSERT_GT(coded.steps[0], 0) << i;
    }
    size.set_target({1000000, 1000, 0});
    int until = 0;
    while (code(size, frame++, FrameType::kPredicted).steps.back() > 160 && until < 1000) ++until;
    EXPECT_LT(until, 30) << frames;
  }
}

// Sizes that fall so fast that a limit lies between two steps.
TEST(TargetSize, ASearchEndsWhereNoStepIsLeft) {
  for (int first = 4; first < 64; ++first) {
    for (int fits = first + 1; fits < 80; ++fits) {
      ConstantQuantiser source(static_cast<uint16_t>(first));
      TargetSize size({0, 1000, 5000}, kFps, 0);
      size.set_source(source);
      uint16_t step = size.begin(0, FrameType::kKey);
      int tries = 1;
      const auto bytes = [&](uint16_t s) { return s < fits ? 9000U - s : 3000U - s; };
      for (; tries < 100; ++tries) {
        const auto next = size.retry(step, bytes(step));
        if (!next) break;
        step = *next;
      }
      EXPECT_LE(tries, 24);
      EXPECT_GE(step, fits) << first;
      EXPECT_TRUE(size.end(bytes(step)).ok());
    }
  }
}

TEST(StreamRate, TriesForQualityComeBeforeThoseForSize) {
  StreamRate rate(ConstantQuantiser(160, key_gain(10)), {kPictureSamples, key_gain(10)},
                  TargetSize({0, 1000, 3000}, kFps, 10));
  rate.set_crf(20, 0);
  EXPECT_TRUE(rate.measures());
  const ControlledFrame key = code(rate, 0, FrameType::kKey);
  ASSERT_GE(key.feedbacks.size(), 3U);
  EXPECT_EQ(key.feedbacks.front(), Feedback::kDistortion);
  EXPECT_EQ(key.feedbacks.back(), Feedback::kBytes);
  EXPECT_TRUE(std::is_sorted(key.feedbacks.begin(), key.feedbacks.end()));
  EXPECT_LE(key.bytes, 3000U);
  const ControlledFrame predicted = code(rate, 1, FrameType::kPredicted);
  EXPECT_EQ(predicted.feedbacks.front(), Feedback::kBytes);
}

TEST(StreamRate, TargetsChangeBetweenFrames) {
  StreamRate rate(ConstantQuantiser(160, key_gain(10)), {kPictureSamples, key_gain(10)},
                  TargetSize({}, kFps, 10));
  EXPECT_FALSE(rate.measures());
  EXPECT_EQ(code(rate, 0, FrameType::kKey).feedbacks, std::vector<Feedback>{Feedback::kNone});
  rate.set_step(320);
  EXPECT_EQ(code(rate, 1, FrameType::kPredicted).steps, std::vector<uint16_t>{320});
  rate.set_target({400000, 1000, 0});
  EXPECT_EQ(code(rate, 2, FrameType::kPredicted).feedbacks.front(), Feedback::kBytes);
  rate.set_target({});
  rate.set_crf(30, 3);
  EXPECT_EQ(code(rate, 3, FrameType::kKey).feedbacks.front(), Feedback::kDistortion);
  EXPECT_EQ(code(rate, 4, FrameType::kPredicted).feedbacks, std::vector<Feedback>{Feedback::kNone});
  rate.set_crf(-1, 5);
  EXPECT_FALSE(rate.measures());
  EXPECT_EQ(code(rate, 5, FrameType::kPredicted).steps, std::vector<uint16_t>{320});
}

}  // namespace
}  // namespace ctv

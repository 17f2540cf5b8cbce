// SPDX-License-Identifier: BSD-3-Clause
// Constant quality with simulated encoders, whose error is a formula of the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "codec/control/constant_quality.hpp"

namespace ctv {
namespace {

constexpr size_t kSamples = 320 * 240;

uint64_t error_of(double psnr) {
  return static_cast<uint64_t>(std::llround(255.0 * 255.0 * kSamples / std::pow(10.0, psnr / 10)));
}

/// PSNR in dB of a frame of a type coded with a step.
using Content = std::function<double(uint64_t frame, FrameType type, double step)>;

Content straight(double at_one, double slope) {
  return [=](uint64_t, FrameType, double step) { return at_one - slope * std::log2(step / 16); };
}

struct Coded {
  std::vector<uint16_t> steps;
  std::vector<double> psnr;
  int most_tries = 0;
};

/// Codes frames whose errors are known `late` frames later, with a key frame every `interval`.
class Made {
 public:
  Made(double crf, uint64_t interval, uint64_t late)
      : control_(kSamples, key_gain(static_cast<int>(interval))), late_(late) {
    control_.set_crf(crf, 0);
    interval_ = interval;
  }
  ConstantQuality& control() { return control_; }

  void code(const Content& content, uint64_t frames) {
    for (const uint64_t end = frame_ + frames; frame_ < end; ++frame_) {
      while (added_ + late_ <= frame_ && added_ < frame_) add();
      const FrameType type = frame_ % interval_ == 0 ? FrameType::kKey : FrameType::kPredicted;
      uint16_t step = control_.begin(frame_, type);
      if (type == FrameType::kKey) {
        int tries = 1;
        while (const auto next = control_.retry(step, error_of(content(frame_, type, step)))) {
          EXPECT_NE(*next, step);
          step = *next;
          ++tries;
        }
        coded_.most_tries = std::max(coded_.most_tries, tries);
      }
      EXPECT_TRUE(control_.end(0).ok());
      FrameParameters parameters;
      parameters.type = type;
      parameters.base_step = step;
      parameters_.push_back(parameters);
      coded_.steps.push_back(step);
      coded_.psnr.push_back(content(frame_, type, step));
    }
  }
  const Coded& coded() const { return coded_; }

 private:
  void add() {
    const auto i = static_cast<size_t>(added_);
    control_.add(added_, parameters_[i], error_of(coded_.psnr[i]));
    ++added_;
  }
  ConstantQuality control_;
  uint64_t interval_ = 1, late_, frame_ = 0, added_ = 0;
  std::vector<FrameParameters> parameters_;
  Coded coded_;
};

TEST(ConstantQuality, FindsTheTargetForEveryContentAndStaysThere) {
  for (const double crf : {12.0, 24.0, 33.5, 44.0}) {
    const double target = ConstantQuality::target(crf);
    for (const double slope : {3.5, 5.0, 6.02}) {
      for (const double offset : {-4.0, 0.0, 8.0}) {
        // At the usual step the content has `offset` dB more than the target.
        const double usual = std::log2(255 * std::sqrt(12.0)) - target / (20 * std::log10(2.0));
        Made made(crf, 1000, 1);
        made.code(straight(target + offset + slope * usual, slope), 60);
        const Coded& c = made.coded();
        SCOPED_TRACE(testing::Message() << "crf " << crf << " slope " << slope << " offset " << offset);
        EXPECT_NEAR(c.psnr[0], target + key_gain(1000).psnr,
                    0.25);  // a step is a sixteenth, which is much where steps are small
        for (size_t i = 30; i < 60; ++i) EXPECT_NEAR(c.psnr[i], target, 0.25) << "frame " << i;
        EXPECT_LE(c.most_tries, 3);
      }
    }
  }
}

TEST(ConstantQuality, IsMonotoneAndItsScaleIsTheDocumentedOne) {
  EXPECT_EQ(ConstantQuality::target(0), 55);
  EXPECT_EQ(ConstantQuality::target(24), 40);
  EXPECT_EQ(ConstantQuality::target(51), 55 - 255 / 8.0);
  uint16_t last = 0;
  for (double crf = 0; crf <= 51; crf += 0.5) {
    ConstantQuality control(kSamples, key_gain(10));
    control.set_crf(crf, 0);
    const uint16_t step = control.begin(0, FrameType::kKey);
    EXPECT_GE(step, last) << crf;
    last = step;
  }
  EXPECT_GT(last, 100);
}

TEST(ConstantQuality, TheErrorsOfFramesInFlightChangeNothing) {
  const Content content = [](uint64_t frame, FrameType type, double step) {
    const double moves = 3 * std::sin(static_cast<double>(frame) / 7);
    return 62 + moves - (type == FrameType::kKey ? 5.5 : 4.5) * std::log2(step);
  };
  for (const uint64_t interval : {3U, 6U, 20U}) {
    Made at_once(26, interval, 1);
    at_once.code(content, 70);
    for (uint64_t late = 2; late <= ConstantQuality::kDelay; ++late) {
      Made later(26, interval, late);
      later.code(content, 70);
      EXPECT_EQ(later.coded().steps, at_once.coded().steps) << "interval " << interval << " late " << late;
    }
  }
}

TEST(ConstantQuality, AFrameThatIsBegunAgainIsTheSame) {
  ConstantQuality control(kSamples, key_gain(10));
  control.set_crf(30, 0);
  const Content content = straight(60, 5);
  for (uint64_t frame = 0; frame < 40; ++frame) {
    const FrameType type = frame % 10 == 0 ? FrameType::kKey : FrameType::kPredicted;
    const auto code = [&] {
      std::vector<uint16_t> steps = {control.begin(frame, type)};
      if (type == FrameType::kPredicted) return steps;
      while (const auto next = control.retry(steps.back(), error_of(content(frame, type, steps.back()))))
        steps.push_back(*next);
      return steps;
    };
    const std::vector<uint16_t> first = code();
    EXPECT_EQ(code(), first) << frame;
    EXPECT_TRUE(control.end(0).ok());
    FrameParameters parameters;
    parameters.type = type;
    parameters.base_step = first.back();
    control.add(frame, parameters, error_of(content(frame, type, first.back())));
  }
}

TEST(ConstantQuality, LaterKeyFramesMostlyNeedOneTry) {
  Made made(28, 10, 1);
  made.code(straight(64, 4.2), 10);
  EXPECT_GT(made.coded().most_tries, 1);
  ConstantQuality& control = made.control();
  const uint16_t step = control.begin(10, FrameType::kKey);
  EXPECT_FALSE(control.retry(step, error_of(straight(64, 4.2)(10, FrameType::kKey, step))));
}

TEST(ConstantQuality, WhatStandsStillOrIsBlackLeavesAStepThatIsOfUse) {
  // Predicted frames that copy the key frame gain nothing by a finer step; black has no error at all.
  const Content still = [](uint64_t, FrameType type, double step) {
    return type == FrameType::kKey ? 64 - 5 * std::log2(step) : 38.5;
  };
  Made made(28, 1000, 1);
  made.code(still, 100);
  const double key = made.coded().steps[0];
  for (const uint16_t step : made.coded().steps) EXPECT_LE(step, 2.65 * key);
  Made black(28, 1000, 1);
  black.code([](uint64_t, FrameType, double) { return 200.0; }, 100);
  for (const uint16_t step : black.coded().steps) EXPECT_LT(step, 65535);
  const auto at = static_cast<double>(black.coded().steps.back());
  black.code(straight(60, 5), 20);  // something appears
  EXPECT_LT(black.coded().steps.back(), at);
  EXPECT_NEAR(black.coded().psnr.back(), ConstantQuality::target(28), 3);
}

TEST(ConstantQuality, AnotherTargetHoldsFromTheNextFrameOn) {
  Made made(34, 1000, 1);
  const Content content = straight(64, 5);
  made.code(content, 20);
  EXPECT_NEAR(made.coded().psnr.back(), ConstantQuality::target(34), 0.2);
  made.control().set_crf(22, 20);
  made.code(content, 1);
  EXPECT_NEAR(made.coded().psnr.back(), ConstantQuality::target(22), 0.2);
}

TEST(ConstantQuality, FramesWithoutATargetAreForgotten) {
  Made made(34, 1000, 1);
  made.code(straight(64, 5), 20);
  const uint16_t used = made.control().begin(20, FrameType::kPredicted);
  made.control().set_crf(-1, 20);
  EXPECT_FALSE(made.control().active());
  made.control().set_crf(34, 21);
  ConstantQuality fresh(kSamples, key_gain(10));
  fresh.set_crf(34, 21);
  FrameParameters late;  // of a frame whose error becomes known only now
  late.type = FrameType::kPredicted;
  late.base_step = 4000;
  made.control().add(17, late, 1);
  EXPECT_EQ(made.control().begin(21, FrameType::kPredicted), fresh.begin(21, FrameType::kPredicted));
  EXPECT_NE(used, fresh.begin(21, FrameType::kPredicted));
}

}  // namespace
}  // namespace ctv

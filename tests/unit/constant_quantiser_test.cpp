// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/constant_quantiser.hpp"

#include <gtest/gtest.h>

namespace ctv {
namespace {

TEST(ConstantQuantiser, GivesKeyFramesAFinerStepAndNeedsNoFeedback) {
  ConstantQuantiser finer(160, key_gain(10));
  EXPECT_EQ(finer.begin(0, FrameType::kKey), 107);
  EXPECT_EQ(finer.begin(1, FrameType::kPredicted), 160);
  EXPECT_EQ(finer.feedback(), Feedback::kNone);
  finer.set_step(1);
  EXPECT_EQ(finer.begin(2, FrameType::kKey), 1);
  ConstantQuantiser even(160);
  EXPECT_EQ(even.begin(0, FrameType::kKey), 160);
}

TEST(ConstantQuantiser, KeyFramesAreTheFinerTheMoreFramesFollow) {
  const auto key_step = [](int interval) {
    return ConstantQuantiser(160, key_gain(interval)).begin(0, FrameType::kKey);
  };
  EXPECT_EQ(key_step(1), 160);
  EXPECT_EQ(key_step(2), 107);
  EXPECT_EQ(key_step(kLongRun - 1), 107);
  EXPECT_EQ(key_step(kLongRun), 71);
  EXPECT_EQ(key_step(0), 71);
}

}  // namespace
}  // namespace ctv

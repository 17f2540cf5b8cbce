// SPDX-License-Identifier: BSD-3-Clause
#include "codec/control/rdo_quantise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace ctv {
namespace {

uint32_t multiplier_of(uint32_t step) { return ((1U << 20) + step / 2) / step; }

std::vector<uint32_t> steps() {
  std::vector<uint32_t> all;
  for (uint32_t s = kMinStep; s < 4096; s += s < 512 ? 1 : 37) all.push_back(s);
  for (uint32_t s = 4096; s < kMaxStep; s = s * 9 / 8 + 1) all.push_back(s);
  all.push_back(kMaxStep);
  return all;
}

TEST(Quantise, UnitStepIsLosslessForEveryCoefficient) {
  int wrong = 0;
  for (int c = -32767; c <= 32767; ++c) {
    for (const uint32_t offset : {0U, 16384U, 32768U}) {
      const Level level = quantise(static_cast<Coefficient>(c), 1 << 16, offset);
      wrong += level != c || dequantise(level, kMinStep, 0) != c;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Quantise, ErrorIsWithinOneStepMinusTheRoundingOffset) {
  for (const uint32_t step : steps()) {
    const uint32_t multiplier = multiplier_of(step);
    for (const uint32_t offset : {16384U, 21845U, 32768U}) {
      int worst = 0;
      for (int c = -8191; c <= 8191; c += step < 64 ? 1 : 13) {
        const Level level = quantise(static_cast<Coefficient>(c), multiplier, offset);
        const int back = dequantise(level, step, 0);
        if (std::abs(back) >= 32767) continue;  // a step near the limit: the value saturates
        worst = std::max(worst, std::abs(c - back));
      }
      // Largest error: (1 - offset) steps; the rounded multiplier adds at most 1 / (2 multiplier) of the
      // value.
      const double steps_of_error = 1.0 - offset / 65536.0;
      const double drift = 8191.0 * 0.5 / multiplier;
      EXPECT_LE(worst, steps_of_error * step / 16.0 + drift + 1.0) << "step " << step << " offset " << offset;
    }
  }
}

TEST(Quantise, IsOddAndMonotone) {
  for (const uint32_t step : steps()) {
    const uint32_t multiplier = multiplier_of(step);
    Level last = 0;
    for (int c = 0; c <= 32767; c += 7) {
      const Level level = quantise(static_cast<Coefficient>(c), multiplier, 21845);
      EXPECT_GE(level, last);
      EXPECT_EQ(quantise(static_cast<Coefficient>(-c), multiplier, 21845), -level);
      last = level;
    }
  }
}

TEST(Quantise, HalfOffsetRoundsToTheNearest) {
  EXPECT_EQ(quantise(79, multiplier_of(160), 32768), 8);  // 7.9 steps of 10
  EXPECT_EQ(quantise(74, multiplier_of(160), 32768), 7);
  EXPECT_EQ(quantise(-74, multiplier_of(160), 32768), -7);
}

TEST(Quantise, TheDeadZoneIsWiderThanAStep) {
  EXPECT_EQ(quantise(6, multiplier_of(160), 21845), 0);  // 0.6 of a step: below 1 - 1/3
  EXPECT_EQ(quantise(7, multiplier_of(160), 21845), 1);
}

TEST(QuantiseRdo, SilenceTakesRoundingAwayAndActivityGivesItBack) {
  const uint32_t multiplier = multiplier_of(1600);  // steps of 100
  EXPECT_EQ(quantise_rdo(93, multiplier, 32768, 0), 1);
  EXPECT_EQ(quantise_rdo(92, multiplier, 32768, 0), 0);  // 1 - 0.5 + 28000 / 65536 = 0.927
  EXPECT_EQ(quantise_rdo(72, multiplier, 32768, 32), 1);
  EXPECT_EQ(quantise_rdo(-71, multiplier, 32768, 32), 0);  // half of it: 0.714
  EXPECT_EQ(quantise_rdo(-72, multiplier, 32768, 32), -1);
  EXPECT_EQ(quantise_rdo(83, multiplier, 32768, 16), 1);
  EXPECT_EQ(quantise_rdo(82, multiplier, 32768, 16), 0);  // three quarters: 0.820
  constexpr uint32_t kMost = kMostActivity * (4 * kBesideWeight + 4 * kDiagonalWeight);
  for (int c = -32768; c <= 32767; ++c) {
    const auto x = static_cast<Coefficient>(c);
    EXPECT_LE(std::abs(quantise_rdo(x, multiplier, 21845, 0)), std::abs(quantise(x, multiplier, 21845)));
    EXPECT_EQ(quantise_rdo(x, multiplier, 21845, kMost), quantise(x, multiplier, 21845 - 27));
  }
}

TEST(QuantiseRdo, ActivityIsTheMagnitudeInEighthsLessOne) {
  const uint32_t multiplier = multiplier_of(160 * 8);  // eighths of 10
  for (const int sign : {-1, 1}) {
    EXPECT_EQ(activity_of(static_cast<Coefficient>(sign * 19), multiplier), 0);
    EXPECT_EQ(activity_of(static_cast<Coefficient>(sign * 21), multiplier), 1);
    EXPECT_EQ(activity_of(static_cast<Coefficient>(sign * 81), multiplier), 7);
    EXPECT_EQ(activity_of(static_cast<Coefficient>(sign * 171), multiplier), kMostActivity);
    EXPECT_EQ(activity_of(static_cast<Coefficient>(sign * 32767), multiplier), kMostActivity);
  }
  EXPECT_EQ(activity_of(-32768, multiplier_of(kMinStep + 1)), kMostActivity);
}

TEST(Quantise, BiasMovesReconstructionTowardsZero) {
  EXPECT_EQ(dequantise(3, 160, 0), 30);
  EXPECT_EQ(dequantise(3, 160, 16), 29);
  EXPECT_EQ(dequantise(-3, 160, 16), -29);
  EXPECT_EQ(dequantise(0, 160, 16), 0);
}

TEST(Quantise, AbsurdLevelsOfADamagedStreamAreDefined) {
  for (const uint32_t step : {kMinStep, 160U, kMaxStep}) {
    for (const int level : {-32768, -32767, 32767}) {
      const Coefficient c = dequantise(static_cast<Level>(level), step, 0);
      EXPECT_GE(c, -32767);
      EXPECT_LE(c, 32767);
    }
  }
}

TEST(SubbandStep, IsTheBaseStepInTheTransformsUnitsTimesTheWeight) {
  EXPECT_EQ(subband_step(160, kWeightOne, 0), 160U);
  EXPECT_EQ(subband_step(160, kWeightOne, 2), 640U);
  EXPECT_EQ(subband_step(160, kWeightOne / 2, 2), 320U);
  EXPECT_EQ(subband_step(1, kWeightOne, 0), kMinStep);
  EXPECT_EQ(subband_step(65535, 65535, 2), kMaxStep);
}

}  // namespace
}  // namespace ctv

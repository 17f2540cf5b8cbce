// SPDX-License-Identifier: BSD-3-Clause
// BD-rates of curves whose distance is known, and the curve that is drawn through points.
#include "bench/bd_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ctv::tools {
namespace {

std::vector<RatePoint> curve(double factor, double shift = 0) {
  std::vector<RatePoint> points;
  for (const double q : {30.0, 33.5, 37.0, 40.0, 44.0})
    points.push_back({factor * 1000 * std::pow(2, (q - 30) / 4 + 0.02 * (q - 36) * (q - 36) / 6), q + shift});
  return points;
}

TEST(BdRate, EqualCurvesDifferByNothing) {
  const auto bd = bd_rate(curve(1), curve(1));
  ASSERT_TRUE(bd);
  EXPECT_NEAR(bd->percent, 0, 1e-9);
  EXPECT_DOUBLE_EQ(bd->from, 30);
  EXPECT_DOUBLE_EQ(bd->to, 44);
}

TEST(BdRate, TwiceTheBitsAreAHundredPerCentMore) {
  EXPECT_NEAR(bd_rate(curve(1), curve(2))->percent, 100, 1e-9);
  EXPECT_NEAR(bd_rate(curve(2), curve(1))->percent, -50, 1e-9);
  EXPECT_NEAR(bd_rate(curve(1), curve(0.8))->percent, -20, 1e-9);
}

TEST(BdRate, AFactorHoldsOnAnyRangeAndSampling) {
  // Straight in log rate, so that other points lie on the same curve.
  const auto line = [](double factor, std::vector<double> qualities) {
    std::vector<RatePoint> points;
    for (const double q : qualities) points.push_back({factor * std::exp(q / 5), q});
    return points;
  };
  const auto bd = bd_rate(line(1, {28, 33, 38, 43}), line(1.3, {31, 32, 36, 41, 46}), {32, 40});
  ASSERT_TRUE(bd);
  EXPECT_NEAR(bd->percent, 30, 1e-9);
  EXPECT_DOUBLE_EQ(bd->from, 32);
  EXPECT_DOUBLE_EQ(bd->to, 40);
}

TEST(BdRate, CurvesThatCrossInTheMiddleAreEqualOnAverage) {
  // log rate q/5 and q/5 + (q - 35)/20: apart by -1/4 at 30 dB, by +1/4 at 40 dB.
  std::vector<RatePoint> a, b;
  for (double q = 30; q <= 40; q += 2.5) {
    a.push_back({std::exp(q / 5), q});
    b.push_back({std::exp(q / 5 + (q - 35) / 20), q});
  }
  EXPECT_NEAR(bd_rate(a, b)->percent, 0, 1e-9);
  EXPECT_LT(bd_rate(a, b, {30, 34})->percent, 0);
  EXPECT_GT(bd_rate(a, b, {36, 40})->percent, 0);
}

TEST(BdRate, OrderOfPointsDoesNotMatter) {
  std::vector<RatePoint> reversed = curve(1.5);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_NEAR(bd_rate(curve(1), reversed)->percent, 50, 1e-9);
}

TEST(BdRate, WithoutSharedQualityThereIsNone) {
  std::string why;
  EXPECT_FALSE(bd_rate(curve(1), curve(1, 20), {}, &why));
  EXPECT_EQ(why, "the curves share no range of quality");
  EXPECT_FALSE(bd_rate(curve(1), curve(1), {50, 60}));
  EXPECT_FALSE(bd_rate(curve(1), {{1000, 35}}, {}, &why));
  EXPECT_EQ(why, "fewer than two points");
}

TEST(BdRate, PointsThatOthersUndercutAreLeftOut) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<RatePoint> kept =
      usable_points({{300, 40}, {100, 30}, {250, 35}, {200, 36}, {400, 40}, {900, infinite}, {0, 20}});
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_DOUBLE_EQ(kept[0].rate, 100);
  EXPECT_DOUBLE_EQ(kept[1].rate, 200);
  EXPECT_DOUBLE_EQ(kept[2].rate, 300);
}

TEST(Pchip, GoesThroughItsPointsAndStraightLines) {
  const Pchip line({0, 1, 3, 7}, {2, 4, 8, 16});
  for (double x = 0; x <= 7; x += 0.125) EXPECT_NEAR(line.at(x), 2 + 2 * x, 1e-12);
  EXPECT_NEAR(line.integral(0, 7), 2 * 7 + 49, 1e-12);
  const Pchip two({1, 2}, {5, 9});
  EXPECT_NEAR(two.at(1.25), 6, 1e-12);
}

TEST(Pchip, DoesNotSwing) {
  const Pchip step({0, 1, 2, 3, 4, 5}, {0, 0, 0, 1, 1, 1});
  double last = 0;
  for (double x = 0; x <= 5; x += 0.01) {
    EXPECT_GE(step.at(x), last - 1e-12);
    EXPECT_LE(step.at(x), 1 + 1e-12);
    last = step.at(x);
  }
  EXPECT_NEAR(step.integral(0, 5), 2.5, 1e-12);
}

TEST(Pchip, SlopesAsPublished) {
  // Fritsch and Butland's weighted harmonic mean at 1 (2 * 3 / (1 + 1/3) of equal spacing is 1.5), and the
  // three-point formula at the ends: (3 d0 - d1) / 2, at least 0.
  const Pchip curve({0, 1, 2}, {0, 1, 4});
  const double slope = 1.5, h = 1e-6;
  EXPECT_NEAR((curve.at(1 + h) - curve.at(1 - h)) / (2 * h), slope, 1e-5);
  EXPECT_NEAR((curve.at(h) - curve.at(0)) / h, 0, 1e-5);
  EXPECT_NEAR((curve.at(2) - curve.at(2 - h)) / h, 4, 1e-5);
}

TEST(Pchip, IntegralAgreesWithASum) {
  const Pchip curve({0, 0.5, 2, 3.5, 4}, {1, 2, -1, 0, 5});
  double sum = 0;
  constexpr int kSteps = 100000;
  for (int i = 0; i < kSteps; ++i) sum += curve.at(0.3 + 3.5 * (i + 0.5) / kSteps) * 3.5 / kSteps;
  EXPECT_NEAR(curve.integral(0.3, 3.8), sum, 1e-7);
  EXPECT_NEAR(curve.integral(0.3, 1) + curve.integral(1, 3.8), curve.integral(0.3, 3.8), 1e-12);
}

TEST(Pchip, RefusesPointsThatDoNotRise) {
  EXPECT_THROW(Pchip({0, 0}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(Pchip({1}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dsp/laplacian.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ctv {
namespace {

// The 9-7 pair as published (Do and Vetterli's toolbox), centre first, gain sqrt(2) at DC.
constexpr double kAnalysis[5] = {.85269867900940, .37740285561265, -.11062440441842, -.023849465019380,
                                 .037828455506995};
constexpr double kSynthesis[4] = {.78848561640566, .41809227322221, -.040689417609558, -.064538882628938};

TEST(LaplacianFilters, LowpassHasGainOneAtDc) {
  int sum = lowpass_tap(0);
  for (int d = 1; d <= kLowpassReach; ++d) sum += 2 * lowpass_tap(d);
  EXPECT_EQ(sum, 256);
}

TEST(LaplacianFilters, InterpolationHasGainOneOnBothPhases) {
  EXPECT_EQ(interpolation_tap(0) + 2 * interpolation_tap(2), 256);
  EXPECT_EQ(2 * interpolation_tap(1) + 2 * interpolation_tap(3), 256);
}

TEST(LaplacianFilters, AreThePublishedOnesTo256ths) {
  for (int d = 0; d <= kLowpassReach; ++d) {
    EXPECT_LE(std::abs(lowpass_tap(d) - 256 * kAnalysis[d] / std::sqrt(2.0)), 1.0) << d;
  }
  for (int d = 0; d <= kInterpolationReach; ++d) {
    EXPECT_LE(std::abs(interpolation_tap(d) - 256 * kSynthesis[d] * std::sqrt(2.0)), 1.0) << d;
  }
}

TEST(LaplacianFilters, RoundToTheNearestHalvesUp) {
  EXPECT_EQ(round_laplacian(0), 0);
  EXPECT_EQ(round_laplacian(32767), 0);
  EXPECT_EQ(round_laplacian(32768), 1);
  EXPECT_EQ(round_laplacian(-32768), 0);
  EXPECT_EQ(round_laplacian(-32769), -1);
}

}  // namespace
}  // namespace ctv

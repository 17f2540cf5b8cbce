// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dsp/directional.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include "codec/format/directional_plan.hpp"

namespace ctv {

void PrintTo(const Leaf& l, std::ostream* os) { *os << "(" << l.row << "," << l.col << ")"; }
bool operator==(const Leaf& a, const Leaf& b) {
  return a.row == b.row && a.col == b.col && a.row_stride == b.row_stride && a.col_stride == b.col_stride;
}

namespace {

TEST(DirectionalTaps, ShrinkAndPassTheFanWithGainOne) {
  for (const int taps : {6, 12}) {
    int alternating = 0;
    for (int k = 1; k <= taps / 2; ++k) {
      alternating += (k % 2 == 1 ? 1 : -1) * directional_tap(taps, k);
      EXPECT_LT(directional_tap(taps, k), k > 1 ? directional_tap(taps, k - 1) : 64);
      EXPECT_GT(directional_tap(taps, k), 0);
    }
    // Along one lattice vector the gain is 2 x alternating / 64 in the middle of the fan: one, to a 32nd.
    EXPECT_LE(std::abs(alternating - 32), 1) << taps;
  }
}

TEST(Shears, AreTheTangentAndTheSineOfTheRotationRounded) {
  const double tan = std::tan(std::numbers::pi / 8);
  const double sin = std::sin(std::numbers::pi / 4);
  for (int x = -20000; x <= 20000; x += 7) {
    const int32_t sum = x * 4096;
    EXPECT_LE(std::abs(shear_tan(sum) - tan * x), 0.5 + std::abs(x) * 3e-3 * tan) << x;
    EXPECT_LE(std::abs(shear_sin(sum) - sin * x), 0.5 + std::abs(x) * 3e-3 * sin) << x;
  }
  EXPECT_EQ(shear_tan(0), 0);
  EXPECT_EQ(shear_sin(0), 0);
}

// Row and column of the first sample and the strides, from the derivation of the sampling lattices.
TEST(DirectionalPlan, LeavesLieWhereTheLatticesSay) {
  const auto leaves = [](int n, const std::vector<std::pair<int, int>>& places) {
    std::vector<Leaf> out;
    const int longer = 1 << (n - 1);
    for (size_t k = 0; k < places.size(); ++k) {
      const bool vertical = k < places.size() / 2;
      out.push_back({places[k].first, places[k].second, vertical ? longer : 2, vertical ? 2 : longer});
    }
    return out;
  };
  EXPECT_EQ(make_directional_plan(2).leaves, leaves(2, {{1, 1}, {0, 0}, {0, 1}, {1, 0}}));
  EXPECT_EQ(make_directional_plan(3).leaves,
            leaves(3, {{3, 1}, {1, 1}, {2, 0}, {0, 0}, {0, 1}, {0, 3}, {1, 2}, {1, 0}}));
  EXPECT_EQ(make_directional_plan(4).leaves, leaves(4, {{7, 1},
                                                        {3, 1},
                                                        {5, 1},
                                                        {1, 1},
                                                        {6, 0},
                                                        {2, 0},
                                                        {4, 0},
                                                        {0, 0},
                                                        {0, 1},
                                                        {0, 5},
                                                        {0, 3},
                                                        {0, 7},
                                                        {1, 2},
                                                        {1, 6},
                                                        {1, 4},
                                                        {1, 0}}));
}

TEST(DirectionalPlan, LeavesCoverEverySampleOnce) {
  for (int n = 2; n <= 4; ++n) {
    const int side = 1 << n;
    std::set<std::pair<int, int>> seen;
    for (const Leaf& leaf : make_directional_plan(n).leaves) {
      for (int r = leaf.row; r < side; r += leaf.row_stride) {
        for (int c = leaf.col; c < side; c += leaf.col_stride) {
          EXPECT_TRUE(seen.insert({r, c}).second) << "twice: " << r << "," << c;
        }
      }
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(side * side)) << n;
  }
}

TEST(DirectionalPlan, HasOneSplitPerNodeOfLevelsThreeAndDeeper) {
  EXPECT_EQ(make_directional_plan(1).splits.size(), 0U);
  EXPECT_EQ(make_directional_plan(2).splits.size(), 0U);
  EXPECT_EQ(make_directional_plan(3).splits.size(), 4U);
  EXPECT_EQ(make_directional_plan(4).splits.size(), 12U);
}

// b1, s0 and s1 of every split in band coordinates, from the table of the derivation; half of them are
// transposed.
TEST(DirectionalPlan, SplitsAreTheParallelogramsOfTheDerivation) {
  struct Row {
    int depth, b_long, shear_band, r0, c0, r1, c1;
    bool transposed;
  };
  const std::vector<Row> table = {
      {3, 4, 2, 1, 1, 3, 3, false},  {3, 4, -2, 0, 0, 2, 0, false},  {3, 4, 2, 1, 2, 3, 4, true},
      {3, 4, -2, 0, 1, 0, 3, true},  {4, 8, 6, 3, 3, 7, 7, false},   {4, 8, 2, 1, 1, 5, 3, false},
      {4, 8, -2, 2, 0, 6, 0, false}, {4, 8, -6, 0, 0, 4, -2, false}, {4, 8, 6, 3, 4, 7, 8, true},
      {4, 8, 2, 1, 2, 3, 6, true},   {4, 8, -2, 0, 3, 0, 7, true},   {4, 8, -6, 0, 1, -2, 5, true}};
  const DirectionalPlan plan = make_directional_plan(4);
  ASSERT_EQ(plan.splits.size(), table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    const Row& t = table[i];
    const PhaseSplit& s = plan.splits[i];
    EXPECT_EQ(s.depth, t.depth) << i;
    EXPECT_EQ(s.phase, (t.r0 & 1) * 2 + (t.c0 & 1)) << i;
    EXPECT_EQ(is_transposed(s.phase), t.transposed) << i;
    EXPECT_EQ(s.row_stride, t.b_long / 2) << i;
    EXPECT_EQ(s.shear, t.shear_band / 2) << i;
    const auto in_phase = [&](int r, int c) {
      const int along = t.transposed ? c : r;
      const int halved = (along - (along & 1)) / 2;
      return ((halved % s.row_stride) + s.row_stride) % s.row_stride;
    };
    EXPECT_EQ(s.row0, in_phase(t.r0, t.c0)) << i;
    EXPECT_EQ(s.row1, in_phase(t.r1, t.c1)) << i;
    EXPECT_NE(s.row0, s.row1) << i;
  }
}

}  // namespace
}  // namespace ctv

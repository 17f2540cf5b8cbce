// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dsp/lifting.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "codec/dsp/mirror.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

TEST(Mirror, ReflectsAboutTheFirstAndTheLastSample) {
  const int expected[] = {3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3};
  for (int i = -3; i < 10; ++i) EXPECT_EQ(mirror(i, 4), expected[i + 3]) << i;
}

TEST(Mirror, OneSampleIsEverywhere) {
  for (int i = -9; i < 9; ++i) EXPECT_EQ(mirror(i, 1), 0);
}

TEST(Mirror, IsDefinedFarOutsideAndKeepsParityOfEvenLengths) {
  for (int n = 2; n <= 64; n += 2) {
    for (int i = -5 * n; i < 5 * n; ++i) {
      const int m = mirror(i, n);
      ASSERT_GE(m, 0);
      ASSERT_LT(m, n);
      // what keeps even samples even and odd ones odd, as lifting needs
      EXPECT_EQ(m & 1, i & 1) << i << " of " << n;
    }
  }
}

TEST(Wrap, IsPeriodic) {
  for (int n = 1; n < 20; ++n) {
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(wrap(i, n), i);
      EXPECT_EQ(wrap(i - 3 * n, n), i);
      EXPECT_EQ(wrap(i + 7 * n, n), i);
    }
  }
}

// One dimension by the definition in the header: split, predict, update; and the inverse.
struct Line {
  std::vector<int> s, t;
};
template <typename Predict, typename Update>
Line forward(const std::vector<int>& x, Predict predict, Update update) {
  const int n = static_cast<int>(x.size());
  const int half = n / 2;
  Line line;
  for (int i = 0; i < half; ++i) {
    line.s.push_back(x[static_cast<size_t>(2 * i)]);
    line.t.push_back(x[static_cast<size_t>(2 * i + 1)]);
  }
  for (int i = 0; i < half; ++i) line.t[static_cast<size_t>(i)] -= predict(line.s, i, n);
  for (int i = 0; i < half; ++i) line.s[static_cast<size_t>(i)] += update(line.t, i, n);
  return line;
}
template <typename Predict, typename Update>
std::vector<int> inverse(Line line, Predict predict, Update update) {
  const int half = static_cast<int>(line.s.size());
  const int n = 2 * half;
  for (int i = 0; i < half; ++i) line.s[static_cast<size_t>(i)] -= update(line.t, i, n);
  for (int i = 0; i < half; ++i) line.t[static_cast<size_t>(i)] += predict(line.s, i, n);
  std::vector<int> x;
  for (int i = 0; i < half; ++i) {
    x.push_back(line.s[static_cast<size_t>(i)]);
    x.push_back(line.t[static_cast<size_t>(i)]);
  }
  return x;
}
// Neighbours by their position in the whole line, mirrored.
int even_at(const std::vector<int>& s, int place, int n) {
  return s[static_cast<size_t>(mirror(place, n) / 2)];
}
int odd_at(const std::vector<int>& t, int place, int n) {
  return t[static_cast<size_t>(mirror(place, n) / 2)];
}

const auto kPredict53 = [](const std::vector<int>& s, int i, int n) {
  return predict_5_3(even_at(s, 2 * i, n), even_at(s, 2 * i + 2, n));
};
const auto kUpdate53 = [](const std::vector<int>& t, int i, int n) {
  return update_5_3(odd_at(t, 2 * i - 1, n), odd_at(t, 2 * i + 1, n));
};
class Lifting : public testing::TestWithParam<int> {};

TEST_P(Lifting, NoiseComesBack) {
  const int n = GetParam();
  test::Random random(static_cast<uint64_t>(n));
  std::vector<int> x;
  for (int i = 0; i < n; ++i) x.push_back(random.between(-4096, 4095));
  EXPECT_EQ(inverse(forward(x, kPredict53, kUpdate53), kPredict53, kUpdate53), x);
}

TEST_P(Lifting, FlatLineHasNoDetailAndKeepsItsMean) {
  const std::vector<int> x(static_cast<size_t>(GetParam()), 517);
  const Line line = forward(x, kPredict53, kUpdate53);
  for (const int t : line.t) EXPECT_EQ(t, 0);
  for (const int s : line.s) EXPECT_EQ(s, 517);
}

TEST_P(Lifting, RampHasNoDetailInside) {
  const int n = GetParam();
  std::vector<int> x;
  for (int i = 0; i < n; ++i) x.push_back(4 * i);
  const Line line = forward(x, kPredict53, kUpdate53);
  for (int i = 1; i + 2 < n / 2; ++i) EXPECT_EQ(line.t[static_cast<size_t>(i)], 0) << i;
}

INSTANTIATE_TEST_SUITE_P(Lengths, Lifting, testing::Values(2, 4, 6, 8, 16, 34, 960));

}  // namespace
}  // namespace ctv

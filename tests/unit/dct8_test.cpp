// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dsp/dct8.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "tests/reference/block.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

using Block8 = int32_t[8][8];

// Columns, then rows, as in both backends.
void forward(const Block8& x, Block8& c) {
  Block8 t;
  for (int u = 0; u < 8; ++u) {
    int32_t in[8], out[8];
    for (int i = 0; i < 8; ++i) in[i] = x[i][u];
    forward_dct8(in, out);
    for (int v = 0; v < 8; ++v) t[v][u] = dct8_forward_first(out[v]);
  }
  for (int v = 0; v < 8; ++v) {
    forward_dct8(t[v], c[v]);
    for (int u = 0; u < 8; ++u) c[v][u] = dct8_forward_second(c[v][u]);
  }
}

// Rows, then columns; 64ths of a sample.
void inverse(const Block8& c, Block8& x) {
  Block8 t;
  for (int v = 0; v < 8; ++v) {
    inverse_dct8(c[v], t[v]);
    for (int i = 0; i < 8; ++i) t[v][i] = dct8_inverse_first(t[v][i]);
  }
  for (int i = 0; i < 8; ++i) {
    int32_t in[8], out[8];
    for (int v = 0; v < 8; ++v) in[v] = t[v][i];
    inverse_dct8(in, out);
    for (int y = 0; y < 8; ++y) x[y][i] = dct8_inverse_second(out[y]);
  }
}

void fill(Block8& b, const std::function<int(int, int)>& value) {
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) b[r][c] = value(r, c);
  }
}

reference::Matrix matrix_of(const Block8& b) {
  reference::Matrix m(8);
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) m.at(r, c) = b[r][c];
  }
  return m;
}

double worst_difference(const Block8& b, const reference::Matrix& m, double unit) {
  double worst = 0;
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) worst = std::max(worst, std::abs(b[r][c] - unit * m.at(r, c)));
  }
  return worst;
}

TEST(Dct8, CoefficientsAreTheOrthonormalOnesInQuarters) {
  Random random(1);
  const auto dct = reference::dct_matrix(8);
  for (int i = 0; i < 500; ++i) {
    Block8 x, c;
    const int range = i % 2 == 0 ? 255 : 1023;
    fill(x, [&](int, int) { return random.between(-range, range); });
    forward(x, c);
    // Rounding of both passes, and constants of 13 bits.
    EXPECT_LE(worst_difference(c, reference::both_sides(dct, matrix_of(x)), 4), range == 255 ? 2.0 : 3.5);
  }
}

TEST(Dct8, InverseIsTheOrthonormalOneIn64ths) {
  Random random(2);
  const auto dct = reference::transposed(reference::dct_matrix(8));
  for (int i = 0; i < 500; ++i) {
    Block8 c, x;
    const int dense = i % 3;
    fill(c, [&](int, int) {
      return dense == 0 || random.between(0, 15) == 0 ? random.between(-2000, 2000) >> dense : 0;
    });
    inverse(c, x);
    EXPECT_LE(worst_difference(x, reference::both_sides(dct, matrix_of(c)), 16), 32.0);
  }
}

TEST(Dct8, WithoutAQuantiserTheErrorIsAFractionOfASample) {
  Random random(3);
  double squares = 0;
  int count = 0;
  for (int i = 0; i < 2000; ++i) {
    Block8 x, c, back;
    fill(x, [&](int, int) { return random.between(-255, 255); });
    forward(x, c);
    inverse(c, back);
    for (int r = 0; r < 8; ++r) {
      for (int k = 0; k < 8; ++k, ++count) {
        const double error = back[r][k] / 64.0 - x[r][k];
        squares += error * error;
      }
    }
  }
  const double psnr = 10 * std::log10(255.0 * 255.0 * count / squares);
  EXPECT_GE(psnr, 65.0);
  EXPECT_LE(psnr, 70.0);  // as the header says
}

TEST(Dct8, FlatBlocksAreExact) {
  for (int value = -1023; value <= 1023; ++value) {
    Block8 x, c, back;
    fill(x, [&](int, int) { return value; });
    forward(x, c);
    EXPECT_EQ(c[0][0], 32 * value);
    for (int i = 1; i < 64; ++i) ASSERT_EQ(c[i / 8][i % 8], 0);
    inverse(c, back);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(back[i / 8][i % 8], 64 * value);
  }
}

// Overflow, which UndefinedBehaviorSanitizer detects: the signs of every basis function at full scale
// maximise its coefficient and each first sum.
TEST(Dct8, NothingOverflowsAtTheEndsOfTheRanges) {
  const auto dct = reference::dct_matrix(8);
  for (int k = 0; k < 64; ++k) {
    const auto sign = [&](int r, int c) { return dct.at(k / 8, r) * dct.at(k % 8, c) < 0 ? -1 : 1; };
    Block8 x, c, t;
    fill(x, [&](int r, int i) { return sign(r, i) * kDct8MaxSample; });
    forward(x, c);
    double exact = 0;
    for (int r = 0; r < 8; ++r) {
      for (int i = 0; i < 8; ++i) exact += dct.at(k / 8, r) * dct.at(k % 8, i) * x[r][i];
    }
    const int32_t largest = c[k / 8][k % 8];
    EXPECT_NEAR(largest, std::min(32767.0, 4 * exact), 8.0);
    // Inverse, sample k: every coefficient at its limit, with the sign that increases the sum.
    fill(c, [&](int v, int u) { return dct.at(v, k / 8) * dct.at(u, k % 8) < 0 ? -32767 : 32767; });
    inverse(c, t);
    EXPECT_GT(t[k / 8][k % 8], 64 * kDct8MaxSample);
    for (int i = 0; i < 64; ++i) ASSERT_LT(std::abs(t[i / 8][i % 8]), 1 << 20);
  }
}

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/dsp/h264.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/reference/block.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

// Forward row times inverse column of one frequency.
double norm(int n, int k) {
  if (n == 4) return k % 2 == 0 ? 4 : 5;
  return k % 4 == 0 ? 8 : k % 2 == 0 ? 5 : 9.03125;
}

template <int N>
using Block = int32_t[N][N];

template <int N>
void line(bool inverse, const int32_t (&in)[N], int32_t (&out)[N]) {
  if constexpr (N == 4) {
    inverse ? inverse_h264_4(in, out) : forward_h264_4(in, out);
  } else {
    inverse ? inverse_h264_8(in, out) : forward_h264_8(in, out);
  }
}

template <int N>
void columns(bool inverse, Block<N>& x) {
  for (int c = 0; c < N; ++c) {
    int32_t in[N], out[N];
    for (int r = 0; r < N; ++r) in[r] = x[r][c];
    line<N>(inverse, in, out);
    for (int r = 0; r < N; ++r) x[r][c] = out[r];
  }
}

template <int N>
void rows(bool inverse, Block<N>& x) {
  for (int r = 0; r < N; ++r) {
    int32_t out[N];
    line<N>(inverse, x[r], out);
    std::copy_n(out, N, x[r]);
  }
}

template <int N>
reference::Matrix matrix_of(const Block<N>& b) {
  reference::Matrix m(N);
  for (int r = 0; r < N; ++r) {
    for (int c = 0; c < N; ++c) m.at(r, c) = b[r][c];
  }
  return m;
}

// Values are multiples of `unit`, so that no shift loses a bit and the lines must be their matrices.
template <int N>
void check_matrices(int unit, int range) {
  Random random(static_cast<uint64_t>(N));
  for (int i = 0; i < 300; ++i) {
    Block<N> x;
    for (auto& row : x) {
      for (int32_t& v : row) v = random.between(-range, range) * unit;
    }
    for (const bool inverse : {false, true}) {
      Block<N> y;
      std::copy_n(&x[0][0], N * N, &y[0][0]);
      const auto m = inverse ? reference::h264_inverse_matrix(N) : reference::h264_matrix(N);
      const auto expected = reference::both_sides(m, matrix_of<N>(x));
      if (inverse) rows<N>(true, y);
      columns<N>(inverse, y);
      if (!inverse) rows<N>(false, y);
      for (int k = 0; k < N * N; ++k) ASSERT_EQ(y[k / N][k % N], expected.at(k / N, k % N)) << inverse;
    }
  }
}

TEST(H264, LinesAreThePublishedMatrices) {
  check_matrices<4>(4, 500);
  check_matrices<8>(64, 30);
}

TEST(H264, HadamardIsItsMatrixAndItsSigns) {
  const auto m = reference::hadamard_matrix();
  for (int position = 0; position < 4; ++position) {
    int32_t x[4] = {}, y[4], back[4];
    x[position] = 1;
    hadamard_4(x, y);
    hadamard_4(y, back);
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(y[k], m.at(k, position));
      EXPECT_EQ(hadamard_sign(k, position), m.at(k, position));
      EXPECT_EQ(back[k], 4 * x[k]);
    }
  }
}

TEST(H264, StepsDoubleEverySixQpAndAreTheCodecsOwn) {
  EXPECT_EQ(h264_step(4), 16);
  for (int qp = 0; qp <= kH264MaxQp; ++qp) {
    const auto step = static_cast<uint32_t>(h264_step(qp));
    EXPECT_EQ(step, static_cast<uint32_t>(h264_step(qp % 6) << (qp / 6)));
    EXPECT_EQ(h264_qp(step), qp);
    EXPECT_EQ(h264_qp(step - 1), std::max(0, qp - 1));
  }
  EXPECT_EQ(h264_qp(1), 0);
  EXPECT_EQ(h264_qp(65535), kH264MaxQp);
}

// The standard derives both tables from the norms: V is the step over the norms, MF the reciprocal of V.
TEST(H264, TablesFollowFromTheNorms) {
  for (int rest = 0; rest < 6; ++rest) {
    const double step = h264_step(rest) / 16.0;
    for (int v = 0; v < 8; ++v) {
      for (int u = 0; u < 8; ++u) {
        const double norms = norm(8, v) * norm(8, u);
        const int scale = h264_scale_8(rest, h264_class_8(v, u));
        EXPECT_NEAR(scale, step * 256 / std::sqrt(norms), 0.65) << v << " " << u;
        EXPECT_NEAR(h264_factor_8(rest, h264_class_8(v, u)), (1 << 24) / norms / scale, 0.51)
            << v << " " << u;
        if (v > 3 || u > 3) continue;
        const double norms4 = norm(4, v) * norm(4, u);
        const int scale4 = h264_scale_4(rest, h264_class_4(v, u));
        // The columns of the inverse have squared norms of 4 and 5/2.
        const double inverse = norms4 / (v % 2 == 1 ? 2 : 1) / (u % 2 == 1 ? 2 : 1);
        EXPECT_NEAR(scale4, step * 64 / std::sqrt(inverse), 0.85) << v << " " << u;
        EXPECT_NEAR(h264_factor_4(rest, h264_class_4(v, u)), (1 << 21) / norms4 / scale4, 0.51)
            << v << " " << u;
      }
    }
  }
}

// Levels of one coefficient at every QP and position: within half a step (rounding to the nearest), and the
// inverse brings back the sample values of that basis function.
template <int N>
void check_quantiser() {
  for (int qp = 0; qp <= kH264MaxQp; ++qp) {
    for (int v = 0; v < N; ++v) {
      for (int u = 0; u < N; ++u) {
        const int norm_class = N == 4 ? h264_class_4(v, u) : h264_class_8(v, u);
        const int factor = N == 4 ? h264_factor_4(qp % 6, norm_class) : h264_factor_8(qp % 6, norm_class);
        const int scale = N == 4 ? h264_scale_4(qp % 6, norm_class) : h264_scale_8(qp % 6, norm_class);
        const int bits = N == 4 ? h264_bits_4(qp) : h264_bits_8(qp);
        // Forward coefficients are norms times 64ths of the basis function's amplitude.
        const double to_scaled = 64 / (norm(N, v) * norm(N, u));
        const double step = scale * std::exp2(qp / 6) / (N == 4 ? 1 : 4);
        int32_t last = 0;
        for (int32_t w = 0; w * to_scaled <= 24000; w += 120) {
          const int32_t level = h264_quantise(w, factor, 32768, bits);
          EXPECT_GE(level, last);
          EXPECT_EQ(h264_quantise(-w, factor, 32768, bits), -level);
          const int32_t back = h264_dequantise(level, scale, qp, N == 4 ? 0 : 2);
          ASSERT_LE(std::abs(back - w * to_scaled), 0.5 * step + 0.001 * w + 1) << "qp " << qp << " w " << w;
          last = level;
        }
      }
    }
  }
}

TEST(H264, QuantiserAndDequantiserAreAPairAtEveryQpAndPosition) {
  check_quantiser<4>();
  check_quantiser<8>();
}

TEST(H264, TheRoundingOffsetMakesTheDeadZone) {
  // QP 4, DC: a step of one sample is 4 in the 4x4 transform of one sample's step over sqrt(16) samples.
  const int factor = h264_factor_4(4, 0);
  const int bits = h264_bits_4(4);
  EXPECT_EQ(h264_quantise(3, factor, 65536 / 4, bits), 1);  // 0.75 steps
  EXPECT_EQ(h264_quantise(2, factor, 65536 / 4, bits), 0);  // 0.5
  EXPECT_EQ(h264_quantise(-3, factor, 65536 / 4, bits), -1);
  EXPECT_EQ(h264_quantise(-3, factor, 0, bits), 0);
}

// Luma DC of a flat macroblock: through the core transform, Hadamard, quantiser and back, for every value.
TEST(H264, HadamardOfDcIsAPairAtEveryQp) {
  for (int qp = 0; qp <= kH264MaxQp; ++qp) {
    for (int value = -255; value <= 255; value += 15) {
      const int factor = h264_factor_4(qp % 6, 0);
      const int32_t luma = h264_quantise(16 * (16 * value) / 2, factor, 32768, h264_bits_4(qp) + 1);
      const int32_t chroma = h264_quantise(4 * (16 * value), factor, 32768, h264_bits_4(qp) + 1);
      const int32_t wide =
          h264_quantise(8 * (16 * value), h264_factor_4((qp + 3) % 6, 0), 32768, h264_bits_4(qp + 3) + 1);
      const int scale = h264_scale_4(qp % 6, 0);
      // Of one level, a 64th of the Hadamard transform's length of samples.
      const double step = scale * std::exp2(qp / 6);
      EXPECT_NEAR(h264_dequantise(luma, scale, qp, 2), 64 * value, 0.125 * step + 17);
      EXPECT_NEAR(h264_dequantise(chroma, scale, qp, 1), 64 * value, 0.25 * step + 17);
      EXPECT_NEAR(h264_dequantise(wide, h264_scale_4((qp + 3) % 6, 0), qp + 3, 2), 64 * value,
                  0.25 * step + 17);
    }
  }
}

TEST(H264, EveryLevelIsDefined) {
  for (int qp = 0; qp <= kH264MaxQp + 3; ++qp) {
    for (const int32_t level : {-32768, -1, 0, 1, 32767}) {
      for (int c = 0; c < 6; ++c) {
        EXPECT_LE(std::abs(h264_dequantise(level, h264_scale_8(qp % 6, c), qp, 2)), 32767);
        EXPECT_LE(std::abs(h264_dequantise(level, h264_scale_4(qp % 6, c % 3), qp, 0)), 32767);
      }
      EXPECT_LE(std::abs(h264_dequantise(16 * level, h264_scale_4(qp % 6, 0), qp, 2)), 32767);
      EXPECT_LE(std::abs(h264_dequantise(4 * level, h264_scale_4(qp % 6, 0), qp, 1)), 32767);
    }
  }
  // The largest coefficient of the stated range of samples.
  EXPECT_EQ(h264_quantise(16 * 16 * 2047 / 2, h264_factor_4(0, 0), 32768, 16), 32767);
  EXPECT_EQ(h264_quantise(-64 * 2047, h264_factor_8(0, 0), 32768, 16), -26201);
}

TEST(H264, NothingOverflowsInTheInverse) {
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    Block<4> a;
    Block<8> b;
    for (auto& row : a) {
      for (int32_t& v : row) v = random.between(0, 1) == 0 ? -32767 : 32767;
    }
    for (auto& row : b) {
      for (int32_t& v : row) v = random.between(0, 1) == 0 ? -32767 : 32767;
    }
    rows<4>(true, a), columns<4>(true, a);
    rows<8>(true, b), columns<8>(true, b);
    for (const auto& row : a) {
      for (const int32_t v : row) ASSERT_LT(std::abs(v), 1 << 22);
    }
    for (const auto& row : b) {
      for (const int32_t v : row) ASSERT_LT(std::abs(v), 1 << 22);
    }
  }
}

}  // namespace
}  // namespace ctv::test

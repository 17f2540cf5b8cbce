// SPDX-License-Identifier: BSD-3-Clause
// What the variants of Obukhov and Kharlamov 2008 compute, the same on both sides: the matrix of the first, a
// line of the second in float (equations 8 to 10), a line of the 16-bit one (codec/dsp/dct8.hpp), the
// quantiser.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "codec/dsp/dct8.hpp"
#include "codec/util/host_device.hpp"

namespace ctv::lab {

using ctv::forward_dct8, ctv::inverse_dct8;  // of int32_t, beside those of float

/// W[u][x] = alpha(u) cos(pi (2x + 1) u / 16), equations 1 and 3: orthonormal rows.
inline std::array<float, 64> cosine_waveforms() {
  std::array<float, 64> waveforms{};
  for (int u = 0; u < 8; ++u)
    for (int x = 0; x < 8; ++x) {
      const double alpha = u == 0 ? std::sqrt(1.0 / 8) : std::sqrt(2.0 / 8);
      waveforms[static_cast<size_t>(u * 8 + x)] =
          static_cast<float>(alpha * std::cos(std::numbers::pi * (2 * x + 1) * u / 16));
    }
  return waveforms;
}

/// The paper's a to f over sqrt(8): cos(k pi / 16) / 2 for k = 1, 2, 3, 5, 6, 7; and 1 / sqrt(8).
inline constexpr float kA = 0.490392640F, kB = 0.461939766F, kC = 0.415734806F, kD = 0.277785117F,
                       kE = 0.191341716F, kF = 0.0975451610F, kOne = 0.353553391F;

/// Orthonormal: sums and differences of mirrored samples, a 4x4 product for the odd half, two butterflies for
/// the even one.
CTV_HOST_DEVICE void forward_dct8(const float (&x)[8], float (&y)[8]) {
  const float s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
  const float d0 = x[0] - x[7], d1 = x[1] - x[6], d2 = x[2] - x[5], d3 = x[3] - x[4];
  const float e0 = s0 + s3, e1 = s1 + s2, o0 = s0 - s3, o1 = s1 - s2;
  y[0] = kOne * (e0 + e1);
  y[4] = kOne * (e0 - e1);
  y[2] = kB * o0 + kE * o1;
  y[6] = kE * o0 - kB * o1;
  y[1] = kA * d0 + kC * d1 + kD * d2 + kF * d3;
  y[3] = kC * d0 - kF * d1 - kA * d2 - kD * d3;
  y[5] = kD * d0 - kA * d1 + kF * d2 + kC * d3;
  y[7] = kF * d0 - kD * d1 + kC * d2 - kA * d3;
}

/// The transpose.
CTV_HOST_DEVICE void inverse_dct8(const float (&y)[8], float (&x)[8]) {
  const float t0 = kOne * (y[0] + y[4]), t1 = kOne * (y[0] - y[4]);
  const float t2 = kB * y[2] + kE * y[6], t3 = kE * y[2] - kB * y[6];
  const float s0 = t0 + t2, s1 = t1 + t3, s2 = t1 - t3, s3 = t0 - t2;
  const float d0 = kA * y[1] + kC * y[3] + kD * y[5] + kF * y[7];
  const float d1 = kC * y[1] - kF * y[3] - kA * y[5] - kD * y[7];
  const float d2 = kD * y[1] - kA * y[3] + kF * y[5] + kC * y[7];
  const float d3 = kF * y[1] - kD * y[3] + kC * y[5] - kA * y[7];
  x[0] = s0 + d0;
  x[7] = s0 - d0;
  x[1] = s1 + d1;
  x[6] = s1 - d1;
  x[2] = s2 + d2;
  x[5] = s2 - d2;
  x[3] = s3 + d3;
  x[4] = s3 - d3;
}

/// How lines of the separable variants are computed and stored, in float and in 16 bits. kWord: values that
/// move between memories together.
struct FloatLines {
  using Value = float;
  using Number = float;
  static constexpr int kWord = 1;
  template <bool kInverse, bool kSecond>
  static CTV_HOST_DEVICE float rounded(float v) {
    return v;
  }
};
struct ShortLines {
  using Value = int16_t;
  using Number = int32_t;
  static constexpr int kWord = 2;
  template <bool kInverse, bool kSecond>
  static CTV_HOST_DEVICE int32_t rounded(int32_t v) {
    if constexpr (kInverse) return kSecond ? (dct8_inverse_second(v) + 32) >> 6 : dct8_inverse_first(v);
    return kSecond ? dct8_forward_second(v) : dct8_forward_first(v);
  }
};

/// Line i of a block in place: columns first and then rows, back rows first and then columns.
template <typename Lines, bool kInverse, bool kSecond>
CTV_HOST_DEVICE void transform_line(typename Lines::Value* block, int pitch, int i) {
  constexpr bool kRow = kInverse != kSecond;
  typename Lines::Value* x = block + i * (kRow ? pitch : 1);
  const int step = kRow ? 1 : pitch;
  typename Lines::Number in[8], out[8];  // NOLINT(*-member-init)
  for (int k = 0; k < 8; ++k) in[k] = x[k * step];
  if constexpr (kInverse) {
    inverse_dct8(in, out);
  } else {
    forward_dct8(in, out);
  }
  for (int k = 0; k < 8; ++k)
    x[k * step] = static_cast<typename Lines::Value>(Lines::template rounded<kInverse, kSecond>(out[k]));
}

/// A sample or a level as what a transform begins with, and what it ends with as a sample or a coefficient.
template <typename Value, typename In>
CTV_HOST_DEVICE Value value_of(In in) {
  return static_cast<Value>(std::is_same_v<In, uint8_t> ? in - 128 : in);
}
template <typename Out, typename Value>
CTV_HOST_DEVICE Out result_of(Value v) {
  if constexpr (!std::is_same_v<Out, uint8_t>) return v;
  return static_cast<Out>(clamp_to(static_cast<int>(rintf(v)) + 128, 0, 255));
}

CTV_HOST_DEVICE float requantised(float coefficient, int step) {
  const auto q = static_cast<float>(step);
  return rintf(coefficient / q) * q;
}
/// An integer coefficient, in quarters; halves away from zero. Within 16 bits: the coefficients of 8-bit
/// samples are below 4 * 1024 + 1.
CTV_HOST_DEVICE int16_t requantised(int16_t coefficient, int step) {
  const int scaled = 4 * step;
  const int level = (abs_of(coefficient) + scaled / 2) / scaled;
  return static_cast<int16_t>((coefficient < 0 ? -level : level) * scaled);
}

}  // namespace ctv::lab

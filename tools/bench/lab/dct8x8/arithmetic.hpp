// SPDX-License-Identifier: BSD-3-Clause
// What the variants of Obukhov and Kharlamov 2008 compute, the same on both sides: the matrix of the first, a
// line of the second (equations 8 to 10), the quantiser.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "codec/util/host_device.hpp"

namespace ctv::lab {

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

/// A line of a block in place, `step` from number to number.
template <bool kInverse>
CTV_HOST_DEVICE void transform_line(float* x, int step) {
  float in[8], out[8];  // NOLINT(*-member-init)
  for (int k = 0; k < 8; ++k) in[k] = x[k * step];
  if constexpr (kInverse) {
    inverse_dct8(in, out);
  } else {
    forward_dct8(in, out);
  }
  for (int k = 0; k < 8; ++k) x[k * step] = out[k];
}

/// What a transform begins with, and what it ends with.
CTV_HOST_DEVICE float value_of(uint8_t sample) { return static_cast<float>(sample - 128); }
CTV_HOST_DEVICE float value_of(float level) { return level; }
template <typename Out>
CTV_HOST_DEVICE Out result_of(float v) {
  if constexpr (std::is_same_v<Out, float>) return v;
  return static_cast<Out>(fminf(fmaxf(rintf(v) + 128, 0), 255));
}

CTV_HOST_DEVICE float requantised(float coefficient, int step) {
  const auto q = static_cast<float>(step);
  return rintf(coefficient / q) * q;
}

}  // namespace ctv::lab

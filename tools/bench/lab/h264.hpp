// SPDX-License-Identifier: BSD-3-Clause
// Lines of the transforms of H.264 and its quantiser of 4x4 blocks (ITU-T H.264, 8.5.12 and 8.5.13; the
// encoder's half from Malvar, Hallapuro, Karczewicz and Kerofsky 2003 and the JVT reference model).
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv::lab {

/// Rows of the matrix: 1 1 1 1, 2 1 -1 -2, 1 -1 -1 1, 1 -2 2 -1.
CTV_HOST_DEVICE void forward_h264_4(const int32_t (&x)[4], int32_t (&y)[4]) {
  const int32_t s0 = x[0] + x[3], s1 = x[1] + x[2], d0 = x[0] - x[3], d1 = x[1] - x[2];
  y[0] = s0 + s1;
  y[1] = 2 * d0 + d1;
  y[2] = s0 - s1;
  y[3] = d0 - 2 * d1;
}

/// 8.5.12.2. T: int32_t, or a vector of integers.
template <typename T>
CTV_HOST_DEVICE void inverse_h264_4(const T (&y)[4], T (&x)[4]) {
  const T e0 = y[0] + y[2], e1 = y[0] - y[2];
  const T e2 = (y[1] >> 1) - y[3], e3 = y[1] + (y[3] >> 1);
  x[0] = e0 + e3;
  x[1] = e1 + e2;
  x[2] = e1 - e2;
  x[3] = e0 - e3;
}

/// 8.5.13.
template <typename T>
CTV_HOST_DEVICE void inverse_h264_8(const T (&y)[8], T (&x)[8]) {
  const T a0 = y[0] + y[4], a1 = y[0] - y[4];
  const T a2 = (y[2] >> 1) - y[6], a3 = y[2] + (y[6] >> 1);
  const T b0 = a0 + a3, b1 = a1 + a2, b2 = a1 - a2, b3 = a0 - a3;
  const T c0 = y[5] - y[3] - y[7] - (y[7] >> 1), c1 = y[1] + y[7] - y[3] - (y[3] >> 1);
  const T c2 = y[7] - y[1] + y[5] + (y[5] >> 1), c3 = y[3] + y[5] + y[1] + (y[1] >> 1);
  const T d0 = c3 - (c0 >> 2), d1 = (c1 >> 2) - c2, d2 = c1 + (c2 >> 2), d3 = c0 + (c3 >> 2);
  x[0] = b0 + d0, x[7] = b0 - d0;
  x[1] = b1 + d1, x[6] = b1 - d1;
  x[2] = b2 + d2, x[5] = b2 - d2;
  x[3] = b3 + d3, x[4] = b3 - d3;
}

/// Hadamard transform of DC coefficients, its own inverse up to a factor of 4. Rows by frequency: 1 1 1 1, 1
/// 1 -1 -1, 1 -1 -1 1, 1 -1 1 -1.
CTV_HOST_DEVICE void hadamard_4(const int32_t (&x)[4], int32_t (&y)[4]) {
  const int32_t s0 = x[0] + x[1], s1 = x[2] + x[3], d0 = x[0] - x[1], d1 = x[2] - x[3];
  y[0] = s0 + s1;
  y[1] = s0 - s1;
  y[2] = d0 - d1;
  y[3] = d0 + d1;
}
/// A coefficient of this transform, +1 or -1.
CTV_HOST_DEVICE constexpr int hadamard_sign(int frequency, int position) {
  constexpr uint8_t kNegative[4] = {0, 0xc, 0x6, 0xa};  // bit i: position i
  return (kNegative[frequency] >> position & 1) != 0 ? -1 : 1;
}

/// Coefficients of one norm share their factors. 4x4: both even, both odd, mixed.
CTV_HOST_DEVICE constexpr int h264_class_4(int v, int u) {
  return ((v | u) & 1) == 0 ? 0 : (v & u & 1) != 0 ? 1 : 2;
}
/// MF by QP mod 6 and class: reciprocals of the norms and steps, 32768ths.
CTV_HOST_DEVICE constexpr int h264_factor_4(int qp_rest, int norm) {
  constexpr uint16_t kFactors[6][3] = {{13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554},
                                       {9362, 3647, 5825},  {8192, 3355, 5243},  {7282, 2893, 4559}};
  return kFactors[qp_rest][norm];
}
/// Right shift for these factors.
CTV_HOST_DEVICE constexpr int h264_bits_4(int qp) { return 15 + qp / 6; }

/// level = sign(w) ((|w| factor + offset) >> bits), clamped to 16 bits. offset: 65536ths of a step, 0..32768.
/// |w| factor < 2^32 - 2^25, bits 15..25.
CTV_HOST_DEVICE int32_t h264_quantise(int32_t w, int factor, uint32_t offset, int bits) {
  const uint32_t magnitude = static_cast<uint32_t>(w < 0 ? -w : w);
  const uint32_t rounding = bits < 16 ? offset >> 1 : offset << (bits - 16);
  const uint32_t steps = (magnitude * static_cast<uint32_t>(factor) + rounding) >> bits;
  const auto level = static_cast<int32_t>(min_of(steps, 32767U));
  return w < 0 ? -level : level;
}

}  // namespace ctv::lab

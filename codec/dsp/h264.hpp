// SPDX-License-Identifier: BSD-3-Clause
// The transforms and quantisers of H.264 (ITU-T H.264, 8.5.8 to 8.5.13; the encoder's half from Malvar,
// Hallapuro, Karczewicz and Kerofsky 2003 and the JVT reference model): lines of the 4x4 and 8x8 core
// transforms and of the Hadamard transform of DC coefficients, and the tables of both directions. The
// transforms use additions and shifts only; the quantiser contains the norms of the basis functions.
// Ranges: samples within +-2047 give coefficients below 2^17 and levels of 16 bits. The inverse is defined
// for every 16-bit level: scaled coefficients are clamped to 16 bits, sums stay below 2^22.
#pragma once

#include "codec/util/host_device.hpp"

#include <cstdint>

namespace ctv {

inline constexpr int kH264MaxQp = 51;

// ---- Lines ----------------------------------------------------------------------------------------------

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

CTV_HOST_DEVICE void forward_h264_8(const int32_t (&x)[8], int32_t (&y)[8]) {
  const int32_t s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
  const int32_t d0 = x[0] - x[7], d1 = x[1] - x[6], d2 = x[2] - x[5], d3 = x[3] - x[4];
  const int32_t e0 = s0 + s3, e1 = s1 + s2, e2 = s0 - s3, e3 = s1 - s2;
  const int32_t f0 = d1 + d2 + d0 + (d0 >> 1), f1 = d0 - d3 - d2 - (d2 >> 1);
  const int32_t f2 = d0 + d3 - d1 - (d1 >> 1), f3 = d1 - d2 + d3 + (d3 >> 1);
  y[0] = e0 + e1;
  y[1] = f0 + (f3 >> 2);
  y[2] = e2 + (e3 >> 1);
  y[3] = f1 + (f2 >> 2);
  y[4] = e0 - e1;
  y[5] = f2 - (f1 >> 2);
  y[6] = (e2 >> 1) - e3;
  y[7] = (f0 >> 2) - f3;
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

// ---- Quantiser ------------------------------------------------------------------------------------------

/// Quantiser step in sixteenths of a sample. It doubles every six QP.
CTV_HOST_DEVICE constexpr int h264_step(int qp) {
  constexpr uint8_t kSixth[6] = {10, 11, 13, 14, 16, 18};
  return kSixth[qp % 6] << (qp / 6);
}
/// The largest QP whose step is at most `step`, or 0.
CTV_HOST_DEVICE constexpr int h264_qp(uint32_t step) {
  int qp = kH264MaxQp;
  while (qp > 0 && static_cast<uint32_t>(h264_step(qp)) > step) --qp;
  return qp;
}

/// Coefficients of one norm share their factors. 4x4: both even, both odd, mixed.
CTV_HOST_DEVICE constexpr int h264_class_4(int v, int u) {
  return ((v | u) & 1) == 0 ? 0 : (v & u & 1) != 0 ? 1 : 2;
}
/// 8x8, as in 8.5.9: both multiples of 4; both odd; both 2 or 6; multiple of 4 and odd; multiple of 4 and
/// 2 or 6; others.
CTV_HOST_DEVICE constexpr int h264_class_8(int v, int u) {
  constexpr uint8_t kClass[4][4] = {{0, 3, 4, 3}, {3, 1, 5, 1}, {4, 5, 2, 5}, {3, 1, 5, 1}};
  return kClass[v & 3][u & 3];
}

/// MF by QP mod 6 and class: reciprocals of the norms and steps, 32768ths.
CTV_HOST_DEVICE constexpr int h264_factor_4(int qp_rest, int norm) {
  constexpr uint16_t kFactors[6][3] = {{13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554},
                                       {9362, 3647, 5825},  {8192, 3355, 5243},  {7282, 2893, 4559}};
  return kFactors[qp_rest][norm];
}
/// MF of 8x8, 65536ths.
CTV_HOST_DEVICE constexpr int h264_factor_8(int qp_rest, int norm) {
  constexpr uint16_t kFactors[6][6] = {
      {13107, 11428, 20972, 12222, 16777, 15481}, {11916, 10826, 19174, 11058, 14980, 14290},
      {10082, 8943, 15978, 9675, 12710, 11985},   {9362, 8228, 14913, 8931, 11984, 11259},
      {8192, 7346, 13159, 7740, 10486, 9777},     {7282, 6428, 11570, 6830, 9118, 8640}};
  return kFactors[qp_rest][norm];
}
/// V (normAdjust4x4) by QP mod 6 and class.
CTV_HOST_DEVICE constexpr int h264_scale_4(int qp_rest, int norm) {
  constexpr uint8_t kScales[6][3] = {{10, 16, 13}, {11, 18, 14}, {13, 20, 16},
                                     {14, 23, 18}, {16, 25, 20}, {18, 29, 23}};
  return kScales[qp_rest][norm];
}
/// V of 8x8 (normAdjust8x8).
CTV_HOST_DEVICE constexpr int h264_scale_8(int qp_rest, int norm) {
  constexpr uint8_t kScales[6][6] = {{20, 18, 32, 19, 25, 24}, {22, 19, 35, 21, 28, 26},
                                     {26, 23, 42, 24, 33, 31}, {28, 25, 45, 26, 35, 33},
                                     {32, 28, 51, 30, 40, 38}, {36, 32, 58, 34, 46, 43}};
  return kScales[qp_rest][norm];
}

/// Right shifts for these factors.
CTV_HOST_DEVICE constexpr int h264_bits_4(int qp) { return 15 + qp / 6; }
CTV_HOST_DEVICE constexpr int h264_bits_8(int qp) { return 16 + qp / 6; }

/// level = sign(w) ((|w| factor + offset) >> bits), clamped to 16 bits. offset: 65536ths of a step, 0..32768.
/// |w| factor < 2^32 - 2^25, bits 15..25.
CTV_HOST_DEVICE int32_t h264_quantise(int32_t w, int factor, uint32_t offset, int bits) {
  const uint32_t magnitude = static_cast<uint32_t>(w < 0 ? -w : w);
  const uint32_t rounding = bits < 16 ? offset >> 1 : offset << (bits - 16);
  const uint32_t steps = (magnitude * static_cast<uint32_t>(factor) + rounding) >> bits;
  const auto level = static_cast<int32_t>(min_of(steps, 32767U));
  return w < 0 ? -level : level;
}

CTV_HOST_DEVICE int32_t h264_limit(int32_t v) { return clamp_to(v, -32767, 32767); }

/// level x scale x 2^(qp / 6 - down), clamped to 16 bits; |level x scale| 2^(qp / 6 - down) < 2^31. down: 0
/// for 4x4 (8.5.12.1); 1 for DC of 2x2, rounded down (8.5.11.2); 2 for 8x8 (8.5.13) and DC of 4x4 (8.5.10)
/// and 4x2, halves up.
CTV_HOST_DEVICE int32_t h264_dequantise(int32_t level, int scale, int qp, int down) {
  const int shift = qp / 6 - down;
  if (shift >= 0) return h264_limit(level * scale * (1 << shift));
  const int half = down == 1 ? 0 : 1 << (-shift - 1);
  return h264_limit((level * scale + half) >> -shift);
}

}  // namespace ctv

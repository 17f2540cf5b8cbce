// SPDX-License-Identifier: BSD-3-Clause
// The block transforms as types, for code that loops over blocks: one line, the rounding after each of the
// two passes, and dequantisation. Forward: columns, then rows. Inverse: rows, then columns; the result is in
// 64ths of a sample.
#pragma once

#include "codec/dsp/dct8.hpp"
#include "codec/dsp/h264.hpp"
#include "codec/dsp/quantise.hpp"
#include "codec/util/host_device.hpp"

#include <cstdint>

namespace ctv {

/// Quantiser of one frequency of any block transform. Computed on the host.
struct BlockQuantiser {
  int32_t factor = 0;                 // level = (|c| factor + rounding offset) >> bits
  uint32_t rounding_offset = 0;       // 65536ths of a step, 0..32768
  int32_t bits = 16;                  // 15..25
  int32_t scale = 0;                  // DCT: step in sixteenths of a unit; H.264: V
  int32_t reconstruction_offset = 0;  // DCT: towards zero, sixteenths of a unit
  int32_t qp = 0;                     // H.264
};

struct Dct8x8 {
  static constexpr int kSide = 8;
  static CTV_HOST_DEVICE void forward(const int32_t (&x)[8], int32_t (&y)[8]) { forward_dct8(x, y); }
  static CTV_HOST_DEVICE void inverse(const int32_t (&y)[8], int32_t (&x)[8]) { inverse_dct8(y, x); }
  static CTV_HOST_DEVICE int32_t forward_first(int32_t sum) { return dct8_forward_first(sum); }
  static CTV_HOST_DEVICE int32_t forward_second(int32_t sum) { return dct8_forward_second(sum); }
  static CTV_HOST_DEVICE int32_t inverse_first(int32_t sum) { return dct8_inverse_first(sum); }
  static CTV_HOST_DEVICE int32_t inverse_second(int32_t sum) { return dct8_inverse_second(sum); }
  static CTV_HOST_DEVICE int32_t dequantise(Level level, const BlockQuantiser& q) {
    return ctv::dequantise(level, static_cast<uint32_t>(q.scale),
                           static_cast<uint32_t>(q.reconstruction_offset));
  }
};

/// H.264's transforms do not round between passes.
struct H264Block {
  static CTV_HOST_DEVICE int32_t forward_first(int32_t sum) { return sum; }
  static CTV_HOST_DEVICE int32_t forward_second(int32_t sum) { return sum; }
  static CTV_HOST_DEVICE int32_t inverse_first(int32_t sum) { return sum; }
  static CTV_HOST_DEVICE int32_t inverse_second(int32_t sum) { return sum; }
};

struct H264Block8x8 : H264Block {
  static constexpr int kSide = 8;
  static CTV_HOST_DEVICE void forward(const int32_t (&x)[8], int32_t (&y)[8]) { forward_h264_8(x, y); }
  static CTV_HOST_DEVICE void inverse(const int32_t (&y)[8], int32_t (&x)[8]) { inverse_h264_8(y, x); }
  static CTV_HOST_DEVICE int32_t dequantise(Level level, const BlockQuantiser& q) {
    return h264_dequantise(level, q.scale, q.qp, 2);
  }
};

struct H264Block4x4 : H264Block {
  static constexpr int kSide = 4;
  static CTV_HOST_DEVICE void forward(const int32_t (&x)[4], int32_t (&y)[4]) { forward_h264_4(x, y); }
  static CTV_HOST_DEVICE void inverse(const int32_t (&y)[4], int32_t (&x)[4]) { inverse_h264_4(y, x); }
  static CTV_HOST_DEVICE int32_t dequantise(Level level, const BlockQuantiser& q) {
    return h264_dequantise(level, q.scale, q.qp, 0);
  }
};

CTV_HOST_DEVICE Level block_quantise(int32_t c, const BlockQuantiser& q) {
  return static_cast<Level>(h264_quantise(c, q.factor, q.rounding_offset, q.bits));
}

/// Mean of 2^reduction x 2^reduction samples from their sum in 64ths, halves rounded up.
CTV_HOST_DEVICE int32_t block_residual(int32_t sum, int reduction) {
  const int shift = 6 + 2 * reduction;
  return (sum + (1 << (shift - 1))) >> shift;
}

// ---- H.264's DC coefficients ------------------------------------------------------------------------------

/// Transforms the upper left 2^row_log2 x 2^col_log2 coefficients in place; each log2 is 1 or 2.
CTV_HOST_DEVICE void hadamard_block(int32_t (&x)[4][4], int row_log2, int col_log2) {
  for (int r = 0; r < 1 << row_log2; ++r) {
    const int32_t in[4] = {x[r][0], x[r][1], x[r][2], x[r][3]};
    if (col_log2 == 2) {
      hadamard_4(in, x[r]);
    } else {
      x[r][0] = in[0] + in[1];
      x[r][1] = in[0] - in[1];
    }
  }
  for (int c = 0; c < 1 << col_log2; ++c) {
    const int32_t in[4] = {x[0][c], x[1][c], x[2][c], x[3][c]};
    if (row_log2 == 2) {
      int32_t out[4];
      hadamard_4(in, out);
      for (int r = 0; r < 4; ++r) x[r][c] = out[r];
    } else {
      x[0][c] = in[0] + in[1];
      x[1][c] = in[0] - in[1];
    }
  }
}

/// Halves the forward transform of 4x4 coefficients, rounding halves up; 8.5.10 restores the factor.
CTV_HOST_DEVICE int32_t halve_hadamard(int32_t sum, int row_log2, int col_log2) {
  return row_log2 + col_log2 == 4 ? (sum + 1) >> 1 : sum;
}
/// The argument `down` of h264_dequantise() for DC coefficients.
CTV_HOST_DEVICE constexpr int hadamard_down(int row_log2, int col_log2) {
  return row_log2 + col_log2 == 2 ? 1 : 2;
}
/// The gain of 4x2 coefficients differs by sqrt(2), which three QP compensate (8.5.11.2).
CTV_HOST_DEVICE constexpr int hadamard_qp(int qp, int row_log2, int col_log2) {
  return row_log2 + col_log2 == 3 ? qp + 3 : qp;
}

}  // namespace ctv

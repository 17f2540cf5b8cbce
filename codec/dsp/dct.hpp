// SPDX-License-Identifier: BSD-3-Clause
// Integer DCT-II of 4, 8 and 16 points, for the residual of predicted frames (docs/bitstream.md, 12).
// Matrices are orthonormal, in 8192ths. With M[k][n]:
//   forward:  t = dct_forward_first(M x), columns        c = dct_forward_second(M t), rows
//   inverse:  t = dct_inverse_first(M^T c), rows         x = dct_inverse_second(M^T t), columns
// Coefficients have kResidualFraction more bits than samples of 8 bits, and `shift` fewer than that than
// samples with `shift` more bits, so their range is the same. Each sum is exact in 32 bits and rounded once,
// halves up. Results are clamped to 16 bits, so the inverse is defined for any coefficients.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr int kDctBits = 13;
inline constexpr int kResidualFraction = 3;

template <int kSize>
struct DctMatrix;
template <>
struct DctMatrix<4> {
  static constexpr int16_t kRows[4][4] = {{4096, 4096, 4096, 4096},
                                          {5352, 2217, -2217, -5352},
                                          {4096, -4096, -4096, 4096},
                                          {2217, -5352, 5352, -2217}};
};
template <>
struct DctMatrix<8> {
  static constexpr int16_t kRows[8][8] = {{2896, 2896, 2896, 2896, 2896, 2896, 2896, 2896},
                                          {4017, 3406, 2276, 799, -799, -2276, -3406, -4017},
                                          {3784, 1567, -1567, -3784, -3784, -1567, 1567, 3784},
                                          {3406, -799, -4017, -2276, 2276, 4017, 799, -3406},
                                          {2896, -2896, -2896, 2896, 2896, -2896, -2896, 2896},
                                          {2276, -4017, 799, 3406, -3406, -799, 4017, -2276},
                                          {1567, -3784, 3784, -1567, -1567, 3784, -3784, 1567},
                                          {799, -2276, 3406, -4017, 4017, -3406, 2276, -799}};
};
template <>
struct DctMatrix<16> {
  static constexpr int16_t kRows[16][16] = {
      {2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048},
      {2882, 2772, 2554, 2239, 1837, 1365, 841, 284, -284, -841, -1365, -1837, -2239, -2554, -2772, -2882},
      {2841, 2408, 1609, 565, -565, -1609, -2408, -2841, -2841, -2408, -1609, -565, 565, 1609, 2408, 2841},
      {2772, 1837, 284, -1365, -2554, -2882, -2239, -841, 841, 2239, 2882, 2554, 1365, -284, -1837, -2772},
      {2676, 1108, -1108, -2676, -2676, -1108, 1108, 2676, 2676, 1108, -1108, -2676, -2676, -1108, 1108,
       2676},
      {2554, 284, -2239, -2772, -841, 1837, 2882, 1365, -1365, -2882, -1837, 841, 2772, 2239, -284, -2554},
      {2408, -565, -2841, -1609, 1609, 2841, 565, -2408, -2408, 565, 2841, 1609, -1609, -2841, -565, 2408},
      {2239, -1365, -2772, 284, 2882, 841, -2554, -1837, 1837, 2554, -841, -2882, -284, 2772, 1365, -2239},
      {2048, -2048, -2048, 2048, 2048, -2048, -2048, 2048, 2048, -2048, -2048, 2048, 2048, -2048, -2048,
       2048},
      {1837, -2554, -841, 2882, -284, -2772, 1365, 2239, -2239, -1365, 2772, 284, -2882, 841, 2554, -1837},
      {1609, -2841, 565, 2408, -2408, -565, 2841, -1609, -1609, 2841, -565, -2408, 2408, 565, -2841, 1609},
      {1365, -2882, 1837, 841, -2772, 2239, 284, -2554, 2554, -284, -2239, 2772, -841, -1837, 2882, -1365},
      {1108, -2676, 2676, -1108, -1108, 2676, -2676, 1108, 1108, -2676, 2676, -1108, -1108, 2676, -2676,
       1108},
      {841, -2239, 2882, -2554, 1365, 284, -1837, 2772, -2772, 1837, -284, -1365, 2554, -2882, 2239, -841},
      {565, -1609, 2408, -2841, 2841, -2408, 1609, -565, -565, 1609, -2408, 2841, -2841, 2408, -1609, 565},
      {284, -841, 1365, -1837, 2239, -2554, 2772, -2882, 2882, -2772, 2554, -2239, 1837, -1365, 841, -284}};
};

/// Fraction bits of coefficients; -1 for samples of 12 bits.
CTV_HOST_DEVICE constexpr int residual_fraction(int shift) { return kResidualFraction - shift; }
CTV_HOST_DEVICE constexpr int dct_forward_first_shift(int shift) {
  return kDctBits - residual_fraction(shift);
}
inline constexpr int kDctForwardSecondShift = kDctBits;
inline constexpr int kDctInverseFirstShift = kDctBits;
CTV_HOST_DEVICE constexpr int dct_inverse_second_shift(int shift) {
  return kDctBits + residual_fraction(shift);
}
CTV_HOST_DEVICE int32_t round_dct(int32_t sum, int bits) {
  return clamp_to((sum + (1 << (bits - 1))) >> bits, -32768, 32767);
}

}  // namespace ctv

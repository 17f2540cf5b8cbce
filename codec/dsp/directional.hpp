// SPDX-License-Identifier: BSD-3-Clause
// Shears of the directional filter bank. A split rotates the cosets p0, p1 by 45 degrees:
//   p0 -= round(tan(pi/8) K p1);  p1 += round(sin(pi/4) K p0);  p0 -= round(tan(pi/8) K p1)
// with the same kernel K each time, separable along the lattice vectors b1 and b2:
//   (K x)[p] = sum over odd i, j of sgn(i) sgn(j) a_|i| a_|j| x[p + (i b1 + j b2) / 2]
// The sum is exact in 32 bits (4096ths), so an FFT computes the same integers; only the result is rounded.
#pragma once

#include "codec/util/host_device.hpp"

#include <cstdint>

namespace ctv {

inline constexpr int kMaxDirectionalTaps = 12;

/// The k-th distinct tap in 64ths, k = 1..taps/2, of a filter of 6 or 12 taps, from the filters of Phoong et
/// al. (pkva: .63 .193 .0972 .0526 .0272 .0144). With alternating signs, which the kernel applies, each row
/// sums to 32 or 33.
CTV_HOST_DEVICE constexpr int directional_tap(int taps, int k) {
  constexpr int kTaps[2][6] = {{40, 11, 4, 0, 0, 0}, {40, 12, 6, 3, 2, 1}};
  return kTaps[taps == 12 ? 1 : 0][k - 1];
}

/// round(tan(pi/8) K x); sum is K x in 4096ths.
CTV_HOST_DEVICE int shear_tan(int32_t sum) { return (((sum + 32) >> 6) * 53 + (1 << 12)) >> 13; }
/// round(sin(pi/4) K x); sum is K x in 4096ths.
CTV_HOST_DEVICE int shear_sin(int32_t sum) { return (((sum + 32) >> 6) * 181 + (1 << 13)) >> 14; }

}  // namespace ctv

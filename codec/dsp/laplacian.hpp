// SPDX-License-Identifier: BSD-3-Clause
// The 9-7 filters of the Laplacian pyramid (Do and Vetterli 2005) in 256ths, each with a DC gain of 1. They
// are separable. Two-dimensional sums are exact modulo 2^32 and rounded once, so a convolution by FFT gives
// the same integers.
#pragma once

#include "codec/util/host_device.hpp"

#include <cstdint>

namespace ctv {

/// Analysis lowpass, symmetric; distance 0..4 from the centre.
CTV_HOST_DEVICE constexpr int lowpass_tap(int distance) {
  constexpr int kTaps[5] = {154, 68, -20, -4, 7};
  return kTaps[distance];
}
inline constexpr int kLowpassReach = 4;

/// Interpolation filter, symmetric; distance 0..3 from the centre. Its input has zeros at odd positions.
CTV_HOST_DEVICE constexpr int interpolation_tap(int distance) {
  constexpr int kTaps[4] = {286, 151, -15, -23};
  return kTaps[distance];
}
inline constexpr int kInterpolationReach = 3;

/// Rounds a two-dimensional sum in 65536ths, halves up, modulo 2^32.
CTV_HOST_DEVICE int round_laplacian(int32_t sum) {
  return static_cast<int32_t>(static_cast<uint32_t>(sum) + (1U << 15)) >> 16;
}

}  // namespace ctv

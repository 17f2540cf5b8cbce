// SPDX-License-Identifier: BSD-3-Clause
// The 9-7 pair of the Laplacian pyramid (Do and Vetterli 2005) in 256ths, each with gain 1 at DC.
// Two-dimensional sums are separable and exact (modulo 2^32) before the one rounding, so that a convolution
// by FFT returns the same integers.
#pragma once

#include "codec/util/host_device.hpp"

#include <cstdint>

namespace ctv {

/// Analysis lowpass, symmetric: centre first, then distances 1..4.
CTV_HOST_DEVICE constexpr int lowpass_tap(int distance) {
  constexpr int kTaps[5] = {154, 68, -20, -4, 7};
  return kTaps[distance];
}
inline constexpr int kLowpassReach = 4;

/// Interpolation filter, symmetric: centre first, then distances 1..3; acts on samples spread to even
/// positions.
CTV_HOST_DEVICE constexpr int interpolation_tap(int distance) {
  constexpr int kTaps[4] = {286, 151, -15, -23};
  return kTaps[distance];
}
inline constexpr int kInterpolationReach = 3;

/// A two-dimensional sum in 65536ths to an integer, halves rounded up; modulo 2^32 like the sum.
CTV_HOST_DEVICE int round_laplacian(int32_t sum) {
  return static_cast<int32_t>(static_cast<uint32_t>(sum) + (1U << 15)) >> 16;
}

}  // namespace ctv

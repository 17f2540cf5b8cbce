// SPDX-License-Identifier: BSD-3-Clause
// Reads of a plane with whole-sample symmetric extension at its borders.
#pragma once

#include "codec/util/host_device.hpp"

namespace ctv::cuda {

// mirror() for even n and positions up to kBorder beyond the plane, which is all that its samples depend on:
// its division by the period, once a sample, was half the time of the deep levels. What lies farther out, in
// a tile that the plane does not fill, is some sample.
template <int kBorder>
CTV_HOST_DEVICE int mirrored(int i, int n) {
  static_assert(kBorder <= 9);
  i = abs_of(i);
  if (i >= n) i = abs_of(2 * (n - 1) - i);
  if (kBorder > 6 && i >= n) i = abs_of(2 * (n - 1) - i);  // 4 samples are left three times
  return i < n ? i : i & 1;                                // of 2 samples
}

}  // namespace ctv::cuda

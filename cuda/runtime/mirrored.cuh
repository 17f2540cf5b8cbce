// SPDX-License-Identifier: BSD-3-Clause
// Reads of a plane with whole-sample symmetric extension at its borders.
#pragma once

#include "codec/util/host_device.hpp"

namespace ctv::cuda {

// mirror() without division, for even n and positions up to kBorder outside; the plane's samples depend on no
// others. The division once per sample took half the time of the deep scales. Positions farther outside, in a
// tile beyond the plane, give an arbitrary sample.
template <int kBorder>
CTV_HOST_DEVICE int mirrored(int i, int n) {
  static_assert(kBorder <= 9);
  i = abs_of(i);
  if (i >= n) i = abs_of(2 * (n - 1) - i);
  if (kBorder > 6 && i >= n) i = abs_of(2 * (n - 1) - i);  // 4 samples may need three reflections
  return i < n ? i : i & 1;                                // for 2 samples
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Reads of a plane with whole-sample symmetric extension at its borders.
#pragma once

#include "codec/dsp/mirror.hpp"
#include "codec/util/host_device.hpp"

namespace ctv::cuda {

// mirror() for positions up to kBorder beyond the plane, which is all that its samples depend on: its
// division by the period, once a sample, was half the time of the deep levels. What lies farther out, in a
// tile that the plane does not fill, is some sample.
template <int kBorder>
__device__ __forceinline__ int mirrored(int i, int n) {
  if (n <= kBorder) return mirror(i, n);
  i = abs_of(i);
  return i < n ? i : max_of(2 * (n - 1) - i, 0);
}

}  // namespace ctv::cuda

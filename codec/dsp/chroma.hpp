// SPDX-License-Identifier: BSD-3-Clause
// Chroma subsampling by the mean of 2x2 samples, upsampling by bilinear interpolation (Katsigiannis et al.,
// section II). A chroma sample is sited in the middle of its 2x2 luma samples.
#pragma once

#include "codec/util/host_device.hpp"

namespace ctv {

/// Rounded mean of the 2x2 samples a b / c d.
CTV_HOST_DEVICE int subsample_2x2(int a, int b, int c, int d) { return (a + b + c + d + 2) >> 2; }

/// Interpolates between the four nearest chroma samples, `near` the closest: weights 9 3 3 1, halves rounded
/// up.
CTV_HOST_DEVICE int upsample_bilinear(int near, int horizontal, int vertical, int diagonal) {
  return (9 * near + 3 * (horizontal + vertical) + diagonal + 8) >> 4;
}

/// The same in one dimension: between 4:4:4 and 4:2:2, or 4:2:2 and 4:2:0.
CTV_HOST_DEVICE int subsample_pair(int a, int b) { return (a + b + 1) >> 1; }
CTV_HOST_DEVICE int upsample_linear(int near, int other) { return (3 * near + other + 2) >> 2; }

}  // namespace ctv

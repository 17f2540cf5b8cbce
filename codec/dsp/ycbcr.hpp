// SPDX-License-Identifier: BSD-3-Clause
// R'G'B' and Y'CbCr of ITU-R BT.601, limited range (luma 16..235, chroma 16..240), in 256ths. Used only to
// convert decoded pictures to another format; streams do not depend on it.
#pragma once

#include "codec/dsp/ycocg.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

struct Ycbcr {
  int y, cb, cr;
};

/// Inputs 0..255; outputs 16..235, 16..240, 16..240.
CTV_HOST_DEVICE Ycbcr rgb_to_ycbcr(int r, int g, int b) {
  return {16 + ((66 * r + 129 * g + 25 * b + 128) >> 8), 128 + ((-38 * r - 74 * g + 112 * b + 128) >> 8),
          128 + ((112 * r - 94 * g - 18 * b + 128) >> 8)};
}

/// Accepts any values; clamps the result to 0..255.
CTV_HOST_DEVICE Rgb ycbcr_to_rgb(int y, int cb, int cr) {
  const int luma = 298 * (y - 16) + 128;
  const int u = cb - 128;
  const int v = cr - 128;
  return {clamp_to((luma + 409 * v) >> 8, 0, 255), clamp_to((luma - 100 * u - 208 * v) >> 8, 0, 255),
          clamp_to((luma + 516 * u) >> 8, 0, 255)};
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// YCoCg-R, exactly reversible (Malvar and Sullivan, JVT-I014r3, 2003).
#pragma once

#include "codec/util/host_device.hpp"

namespace ctv {

struct Ycocg {
  int y, co, cg;  // 0..255, -255..255, -255..255
};
struct Rgb {
  int r, g, b;  // 0..255 if made by rgb_to_ycocg(); otherwise callers clamp
};

CTV_HOST_DEVICE Ycocg rgb_to_ycocg(int r, int g, int b) {
  const int co = r - b;
  const int t = b + (co >> 1);
  const int cg = g - t;
  return {t + (cg >> 1), co, cg};
}

CTV_HOST_DEVICE Rgb ycocg_to_rgb(int y, int co, int cg) {
  const int t = y - (cg >> 1);
  const int g = cg + t;
  const int b = t - (co >> 1);
  return {b + co, g, b};
}

}  // namespace ctv

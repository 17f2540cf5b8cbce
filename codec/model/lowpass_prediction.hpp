// SPDX-License-Identifier: BSD-3-Clause
// Prediction in a lowpass subband (docs/bitstream.md, 6.3): the median edge detector of LOCO-I (Weinberger,
// Seroussi and Sapiro 2000) on the left, upper and upper left levels. Differences wrap to 16 bits.
#pragma once

#include <cstddef>

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

CTV_HOST_DEVICE int median_edge(int left, int above, int corner) {
  const int most = max_of(left, above);
  const int least = min_of(left, above);
  if (corner >= most) return least;
  return corner <= least ? most : left + above - corner;
}

/// The prediction of levels[y][x] from earlier levels in raster order.
CTV_HOST_DEVICE int predict_lowpass(const Level* levels, int cols, int y, int x) {
  const Level* at = levels + static_cast<ptrdiff_t>(y) * cols + x;
  if (y == 0) return x == 0 ? 0 : at[-1];
  if (x == 0) return at[-cols];
  return median_edge(at[-1], at[-cols], at[-cols - 1]);
}

CTV_HOST_DEVICE Level lowpass_error(const Level* levels, int cols, int y, int x) {
  return static_cast<Level>(levels[static_cast<ptrdiff_t>(y) * cols + x] -
                            predict_lowpass(levels, cols, y, x));
}

}  // namespace ctv

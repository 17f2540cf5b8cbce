// SPDX-License-Identifier: BSD-3-Clause
// Prefetching of blocks.
#pragma once

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Prefetches rows of a block that is accessed soon, cropped to the plane: hardware prefetchers do not follow
/// that many rows. Forced inline, because gcc removes calls without other effect.
[[gnu::always_inline]] inline void prefetch_block(const PlaneView<const Sample>& plane, int y, int x,
                                                  int rows, int cols) {
  const int end = min_of(y + rows, plane.rows);
  for (int r = max_of(0, y); r < end; ++r) {
    for (int i = 0; i < cols; i += 32) __builtin_prefetch(plane.row(r) + x + i);
  }
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Prefetching of blocks.
#pragma once

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Loads rows of a block that is read or written soon, as far as they lie in the plane: processors do not
/// foresee so many of them. Inlined, since gcc leaves out calls that do nothing else.
[[gnu::always_inline]] inline void prefetch_block(const PlaneView<const Sample>& plane, int y, int x,
                                                  int rows, int cols) {
  const int end = min_of(y + rows, plane.rows);
  for (int r = max_of(0, y); r < end; ++r) {
    for (int i = 0; i < cols; i += 32) __builtin_prefetch(plane.row(r) + x + i);
  }
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The reference at half samples, between which candidates of the passes are interpolated.
#pragma once

#include "cpu/motion/search.hpp"

namespace ctv {

/// Samples of the reference beyond the range of the search that half samples depend on.
inline constexpr int kFieldReach = 5;

/// The reference at half samples; stride of SearchPlanes.
struct HalfPlanes {
  uint8_t* right;  // half a sample to the right of (0, 0)
  uint8_t* below;
  uint8_t* diagonal;
};
/// Computes columns [begin, end) of row `row` of each plane. Narrow ranges also write columns before them.
void fill_half_row(const SearchPlanes& planes, const HalfPlanes& halves, int row, int begin, int end);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The reference at half samples, between which candidates of the passes are interpolated.
#pragma once

#include "cpu/motion/search.hpp"

namespace ctv {

/// Samples of the reference beyond the range of the search that half samples depend on.
inline constexpr int kFieldReach = 5;

/// The reference at half samples: sample (y, x) in row 2 y and column 2 x, between samples those that lie
/// there.
struct HalfSamples {
  uint8_t* samples;  // of sample (0, 0)
  ptrdiff_t stride;
};
/// Computes those that follow samples [begin, end) of a row, and copies these. Narrow ranges also write
/// samples before them.
void fill_half_rows(const SearchPlanes& planes, const HalfSamples& halves, int row, int begin, int end);

}  // namespace ctv

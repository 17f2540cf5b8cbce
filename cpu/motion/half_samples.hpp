// SPDX-License-Identifier: BSD-3-Clause
// The reference at half samples, for bilinear interpolation by the passes.
#pragma once

#include "cpu/motion/search.hpp"

namespace ctv {

/// Samples outside the range of the search on which half samples depend.
inline constexpr int kFieldReach = 5;

/// The reference at half samples: sample (y, x) is in row 2 y and column 2 x.
struct HalfSamples {
  uint8_t* samples;  // at sample (0, 0)
  ptrdiff_t stride;
};
/// Computes the half samples after samples [begin, end) of a row, and copies these samples. For narrow ranges
/// also writes earlier samples.
void fill_half_rows(const SearchPlanes& planes, const HalfSamples& halves, int row, int begin, int end);

}  // namespace ctv

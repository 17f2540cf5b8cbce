// SPDX-License-Identifier: BSD-3-Clause
#include "codec/subband/layout.hpp"

#include <algorithm>

#include "codec/base/fn.hpp"

namespace ctv {
namespace {

// Both extents of a band with 2^n directions must be multiples of 2^max(1, n-1).
int pad_multiple(const TransformParameters& t) {
  int multiple = 1 << t.levels;
  for (int level = 1; level <= t.levels; ++level) {
    const int n = t.directions_log2[static_cast<size_t>(level - 1)];
    if (n == 0) continue;
    const int shift = t.pyramid == Pyramid::kLaplacian ? level - 1 : level;
    multiple = std::max(multiple, 1 << (shift + std::max(1, n - 1)));
  }
  return multiple;
}

void add(SubbandLayout& layout, Subband s) {
  s.offset = layout.levels;
  layout.levels += s.size();
  layout.subbands.push_back(s);
}

// The 2^n directional subbands of one band whose samples lie 2^shift plane samples apart.
void add_band(SubbandLayout& layout, int level, int orientation, int shift) {
  const int n = layout.transform.directions_log2[static_cast<size_t>(level - 1)];
  const Extent band = layout.band(level);
  for (int k = 0; k < 1 << n; ++k) {
    int row_shift = 0;
    int col_shift = 0;
    if (n == 1) {
      col_shift = 1;  // quincunx coset: every second sample of each row
    } else if (n >= 2) {
      const bool vertical = k < 1 << (n - 1);
      row_shift = vertical ? n - 1 : 1;
      col_shift = vertical ? 1 : n - 1;
    }
    add(layout, {level, orientation, k, layout.transform.levels - level + 1, band.rows >> row_shift,
                 band.cols >> col_shift, 0, shift + row_shift, shift + col_shift});
  }
}

}  // namespace

int subband_count(const TransformParameters& transform) {
  int count = 1;
  const int bands = transform.pyramid == Pyramid::kLaplacian ? 1 : 3;
  for (int i = 0; i < transform.levels; ++i)
    count += bands << transform.directions_log2[static_cast<size_t>(i)];
  return count;
}

SubbandLayout make_layout(const TransformParameters& transform, Extent extent) {
  SubbandLayout layout;
  layout.transform = transform;
  layout.extent = extent;
  layout.layers = transform.levels + 1;
  const int multiple = pad_multiple(transform);
  layout.padded = {round_up(extent.rows, multiple), round_up(extent.cols, multiple)};
  const int l = transform.levels;
  add(layout, {0, 0, 0, 0, layout.padded.rows >> l, layout.padded.cols >> l, 0, l, l});
  for (int level = l; level >= 1; --level) {
    if (transform.pyramid == Pyramid::kLaplacian) {
      add_band(layout, level, 0, level - 1);
    } else {
      for (int orientation = 1; orientation <= 3; ++orientation) add_band(layout, level, orientation, level);
    }
  }
  return layout;
}

}  // namespace ctv

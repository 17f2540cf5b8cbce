// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/subband_layout.hpp"

#include <algorithm>

#include "codec/util/host_device.hpp"

namespace ctv {
namespace {

// Bands with 2^n directions need extents that are multiples of 2^max(1, n-1).
int pad_multiple(const TransformParameters& t) {
  int multiple = 1 << t.scales;
  for (int scale = 1; scale <= t.scales; ++scale) {
    const int n = t.directions_log2[static_cast<size_t>(scale - 1)];
    if (n == 0) continue;
    const int shift = scale - 1 + t.pyramid_traits().band_shift;
    multiple = std::max(multiple, 1 << (shift + std::max(1, n - 1)));
  }
  return multiple;
}

void add(SubbandLayout& layout, Subband s) {
  s.offset = layout.num_coefficients;
  layout.num_coefficients += s.size();
  layout.subbands.push_back(s);
}

// Adds the 2^n directional subbands of a band whose samples are 2^shift plane samples apart.
void add_band(SubbandLayout& layout, int scale, int orientation, int shift) {
  const int n = layout.transform.directions_log2[static_cast<size_t>(scale - 1)];
  const Extent band = layout.band(scale);
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
    add(layout, {scale, orientation, k, layout.transform.scales - scale + 1, band.rows >> row_shift,
                 band.cols >> col_shift, 0, shift + row_shift, shift + col_shift});
  }
}

}  // namespace

int subband_count(const TransformParameters& transform) {
  int count = 1;
  const int bands = transform.pyramid_traits().bands;
  for (int i = 0; i < transform.scales; ++i)
    count += bands << transform.directions_log2[static_cast<size_t>(i)];
  return count;
}

SubbandLayout make_layout(const TransformParameters& transform, Extent extent, Extent multiples) {
  SubbandLayout layout;
  layout.transform = transform;
  layout.extent = extent;
  layout.layers = transform.scales + 1;
  layout.subbands.reserve(static_cast<size_t>(subband_count(transform)));
  const int multiple = pad_multiple(transform);
  layout.padded = {round_up(extent.rows, std::max(multiple, multiples.rows)),
                   round_up(extent.cols, std::max(multiple, multiples.cols))};
  const int l = transform.scales;
  add(layout, {0, 0, 0, 0, layout.padded.rows >> l, layout.padded.cols >> l, 0, l, l});
  for (int scale = l; scale >= 1; --scale) {
    const PyramidTraits& pyramid = transform.pyramid_traits();
    for (int band = 1; band <= pyramid.bands; ++band) {
      add_band(layout, scale, pyramid.bands == 1 ? 0 : band,
               scale - 1 + pyramid.band_shift);  // 0: the only one
    }
  }
  return layout;
}

}  // namespace ctv

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

// Adds the frequencies of a 2^log2 x 2^log2 block, except the lowest, by octaves. Those outside `present` are
// empty.
void add_octaves(SubbandLayout& layout, bool dc, int log2, Extent present, int row_shift, int col_shift) {
  const int levels = layout.transform.scales;
  for (int octave = 1; octave <= log2; ++octave) {
    const int side = 1 << (octave - 1);
    for (int orientation = 1; orientation <= 3; ++orientation) {
      for (int k = 0; k < side * side; ++k) {
        Subband s{log2 - octave + 1 + (dc ? levels : 0),
                  orientation,
                  k,
                  dc ? 0 : octave,
                  0,
                  0,
                  0,
                  row_shift,
                  col_shift};
        const Frequency f = frequency_of(layout, s);
        if (f.row < present.rows && f.col < present.cols) {
          s.rows = layout.padded.rows >> row_shift;
          s.cols = layout.padded.cols >> col_shift;
        }
        add(layout, s);
      }
    }
  }
}

void add_blocks(SubbandLayout& layout, ChromaShift chroma) {
  const int log2 = layout.transform.scales;
  const int dc_log2 = layout.transform.traits().dc_log2;
  if (dc_log2 > 0) {
    layout.dc_row_log2 = dc_log2 - chroma.y;  // 8.5.10, 8.5.11: the DC coefficients of a macroblock
    layout.dc_col_log2 = dc_log2 - chroma.x;
  }
  const int row_shift = log2 + layout.dc_row_log2;
  const int col_shift = log2 + layout.dc_col_log2;
  layout.padded = {round_up(layout.extent.rows, 1 << row_shift),
                   round_up(layout.extent.cols, 1 << col_shift)};
  add(layout, {0, 0, 0, 0, layout.padded.rows >> row_shift, layout.padded.cols >> col_shift, 0, row_shift,
               col_shift});
  if (dc_log2 > 0) {
    add_octaves(layout, true, dc_log2, {1 << layout.dc_row_log2, 1 << layout.dc_col_log2}, row_shift,
                col_shift);
  }
  add_octaves(layout, false, log2, {1 << log2, 1 << log2}, log2, log2);
}

}  // namespace

Frequency frequency_of(const SubbandLayout& layout, const Subband& subband) {
  const int dc_log2 = layout.transform.traits().dc_log2;
  if (subband.scale == 0) return {0, 0, dc_log2 > 0};
  const int levels = layout.transform.scales;
  const bool dc = subband.scale > levels;
  const int octave = dc ? levels + dc_log2 - subband.scale + 1 : levels - subband.scale + 1;
  const int side = 1 << (octave - 1);
  return {(subband.orientation & 2) * side / 2 + subband.direction / side,
          (subband.orientation & 1) * side + subband.direction % side, dc};
}

int subband_count(const TransformParameters& transform) {
  const TransformTraits& traits = transform.traits();
  if (traits.block_log2 > 0) return (1 << (2 * traits.block_log2)) + (1 << (2 * traits.dc_log2)) - 1;
  int count = 1;
  const int bands = transform.pyramid_traits().bands;
  for (int i = 0; i < transform.scales; ++i)
    count += bands << transform.directions_log2[static_cast<size_t>(i)];
  return count;
}

SubbandLayout make_layout(const TransformParameters& transform, Extent extent, ChromaShift chroma) {
  SubbandLayout layout;
  layout.transform = transform;
  layout.extent = extent;
  layout.layers = transform.scales + 1;
  layout.subbands.reserve(static_cast<size_t>(subband_count(transform)));
  if (transform.in_blocks()) {
    add_blocks(layout, chroma);
    return layout;
  }
  const int multiple = pad_multiple(transform);
  layout.padded = {round_up(extent.rows, multiple), round_up(extent.cols, multiple)};
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

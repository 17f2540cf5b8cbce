// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/subband_layout.hpp"

#include <algorithm>

#include "codec/util/host_device.hpp"

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

// Of the transform of DC coefficients: always 4x4 places.
constexpr int kDcLog2 = 2;

// The frequencies of a block of 2^log2 x 2^log2 but the lowest, by octaves: those of more than `rows` or
// `cols` are empty.
void add_octaves(SubbandLayout& layout, bool dc, int log2, Extent present, int row_shift, int col_shift) {
  const int levels = layout.transform.levels;
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
  const int log2 = layout.transform.levels;
  if (layout.transform.kind == TransformKind::kH264_4x4) {
    layout.dc_row_log2 = kDcLog2 - chroma.y;  // 8.5.10, 8.5.11: the DC coefficients of a macroblock
    layout.dc_col_log2 = kDcLog2 - chroma.x;
  }
  const int row_shift = log2 + layout.dc_row_log2;
  const int col_shift = log2 + layout.dc_col_log2;
  layout.padded = {round_up(layout.extent.rows, 1 << row_shift),
                   round_up(layout.extent.cols, 1 << col_shift)};
  add(layout, {0, 0, 0, 0, layout.padded.rows >> row_shift, layout.padded.cols >> col_shift, 0, row_shift,
               col_shift});
  if (layout.transform.kind == TransformKind::kH264_4x4) {
    add_octaves(layout, true, kDcLog2, {1 << layout.dc_row_log2, 1 << layout.dc_col_log2}, row_shift,
                col_shift);
  }
  add_octaves(layout, false, log2, {1 << log2, 1 << log2}, log2, log2);
}

}  // namespace

Frequency frequency_of(const SubbandLayout& layout, const Subband& subband) {
  if (subband.level == 0) return {0, 0, layout.transform.kind == TransformKind::kH264_4x4};
  const int levels = layout.transform.levels;
  const bool dc = subband.level > levels;
  const int octave = dc ? levels + kDcLog2 - subband.level + 1 : levels - subband.level + 1;
  const int side = 1 << (octave - 1);
  return {(subband.orientation & 2) * side / 2 + subband.direction / side,
          (subband.orientation & 1) * side + subband.direction % side, dc};
}

int subband_count(const TransformParameters& transform) {
  if (const int log2 = block_log2(transform.kind); log2 > 0) {
    return (1 << (2 * log2)) + (transform.kind == TransformKind::kH264_4x4 ? (1 << (2 * kDcLog2)) - 1 : 0);
  }
  int count = 1;
  const int bands = transform.pyramid == Pyramid::kLaplacian ? 1 : 3;
  for (int i = 0; i < transform.levels; ++i)
    count += bands << transform.directions_log2[static_cast<size_t>(i)];
  return count;
}

SubbandLayout make_layout(const TransformParameters& transform, Extent extent, ChromaShift chroma) {
  SubbandLayout layout;
  layout.transform = transform;
  layout.extent = extent;
  layout.layers = transform.levels + 1;
  if (transform.kind != TransformKind::kContourlet) {
    add_blocks(layout, chroma);
    return layout;
  }
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

// SPDX-License-Identifier: BSD-3-Clause
// The choices of directional lifting (docs/transform.md) in a key frame's luma: the slope of each block of
// the finest scales, which is the direction of its vertical lifting in columns per row; and whether the bands
// HL and LH of the finest scale pass a directional filter bank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/format/subband_layout.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr int kSlopedScales = 3;  // the finest scales
inline constexpr int kSlopeCount = 11;   // slopes are numbered 0..10
inline constexpr int kSlopeReach = 5;    // columns to either side that a lifting step along a slope may read
inline constexpr int kLog2SlopeBlock = 4;  // of a block's side, in samples of its scale's input
inline constexpr int kDirectedBands = 2;   // HL and LH of the finest scale
inline constexpr int kDirectedDepth = 2;   // log2 of a band's directions at most
inline constexpr int kDirectedTaps = kPyramidTraits[static_cast<size_t>(Pyramid::kWavelet9_7)].taps;

/// Slope in half columns to the right per row down: 0, 1, -1, 2, -2, 4, -4, 6, -6, 10, -10.
CTV_HOST_DEVICE constexpr int half_columns(int slope) {
  const int size = 0xA64210 >> (slope + 1) / 2 * 4 & 15;
  return slope % 2 == 0 ? -size : size;
}

/// Layout of a frame's array of int8_t. First kSlopedScales flags, finest scale first: 1 if the scale has
/// slopes. Then kDirectedBands numbers: log2 of the directions of HL and LH. Then the slopes of each scale,
/// finest first, in raster order; they are 0 where the flag is 0.
struct SlopeGrid {
  static constexpr size_t kHead = kSlopedScales + kDirectedBands;
  int scales = 0;         // number of scales that may have slopes
  bool directed = false;  // bands may have directions; else their numbers are 0
  std::array<Extent, kSlopedScales> blocks{};

  const Extent& extent(int scale) const { return blocks[static_cast<size_t>(scale - 1)]; }
  size_t offset(int scale) const {
    size_t at = kHead;
    for (int s = 1; s < scale; ++s) at += extent(s).area();
    return at;
  }
  /// Size of the array; 0 without directional lifting.
  size_t size() const { return scales == 0 ? 0 : offset(scales + 1); }
};

/// luma: the layout of plane 0.
inline SlopeGrid make_slope_grid(const SubbandLayout& luma) {
  SlopeGrid grid;
  if (!luma.transform.directional_lifting) return grid;
  grid.scales = min_of(kSlopedScales, luma.transform.scales);
  grid.directed = luma.transform.scales > 1 && luma.transform.directions_log2[0] == 0;
  for (int s = 1; s <= grid.scales; ++s) {
    grid.blocks[static_cast<size_t>(s - 1)] = {ceil_div(luma.padded.rows >> (s - 1), 1 << kLog2SlopeBlock),
                                               ceil_div(luma.padded.cols >> (s - 1), 1 << kLog2SlopeBlock)};
  }
  return grid;
}

/// Position of sample (row, col) of a band among its levels: those of each direction are stored together, in
/// halves or quarters of the band.
CTV_HOST_DEVICE constexpr int directed_row(int directions_log2, Extent band, int row) {
  return directions_log2 < 2 ? row : (row >> 1) + (row & 1) * (band.rows >> 1);
}
CTV_HOST_DEVICE constexpr int directed_col(int directions_log2, Extent band, int row, int col) {
  if (directions_log2 == 0) return col;
  const int half = directions_log2 == 1 ? (row + col) & 1 : col & 1;
  return (col >> 1) + half * (band.cols >> 1);
}

struct SlopeView {
  const int8_t* data = nullptr;  // [blocks.rows][blocks.cols]; null: lifted without slopes
  int stride = 0;                // distance of rows of blocks; 0: all rows of blocks are equal
  const int8_t* row(int picture_row) const {
    return data + static_cast<ptrdiff_t>(picture_row >> kLog2SlopeBlock) * stride;
  }
};

}  // namespace ctv

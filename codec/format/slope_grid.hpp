// SPDX-License-Identifier: BSD-3-Clause
// The slopes of directional lifting (docs/transform.md): in key frames each block of the finest scales of
// luma has one, the direction of its vertical lifting in columns per row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/format/subband_layout.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr int kSlopedScales = 3;    // the finest ones
inline constexpr int kSlopeCount = 11;     // a slope is a number 0..10
inline constexpr int kSlopeReach = 5;      // columns to either side that a step along a slope may need
inline constexpr int kLog2SlopeBlock = 4;  // of a block's side, in samples of its scale's input

/// Half columns to the right per row down: 0, 1, -1, 2, -2, 4, -4, 6, -6, 10, -10.
CTV_HOST_DEVICE constexpr int half_columns(int slope) {
  const int size = 0xA64210 >> (slope + 1) / 2 * 4 & 15;
  return slope % 2 == 0 ? -size : size;
}

/// Where a frame's slopes lie in its array of int8_t: kSlopedScales numbers, finest scale first, 1 if the
/// scale has slopes; then the slopes of each scale, finest first, in raster order. A scale whose number is 0
/// is lifted without slopes, and its slopes are 0.
struct SlopeGrid {
  int scales = 0;  // that may have slopes
  std::array<Extent, kSlopedScales> blocks{};

  const Extent& extent(int scale) const { return blocks[static_cast<size_t>(scale - 1)]; }
  size_t offset(int scale) const {
    size_t at = kSlopedScales;
    for (int s = 1; s < scale; ++s) at += extent(s).area();
    return at;
  }
  /// Of the array; 0 without directional lifting.
  size_t size() const { return scales == 0 ? 0 : offset(scales + 1); }
};

/// luma: the layout of plane 0.
inline SlopeGrid make_slope_grid(const SubbandLayout& luma) {
  SlopeGrid grid;
  if (!luma.transform.directional_lifting) return grid;
  grid.scales = min_of(kSlopedScales, luma.transform.scales);
  for (int s = 1; s <= grid.scales; ++s) {
    grid.blocks[static_cast<size_t>(s - 1)] = {ceil_div(luma.padded.rows >> (s - 1), 1 << kLog2SlopeBlock),
                                               ceil_div(luma.padded.cols >> (s - 1), 1 << kLog2SlopeBlock)};
  }
  return grid;
}

/// The slopes of one scale.
struct SlopeView {
  const int8_t* data = nullptr;  // [blocks.rows][blocks.cols]; null: lifted without slopes
  int stride = 0;                // from row to row of blocks; 0: all rows of blocks are alike
  const int8_t* row(int picture_row) const {
    return data + static_cast<ptrdiff_t>(picture_row >> kLog2SlopeBlock) * stride;
  }
};

}  // namespace ctv

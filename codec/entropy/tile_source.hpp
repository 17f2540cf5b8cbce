// SPDX-License-Identifier: BSD-3-Clause
// Levels of a tile's parts, for an encoder.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "codec/model/tile_sets.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// A component's levels as its encoder sees them. Not owned.
struct TileLevels {
  std::array<const Level*, 3> planes{};
  std::array<const Level*, 3> errors{};  // prediction errors that replace a lowpass's levels
  const Level* band(const TileSet& set, size_t b) const {
    const auto plane = static_cast<size_t>(set.plane);
    return set.lowpass && errors[plane] != nullptr ? errors[plane] : planes[plane] + set.offsets[b];
  }
};

/// A part's 16x16 levels.
struct TileSource {
  const Level* levels = nullptr;
  size_t stride = 0;
};

/// Returns a tile's parts, one after the other. Parts that the subband's border cuts are copied, padded with
/// zeros.
class TileSources {
 public:
  TileSource at(const TileSet& set, const TilePlace& place, const Level* band, size_t b) {
    const int y = place.y();
    const int x = place.x();
    const Level* from = band + static_cast<ptrdiff_t>(y) * set.cols + x;
    const int height = std::min(kTileSide, set.rows - y);
    const int width = std::min(kTileSide, set.cols - x);
    if (height == kTileSide && width == kTileSide) return {from, static_cast<size_t>(set.cols)};
    Level* to = cut_[b].data();
    std::fill_n(to, kTileSide * kTileSide, Level{0});
    for (int i = 0; i < height; ++i, from += set.cols, to += kTileSide) std::copy_n(from, width, to);
    return {cut_[b].data(), kTileSide};
  }

 private:
  std::array<std::array<Level, kTileSide * kTileSide>, kTileBands> cut_;
};

}  // namespace ctv

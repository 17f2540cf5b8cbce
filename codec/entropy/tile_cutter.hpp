// SPDX-License-Identifier: BSD-3-Clause
// Divides a component into pieces by its levels only (model/tile_cost.hpp): sums of tiles, which are
// independent, then first tiles and models of pieces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/tile_levels.hpp"
#include "codec/entropy/tile_source.hpp"
#include "codec/model/tile_cost.hpp"
#include "codec/model/tile_sets.hpp"

namespace ctv {

/// Consecutive tiles of a component.
struct CutPiece {
  size_t first = 0, tiles = 0;
  uint32_t model = 0;
  bool zero = true;  // whether every level is 0
};

/// A strip of tiles. first: its first tile row.
struct TileStrip {
  size_t set = 0, first = 0;
};
/// Strips of all sets except lowpasses, from top to bottom of the picture.
std::vector<TileStrip> strips_of(const std::vector<TileSet>& sets);

/// Computes sums of a strip's tiles. quads, sums: of all tiles of the component.
void sum_strip(const TileSet& set, size_t first, const TileLevels& levels, std::span<TileQuads> quads,
               std::span<TileSums> sums);
void cut_pieces(std::span<const TileSums> sums, std::vector<CutPiece>& pieces);

}  // namespace ctv

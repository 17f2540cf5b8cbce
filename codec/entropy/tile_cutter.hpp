// SPDX-License-Identifier: BSD-3-Clause
// Finds the pieces of a component from its levels alone (model/tile_cost.hpp): first the sums of each tile,
// which do not depend on each other, then where pieces begin and which models they have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/tile_levels.hpp"
#include "codec/entropy/tile_source.hpp"
#include "codec/model/tile_cost.hpp"
#include "codec/model/tile_sets.hpp"

namespace ctv {

/// Tiles that follow each other in a component.
struct CutPiece {
  size_t first = 0, tiles = 0;
  uint32_t model = 0;
  bool zero = true;  // every level
};

/// A strip of tiles: first is its first tile row.
struct TileStrip {
  size_t set = 0, first = 0;
};
/// Of all sets but lowpasses, by their place in the picture from top to bottom.
std::vector<TileStrip> strips_of(const std::vector<TileSet>& sets);

/// Of the tiles of a strip. quads, sums: of all tiles of the component.
void sum_strip(const TileSet& set, size_t first, const TileLevels& levels, std::span<TileQuads> quads,
               std::span<TileSums> sums);
void cut_pieces(std::span<const TileSums> sums, std::vector<CutPiece>& pieces);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Finds the pieces of a component from its levels alone (model/tile_cost.hpp): first the sums of each tile,
// which do not depend on each other, then where pieces begin and which models they have.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/model/tile_cost.hpp"
#include "codec/entropy/tile_source.hpp"
#include "codec/format/tile_sets.hpp"

namespace ctv {

/// Tiles that follow each other in a component.
struct CutPiece {
  size_t first = 0, tiles = 0;
  uint32_t model = 0;
  bool zero = true;  // every level
};

/// Quads of a tile's parts that are not 0: bit 8 y + x.
using TileQuads = std::array<uint64_t, kTileBands>;

/// Of all tiles of the component, on so many threads.
void sum_tiles(const std::vector<TileSet>& sets, const TileLevels& levels, int threads,
               std::span<TileQuads> quads, std::span<TileSums> sums);
void cut_pieces(std::span<const TileSums> sums, std::vector<CutPiece>& pieces);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Finds the pieces of a component from its levels alone (model/tile_cost.hpp): first the sums of each tile,
// which do not depend on each other, then where pieces begin and which models they have.
#pragma once

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

/// sums: of tiles first, first + 1, ...
void sum_tiles(const std::vector<TileSet>& sets, const TileLevels& levels, size_t first,
               std::span<TileSums> sums);
/// sums: of all tiles of the component.
void cut_pieces(std::span<const TileSums> sums, std::vector<CutPiece>& pieces);

}  // namespace ctv

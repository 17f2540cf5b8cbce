// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_cutter.hpp"

#include <bit>

#include "codec/entropy/tile_levels.hpp"

namespace ctv {

void sum_tiles(const std::vector<TileSet>& sets, const TileLevels& levels, size_t first,
               std::span<TileSums> sums) {
  if (sums.empty()) return;
  const TileSet* set = sets.data();
  while (first >= set->first + set->tiles()) ++set;
  TilePlace place(*set, first - set->first);
  TileSources sources;
  for (size_t tile = first; tile < first + sums.size(); ++tile, place.next(*set)) {
    if (tile == set->first + set->tiles()) place = TilePlace(*++set, 0);
    TileSums& sum = sums[tile - first];
    sum = {};
    for (size_t b = 0; b < static_cast<size_t>(set->bands); ++b) {
      const TileSource source = sources.at(*set, place, levels.band(*set, b), b);
      const uint64_t quads = find_quads(source.levels, source.stride);
      if (quads == 0) continue;
      const LargeSums large = sum_large(source.levels, source.stride);
      sum.packed +=
          part_sums(static_cast<uint32_t>(std::popcount(quads)), large.levels, large.raw_bits).packed;
    }
  }
}

void cut_pieces(std::span<const TileSums> sums, std::vector<CutPiece>& pieces) {
  pieces.clear();
  uint64_t cost = 0;
  TileSums piece{};
  size_t first = 0;
  for (size_t tile = 0; tile < sums.size(); ++tile) {
    const uint64_t before = cost;
    cost += tile_cost(sums[tile]);
    piece.packed += sums[tile].packed;
    if (piece_of(cost) == piece_of(before) && tile + 1 < sums.size()) continue;
    pieces.push_back({first, tile + 1 - first, piece_model(piece), piece.quads() == 0});
    first = tile + 1;
    piece = {};
  }
}

}  // namespace ctv

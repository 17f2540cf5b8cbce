// SPDX-License-Identifier: BSD-3-Clause
// Decoder of one piece of tiles (docs/entropy.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/tile_index.hpp"
#include "codec/entropy/tile_levels.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/model/tile_sets.hpp"

namespace ctv {

class TilePieceDecoder {
 public:
  explicit TilePieceDecoder(const TileTables& tables) : tables_(tables) {}

  /// Writes the levels of the piece's nonzero parts only. bytes: of the component, with eight more readable
  /// bytes after them. Returns false if the piece is damaged.
  bool decode(const std::vector<TileSet>& sets, std::span<Level* const> planes, const TileSide& side,
              const TilePiece& piece, const uint8_t* bytes);

 private:
  struct Coder;
  void decode_tile(Coder& coder, const TileSet& set, const TilePlace& place, uint64_t skips, Level* plane);
  void copy_cut(const TileSet& set, const TilePlace& place, uint32_t mask, Level* plane) const;

  const TileTables& tables_;
  PartWalk walk_{};
  TileNeighbours around_{};
  std::array<TilePart, kTileBands> parts_{};
  std::array<std::array<Level, kTileSide * kTileSide>, kTileBands>
      cut_{};  // tiles cut by the subband's border
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Encoder of pieces of tiles (docs/entropy.md), the inverse of tile_piece_decoder.hpp. It notes symbols
// first, then codes them in reverse.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/tile_cutter.hpp"
#include "codec/entropy/tile_levels.hpp"
#include "codec/entropy/tile_source.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/model/tile_sets.hpp"

namespace ctv {

/// Number of occurrences of each symbol.
using TileCounts = std::array<std::array<uint64_t, kTableSymbols>, kTables>;

class TilePieceEncoder {
 public:
  explicit TilePieceEncoder(const TileTables& tables) : tables_(tables) {}

  static constexpr size_t kPiecesAtOnce = 2;
  /// Writes the bytes of up to kPiecesAtOnce pieces to `out` from `at` on and keeps those before. Returns
  /// their number; sizes: that of each piece. quads: of all tiles of the component. counts: null, or symbol
  /// counts to add to.
  size_t encode(const std::vector<TileSet>& sets, const TileLevels& levels, const TileSide& side,
                std::span<const CutPiece> pieces, std::span<const TileQuads> quads, Growing<uint8_t>& out,
                size_t at, TileCounts* counts, size_t* sizes);

 private:
  struct Writer;
  /// Appends to events_.
  void note(const std::vector<TileSet>& sets, const TileLevels& levels, const TileSide& side,
            const CutPiece& piece, std::span<const TileQuads> quads, TileCounts* counts);
  void note_tile(Writer& writer, const TileSet& set, const TilePlace& place, uint64_t skips,
                 const TileLevels& levels, const TileQuads& quads);

  const TileTables& tables_;
  PartWalk walk_{};
  TileNeighbours around_{};
  std::array<TilePart, kTileBands> parts_{};
  TileSources sources_;
  Growing<uint32_t> events_;  // of pieces that are coded together
  size_t noted_ = 0;          // number of these
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// A component's levels as pieces of tiles (docs/symbols.md). A piece holds whole tiles, is cut by their cost
// (model/tile_cost.hpp), and needs no other one. Symbols are noted first and then coded in reverse.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/tile_levels.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/format/tile_sets.hpp"

namespace ctv {

class TileEncoder {
 public:
  /// How often each symbol was coded.
  using Counts = std::array<std::array<uint64_t, kTableSymbols>, kTables>;

  explicit TileEncoder(std::vector<TileSet> sets, const TileTables& tables = tile_tables());
  /// planes: the levels of all planes. side: of their frame. Returns the bytes written to `out`; none if
  /// every level is 0.
  size_t encode(std::span<const Level* const> planes, const TileSide& side, Growing<uint8_t>& out);
  /// From now on, adds to `counts`, which may be null.
  void count(Counts* counts) { counts_ = counts; }

  /// A part's levels.
  struct Source {
    const Level* levels;
    size_t stride;
  };

 private:
  bool prediction_pays(std::span<const Level* const> planes) const;
  const Level* find_errors(const TileSet& set, const Level* levels);
  void code_set(const TileSet& set, const Level* plane, const TileSide& side, bool predict);
  void choose_model();
  uint32_t find_parts(const TileSet& set, std::span<const Level* const> bands, const TilePlace& place);
  uint32_t code_tile(const TileSet& set, uint32_t row, uint64_t skips, uint32_t mask);
  void end_piece();

  struct Piece {
    size_t tiles, bytes;
  };
  std::vector<TileSet> sets_;
  const TileTables& tables_;
  Counts* counts_ = nullptr;
  std::vector<Level> errors_;  // of a lowpass
  // Of the tile.
  std::array<Source, kTileBands> sources_{};
  std::array<std::array<Level, kTileSide * kTileSide>, kTileBands> cut_;  // by the border of the subband
  std::array<uint64_t, kTileBands> quads_{};
  std::array<TilePart, kTileBands> parts_{};
  PartWalk walk_{};
  TileNeighbours around_{};
  // Of the piece.
  Growing<uint32_t> events_;
  size_t event_count_ = 0;
  Growing<uint32_t> chosen_;  // events whose tables are of the model
  size_t chosen_count_ = 0;
  uint64_t exact_cost_ = 0;  // of the other events, 256ths of a bit
  ModelCosts model_costs_;
  size_t tiles_ = 0;
  bool zero_ = true;

  uint64_t cost_ = 0;  // of the component's tiles so far
  std::vector<Piece> pieces_;
  Growing<uint8_t> bytes_;  // of pieces
  size_t size_ = 0;
};

}  // namespace ctv

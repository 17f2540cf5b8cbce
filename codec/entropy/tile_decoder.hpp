// SPDX-License-Identifier: BSD-3-Clause
// The way back from tile_encoder.hpp. Any bytes end in levels or in false, in time bounded by the component's
// levels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/tile_index.hpp"
#include "codec/entropy/tile_piece_decoder.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/format/tile_sets.hpp"

namespace ctv {

class TileDecoder {
 public:
  explicit TileDecoder(std::vector<TileSet> sets, const TileTables& tables = tile_tables());
  /// side: of the frame. Writes every level of the component, whatever was there. False if the bytes are not
  /// exactly its encoding; levels of sound pieces are then those before the lowpass is predicted, others are
  /// undefined.
  bool decode(std::span<const uint8_t> bytes, std::span<Level* const> planes, const TileSide& side);
  /// After decode() returned false: the first damaged piece, or -1 if the pieces do not fit the component.
  int damaged_piece() const { return damaged_; }

 private:
  std::vector<TileSet> sets_;
  size_t tiles_ = 0;
  std::vector<TilePiece> pieces_;
  Growing<uint8_t> bytes_;  // of the component, with room to read beyond
  TilePieceDecoder piece_decoder_;
  int damaged_ = -1;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The way back from tile_encoder.hpp. Any bytes end in levels or in false, in time bounded by the component's
// levels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/tile_index.hpp"
#include "codec/entropy/tile_piece_decoder.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/model/tile_sets.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

class TileDecoder {
 public:
  /// threads: of start().
  explicit TileDecoder(std::vector<TileSet> sets, const TileTables& tables = tile_tables(), int threads = 1);
  /// side: of the frame. Writes every level of the component, whatever was there. False if the bytes are not
  /// exactly its encoding; levels of sound pieces are then those before the lowpass is predicted, others are
  /// undefined.
  bool decode(std::span<const uint8_t> bytes, std::span<Level* const> planes, const TileSide& side);
  /// The same in steps: start(), run(i) for all i below its result, at once if need be; finish() says what
  /// decode() does. The planes, the side and what they point to must stay until then.
  size_t start(std::span<const uint8_t> bytes, std::span<Level* const> planes, const TileSide& side);
  void run(size_t task);
  bool finish();
  /// After decode() returned false: the first damaged piece, or -1 if the pieces do not fit the component.
  int damaged_piece() const { return damaged_; }

 private:
  // Decodes pieces that follow each other.
  struct Worker {
    explicit Worker(const TileTables& tables) : decoder(tables) {}
    TilePieceDecoder decoder;
    int damaged = -1;  // the first of its pieces
  };

  enum class State { kPieces, kZeros, kDamaged };
  std::vector<TileSet> sets_;
  const TileTables& tables_;
  const int threads_;
  size_t tiles_ = 0;
  State state_ = State::kZeros;
  bool predicted_ = false;
  std::array<Level*, 3> planes_{};
  TileSide side_;
  CountedVector<TilePiece> pieces_;
  Growing<uint8_t> bytes_;  // of the component, with room to read beyond
  CountedVector<Worker> workers_;
  size_t tasks_ = 0;
  int damaged_ = -1;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Inverse of tile_encoder.hpp. Any bytes give levels or false, in time bounded by the number of levels.
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
  /// threads: for start().
  explicit TileDecoder(std::vector<TileSet> sets, const TileTables& tables = tile_tables(), int threads = 1);
  /// side: of the frame. Overwrites every level of the component. Returns false if the bytes are not exactly
  /// its encoding. Sound pieces then have their levels before lowpass prediction; other levels are undefined.
  bool decode(std::span<const uint8_t> bytes, std::span<Level* const> planes, const TileSide& side);
  /// The same in steps: start(); run(i) for all i below its result, also in parallel; finish() returns the
  /// result of decode(). Planes and side must remain valid until then.
  size_t start(std::span<const uint8_t> bytes, std::span<Level* const> planes, const TileSide& side);
  void run(size_t task);
  bool finish();
  /// The first damaged piece after decode() returned false; -1 if the index is damaged.
  int damaged_piece() const { return damaged_; }

 private:
  // Decodes consecutive pieces.
  struct Worker {
    explicit Worker(const TileTables& tables) : decoder(tables) {}
    TilePieceDecoder decoder;
    int damaged = -1;  // its first damaged piece
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
  Growing<uint8_t> bytes_;  // of the component, padded, since readers overrun
  CountedVector<Worker> workers_;
  size_t tasks_ = 0;
  int damaged_ = -1;
};

}  // namespace ctv

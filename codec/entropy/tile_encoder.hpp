// SPDX-License-Identifier: BSD-3-Clause
// Codes a component's levels as pieces of tiles (docs/entropy.md). Pieces follow from the levels
// (tile_cutter.hpp) and are independent (tile_piece_encoder.hpp), so tasks code them on any number of
// threads. Bytes depend on the levels and the side only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/entropy/tile_cutter.hpp"
#include "codec/entropy/tile_piece_encoder.hpp"
#include "codec/entropy/tile_source.hpp"
#include "codec/entropy/tile_tables.hpp"
#include "codec/model/tile_sets.hpp"

namespace ctv {

class TileEncoder {
 public:
  /// threads: for start().
  explicit TileEncoder(std::vector<TileSet> sets, const TileTables& tables = tile_tables(), int threads = 1);
  /// planes: the levels of all planes. side: of their frame. Returns the bytes written to `out`; 0 if all
  /// levels are 0.
  size_t encode(std::span<const Level* const> planes, const TileSide& side, Growing<uint8_t>& out);

  /// The same in steps: start(); code(i) for all i below its result, also in parallel; finish(). Levels and
  /// side must remain valid until then. After an exception, the next start() resets the encoder.
  size_t start(std::span<const Level* const> planes, const TileSide& side);
  void code(size_t task);
  size_t finish(Growing<uint8_t>& out);

  /// Adds symbol counts to `counts` from now on; null: stops. Single-threaded only.
  void count(TileCounts* counts) { counts_ = counts; }

 private:
  void begin_lowpass();

  struct Worker {
    explicit Worker(const TileTables& tables) : encoder(tables) {}
    TilePieceEncoder encoder;
    Growing<uint8_t> bytes;  // of its pieces
    size_t size = 0;
  };
  std::vector<TileSet> sets_;
  const TileTables& tables_;
  const int threads_;
  TileCounts* counts_ = nullptr;
  std::vector<Level> errors_;  // of a lowpass
  TileLevels levels_;
  TileSide side_;
  bool predict_ = false;
  const std::vector<TileStrip> strips_;
  std::vector<TileQuads> quads_;  // by tile
  std::vector<TileSums> sums_;
  std::vector<CutPiece> pieces_;
  std::vector<size_t> sizes_;  // bytes by piece
  std::vector<Worker> workers_;
  size_t tasks_ = 0;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// A component's levels as pieces of tiles (docs/entropy.md). Pieces follow from the levels (tile_cutter.hpp)
// and do not need each other (tile_piece_encoder.hpp), so they are coded in tasks for any number of threads.
// Bytes depend on the levels and the side alone.
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
  /// threads: of start().
  explicit TileEncoder(std::vector<TileSet> sets, const TileTables& tables = tile_tables(), int threads = 1);
  /// planes: the levels of all planes. side: of their frame. Returns the bytes written to `out`; none if
  /// every level is 0.
  size_t encode(std::span<const Level* const> planes, const TileSide& side, Growing<uint8_t>& out);

  /// The same in steps: start(), code(i) for all i below its result, at once if need be; finish(). Levels and
  /// side must stay until then. After an exception, the next start() begins anew.
  size_t start(std::span<const Level* const> planes, const TileSide& side);
  void code(size_t task);
  size_t finish(Growing<uint8_t>& out);

  /// From now on, adds to `counts`, which may be null; then code() is for one thread.
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
  std::vector<TileQuads> quads_;  // of all tiles
  std::vector<TileSums> sums_;
  std::vector<CutPiece> pieces_;
  std::vector<size_t> sizes_;  // of pieces, in bytes
  std::vector<Worker> workers_;
  size_t tasks_ = 0;
};

}  // namespace ctv

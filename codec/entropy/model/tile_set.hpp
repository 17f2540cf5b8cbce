// SPDX-License-Identifier: BSD-3-Clause
// Sets of subbands whose tiles are coded together (docs/symbols.md), the order of these tiles, and pieces.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "codec/entropy/model/rans.hpp"
#include "codec/entropy/model/tile_contexts.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

struct TileSet {
  int rows = 0, cols = 0;  // of each band
  int bands = 0;
  int plane = 0;
  bool lowpass = false;
  std::array<size_t, kTileBands> offsets{};  // in the plane's array; rows follow each other without gaps
  size_t first = 0;                          // tile in the component

  size_t tile_rows() const { return static_cast<size_t>(ceil_div(rows, kTileSide)); }
  size_t tile_cols() const { return static_cast<size_t>(ceil_div(cols, kTileSide)); }
  size_t tiles() const { return tile_rows() * tile_cols(); }
  size_t levels() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }  // of a band
};

/// Walks over the tiles of a set.
struct TilePlace {
  size_t strip = 0, col = 0, row = 0;  // strip: its first tile row; row: of the strip
  TilePlace() = default;
  TilePlace(const TileSet& set, size_t tile) {
    const size_t whole = kStripTiles * set.tile_cols();
    strip = tile / whole * kStripTiles;
    const size_t height = height_of(set);
    col = tile % whole / height;
    row = tile % whole % height;
  }
  size_t height_of(const TileSet& set) const {
    const size_t left = set.tile_rows() - strip;
    return left < kStripTiles ? left : kStripTiles;
  }
  int y() const { return static_cast<int>(strip + row) * kTileSide; }  // of its first level
  int x() const { return static_cast<int>(col) * kTileSide; }
  bool begins_strip() const { return row == 0 && col == 0; }
  void next(const TileSet& set) {
    if (++row < height_of(set)) return;
    row = 0;
    if (++col < set.tile_cols()) return;
    col = 0;
    strip += kStripTiles;
  }
};

struct TilePiece {
  size_t first = 0, tiles = 0;
  size_t begin = 0, size = 0;  // in the component's bytes
};

/// Components whose levels a backend codes as pieces of tiles. None of their sets is a lowpass.
struct TilePlan {
  std::vector<std::vector<TileSet>> components;
  const SymbolTable* tables = nullptr;  // [kTables + 1], the last all 0
  bool empty() const { return components.empty(); }
};

}  // namespace ctv

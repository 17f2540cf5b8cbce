// SPDX-License-Identifier: BSD-3-Clause
// The subbands of a component in sets whose tiles are coded together (docs/entropy.md), and the order
// of these tiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/format/components.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/model/run_ranges.hpp"
#include "codec/model/tile_contexts.hpp"
#include "codec/model/tile_skips.hpp"

namespace ctv {

struct SymbolTable;

struct TileSet {
  int rows = 0, cols = 0;  // of each band
  int bands = 0;
  int plane = 0;
  bool lowpass = false;
  std::array<size_t, kTileBands> offsets{};  // in the plane's array; rows follow each other without gaps
  size_t first = 0;                          // tile in the component
  int row_shift = 0, col_shift = 0;          // log2 of the distance of levels in luma samples

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

/// Tiles that follow each other in a component, and its bytes that code them.
struct TilePiece {
  size_t first = 0, tiles = 0;
  size_t begin = 0, size = 0;
};

/// A piece as an encoder leaves it; an array of C, since kernels write it.
struct CodedPiece {
  uint32_t tiles, bytes;
};

/// A component without its head, not owned. `bytes` are those of all pieces, joined; none if all levels are
/// 0.
struct CodedTiles {
  std::span<const CodedPiece> pieces;
  std::span<const uint8_t> bytes;
  bool predicted = false;  // its lowpass subbands are
};

/// What a coder of levels must know of their frame. Encoder and decoder are given the same.
struct TileSide {
  SkipGrid skips;  // none for key frames, and without picture prediction
};

/// find_skips() of a tile.
inline uint64_t skips_of(const TileSide& side, const TileSet& set, const TilePlace& place) {
  return find_skips(side.skips, place.y(), place.x(), set.row_shift, set.col_shift);
}

std::vector<TileSet> make_tile_sets(const PictureLayout& picture, const Component& component);

/// What a backend that codes components itself must know of them.
struct CodingPlan {
  bool up = false;                               // decoder
  const SymbolTable* tables = nullptr;           // [kTables + 1]
  std::vector<std::vector<TileSet>> components;  // of a packet, if its levels are coded by tiles
  std::vector<RunComponent> runs;                // of a packet, if they are coded by runs
};
/// For the header's entropy coding. up: for a decoder. Without `tables`.
CodingPlan make_coding_plan(const PictureLayout& picture, const SequenceHeader& header, bool up);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Divides the subbands of a component into sets whose tiles are coded together (docs/entropy.md), and gives
// the order of these tiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/format/components.hpp"
#include "codec/format/macroblocks.hpp"
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
  std::array<size_t, kTileBands> offsets{};  // in the plane's array; rows are contiguous
  size_t first = 0;                          // number of the first tile in the component
  int row_shift = 0, col_shift = 0;          // log2 of the distance between levels in luma samples

  size_t tile_rows() const { return static_cast<size_t>(ceil_div(rows, kTileSide)); }
  size_t tile_cols() const { return static_cast<size_t>(ceil_div(cols, kTileSide)); }
  size_t tiles() const { return tile_rows() * tile_cols(); }
  size_t levels() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }  // of a band
};

/// Walks over the tiles of a set.
struct TilePlace {
  size_t strip = 0, col = 0, row = 0;  // strip: its first tile row; row: in the strip
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
  int y() const { return static_cast<int>(strip + row) * kTileSide; }  // row of the first level
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

/// Consecutive tiles of a component, and the bytes that code them.
struct TilePiece {
  size_t first = 0, tiles = 0;
  size_t begin = 0, size = 0;
};

/// An encoder's output for a piece; a C struct, since kernels write it.
struct CodedPiece {
  uint32_t tiles, bytes;
};

/// A component without its header, not owned. `bytes`: of all pieces, concatenated. Both are empty if all
/// levels are 0.
struct CodedTiles {
  std::span<const CodedPiece> pieces;
  std::span<const uint8_t> bytes;
  bool predicted = false;  // lowpass levels are prediction errors
};

/// What coders of levels know of the frame. Encoder and decoder must use the same.
struct TileSide {
  SkipGrid skips;  // empty in key frames, and without picture prediction
};

/// find_skips() of a tile.
inline uint64_t skips_of(const TileSide& side, const TileSet& set, const TilePlace& place) {
  return find_skips(side.skips, place.y(), place.x(), set.row_shift, set.col_shift);
}

std::vector<TileSet> make_tile_sets(const PictureLayout& picture, const Component& component);

/// What a backend that does entropy coding must know of the components.
struct CodingPlan {
  bool up = false;                               // decoder
  const SymbolTable* tables = nullptr;           // [kTables + 1]
  std::vector<std::vector<TileSet>> components;  // of a packet, if coded by tiles
  std::vector<RunComponent> runs;                // of a packet, if coded by runs
  // Tables of all models if predicted frames have macroblocks, else null.
  const SymbolTable* residual_tables = nullptr;
  MacroblockGrid macroblocks;
};
/// Makes the plan for the header's entropy coding, without tables. up: for a decoder.
CodingPlan make_coding_plan(const PictureLayout& picture, const SequenceHeader& header, bool up);

}  // namespace ctv

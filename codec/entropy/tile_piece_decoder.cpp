// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_piece_decoder.hpp"

#include <algorithm>

#include "codec/entropy/tile_part.hpp"
#include "codec/model/rans.hpp"

namespace ctv {
namespace {

Level* band_at(const TileSet& set, const TilePlace& place, size_t band, Level* plane) {
  return plane + set.offsets[band] + static_cast<ptrdiff_t>(place.y()) * set.cols + place.x();
}

}  // namespace

// A symbol reader that also writes a part's levels.
struct TilePieceDecoder::Coder : RansReader, TileLookup {
  Level* levels = nullptr;
  size_t stride = 0;
  Coder(const TileTables& tables, const uint8_t* bytes, size_t size)
      : RansReader(tables.symbols.data(), bytes, size) {}
  void put_levels(const TileBits& bits) const { levels_of_bits(bits, levels, stride); }
  void put_number(uint32_t place, uint32_t number) const {
    Level& l = levels[level_at(place, stride)];
    l = static_cast<Level>(l < 0 ? l - static_cast<int>(number) : l + static_cast<int>(number));
  }
};

void TilePieceDecoder::decode_tile(Coder& coder, const TileSet& set, const TilePlace& place, uint64_t skips,
                                   Level* plane) {
  const auto row = static_cast<uint32_t>(place.row);
  const uint32_t mask = code_bands(coder, static_cast<uint32_t>(set.bands), row, around_, skips, 0);
  if (mask != 0) walk_.skips = skipped_nodes(skips);
  const bool cut = place.y() + kTileSide > set.rows || place.x() + kTileSide > set.cols;
  for (size_t b = 0; b < static_cast<size_t>(set.bands); ++b) {
    uint64_t& above = around_.above[b];
    uint64_t& left = around_.left[row][b];
    if ((mask >> b & 1U) == 0) {
      if (mask >> b != 0) clear_part(parts_[b]);  // context of a later part
      above = left = 0;
      continue;
    }
    coder.levels = cut ? cut_[b].data() : band_at(set, place, b, plane);
    coder.stride = cut ? kTileSide : static_cast<size_t>(set.cols);
    walk_.bits = {};
    code_part(coder, walk_, parts_, b, above, left);
  }
  if (cut && mask != 0) copy_cut(set, place, mask, plane);
}

void TilePieceDecoder::copy_cut(const TileSet& set, const TilePlace& place, uint32_t mask,
                                Level* plane) const {
  const int height = std::min(kTileSide, set.rows - place.y());
  const int width = std::min(kTileSide, set.cols - place.x());
  for (; mask != 0; mask &= mask - 1) {
    const size_t b = lowest_bit(mask);
    Level* to = band_at(set, place, b, plane);
    for (int i = 0; i < height; ++i, to += set.cols) std::copy_n(cut_[b].data() + i * kTileSide, width, to);
  }
}

bool TilePieceDecoder::decode(const std::vector<TileSet>& sets, std::span<Level* const> planes,
                              const TileSide& side, const TilePiece& piece, const uint8_t* bytes) {
  Coder coder(tables_, bytes + piece.begin, piece.size);
  const TileSet* set = sets.data();
  while (piece.first >= set->first + set->tiles()) ++set;
  TilePlace place(*set, piece.first - set->first);
  start_piece(coder, walk_, around_, 0);
  for (size_t tile = piece.first; tile < piece.first + piece.tiles; ++tile, place.next(*set)) {
    if (tile == set->first + set->tiles()) place = TilePlace(*++set, 0);
    if (place.begins_strip()) around_ = {};
    const uint64_t skips = skips_of(side, *set, place);
    decode_tile(coder, *set, place, skips, planes[static_cast<size_t>(set->plane)]);
  }
  return coder.sound();
}

}  // namespace ctv

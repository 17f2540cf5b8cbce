// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_piece_encoder.hpp"

#include <algorithm>

#include "codec/entropy/piece_writer.hpp"
#include "codec/entropy/tile_part.hpp"

namespace ctv {
namespace {

constexpr size_t kMostEvents = 1 + kTileBands * (21 + 64 * 2 + 16 + 256 * 2);  // per tile

}  // namespace

// Notes symbols as events, and reads a part's numbers.
struct TilePieceEncoder::Writer : EventWriter, TileLookup {
  static constexpr bool kDecodes = false;
  TileCounts* counts;
  TileSource source{};

  uint32_t symbol(uint32_t table, uint32_t s) {
    if (counts != nullptr) ++(*counts)[table][s];
    return EventWriter::symbol(table, s);
  }
  uint32_t chosen(uint32_t table, uint32_t offset, uint32_t s) { return symbol(table + offset, s); }
  uint32_t number_at(uint32_t place) const {
    const int level = source.levels[level_at(place, source.stride)];
    return static_cast<uint32_t>(level < 0 ? -level : level) - 2;
  }
};

void TilePieceEncoder::note_tile(Writer& writer, const TileSet& set, const TilePlace& place, uint64_t skips,
                                 const TileLevels& levels, const TileQuads& quads) {
  const auto row = static_cast<uint32_t>(place.row);
  uint32_t mask = 0;
  for (size_t b = 0; b < quads.size(); ++b) mask |= (quads[b] != 0 ? 1U : 0U) << b;
  code_bands(writer, static_cast<uint32_t>(set.bands), row, around_, skips, mask);
  if (mask != 0) walk_.skips = skipped_nodes(skips);
  for (size_t b = 0; b < static_cast<size_t>(set.bands); ++b) {
    uint64_t& above = around_.above[b];
    uint64_t& left = around_.left[row][b];
    if ((mask >> b & 1U) == 0) {
      if (mask >> b != 0) clear_part(parts_[b]);  // context of a later part
      above = left = 0;
      continue;
    }
    writer.source = sources_.at(set, place, levels.band(set, b), b);
    bits_of_levels(writer.source.levels, writer.source.stride, walk_.bits);
    walk_.quads = quads[b];
    code_part(writer, walk_, parts_, b, above, left);
  }
}

void TilePieceEncoder::note(const std::vector<TileSet>& sets, const TileLevels& levels, const TileSide& side,
                            const CutPiece& piece, std::span<const TileQuads> quads, TileCounts* counts) {
  if (piece.zero) return;
  const TileSet* set = sets.data();
  while (piece.first >= set->first + set->tiles()) ++set;
  TilePlace place(*set, piece.first - set->first);
  const auto reserve = [&] { return events_.reserve(noted_ + kMostEvents, noted_) + noted_; };
  Writer writer{{tables_.symbols.data(), reserve()}, {}, counts};
  start_piece(writer, walk_, around_, piece.model);
  for (size_t tile = piece.first; tile < piece.first + piece.tiles; ++tile, place.next(*set)) {
    if (tile == set->first + set->tiles()) place = TilePlace(*++set, 0);
    if (place.begins_strip()) around_ = {};
    noted_ = static_cast<size_t>(writer.next - events_.data());
    writer.next = reserve();
    note_tile(writer, *set, place, skips_of(side, *set, place), levels, quads[tile]);
  }
  noted_ = static_cast<size_t>(writer.next - events_.data());
}

// Codes several pieces interleaved: each state waits for two multiplications.
size_t TilePieceEncoder::encode(const std::vector<TileSet>& sets, const TileLevels& levels,
                                const TileSide& side, std::span<const CutPiece> pieces,
                                std::span<const TileQuads> quads, Growing<uint8_t>& out, size_t at,
                                TileCounts* counts, size_t* sizes) {
  std::array<size_t, kPiecesAtOnce + 1> begin{};  // of each piece's events
  noted_ = 0;
  for (size_t i = 0; i < kPiecesAtOnce; ++i) {
    if (i < pieces.size()) note(sets, levels, side, pieces[i], quads, counts);
    begin[i + 1] = noted_;
  }
  const auto room = [&](size_t i) { return at + 2 * begin[i] + 8 * i; };
  uint8_t* const bytes = out.reserve(room(kPiecesAtOnce), at);
  std::array<EventCoder, kPiecesAtOnce> coders;
  size_t together = noted_;
  for (size_t i = 0; i < kPiecesAtOnce; ++i) {
    coders[i] = {RansWriter(WordsBefore{bytes + room(i + 1)}), events_.data() + begin[i + 1]};
    together = std::min(together, begin[i + 1] - begin[i]);
  }
  std::array<EventCoder, kPiecesAtOnce> in_registers = coders;
  for (size_t n = 0; n < together; ++n) {
    for (EventCoder& coder : in_registers) coder.put_next();
  }
  coders = in_registers;
  uint8_t* to = bytes + at;
  for (size_t i = 0; i < pieces.size(); ++i) {
    sizes[i] = 0;
    if (pieces[i].zero) continue;
    EventCoder coder = coders[i];
    while (coder.event != events_.data() + begin[i]) coder.put_next();
    const uint8_t* const first = coder.writer.finish().at;
    sizes[i] = static_cast<size_t>(bytes + room(i + 1) - first);
    to = std::copy_n(first, sizes[i], to);  // to a lower address
  }
  return static_cast<size_t>(to - bytes) - at;
}

}  // namespace ctv

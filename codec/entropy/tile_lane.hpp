// SPDX-License-Identifier: BSD-3-Clause
// The decoder of one piece at a time, which halts between its parts, so that others can take turns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/model/rans.hpp"
#include "codec/entropy/tile_decoder.hpp"

namespace ctv {

class TileDecoder::Lane {
 public:
  /// A reader of symbols that also puts levels in their places.
  struct Coder : RansReader, TileLookup {
    Level* levels = nullptr;  // of the part
    size_t stride = 0;
    Coder(const TileTables& tables, std::span<const uint8_t> bytes)
        : RansReader(tables.symbols.data(), bytes.data(), bytes.size()) {}
    void put_levels(const TileBits& bits) const { levels_of_bits(bits, levels, stride); }
    void put_number(uint32_t place, uint32_t number) const {
      Level& l = levels[level_at(place, stride)];
      l = static_cast<Level>(l < 0 ? l - static_cast<int>(number) : l + static_cast<int>(number));
    }
  };

  explicit Lane(const TileTables& tables) : coder(tables, {kNothing, 0}), tables_(&tables) {}

  /// bytes: followed by four more that can be read.
  void start(const std::vector<TileSet>& sets, std::span<Level* const> planes, const TilePiece& p, int number,
             const uint8_t* bytes) {
    planes_ = planes;
    piece = number;
    coder = Coder(*tables_, {bytes + p.begin, p.size});
    left_ = p.tiles;
    set_ = sets.data();
    while (p.first >= set_->first + set_->tiles()) ++set_;
    place_ = TilePlace(*set_, p.first - set_->first);
    around_ = {};
    mask_ = 0;
    counts = {};
    started_ = false;
  }

  /// Ends the part that was decoded, if any, and starts the next one that is not 0. Returns whether there is.
  bool next_part() {
    if (mask_ != 0) {
      end_part(coder, walk, counts, border_);
      counts = {};
      keep_border();
      mask_ &= mask_ - 1;
    }
    while (mask_ == 0) {
      if (!next_tile()) return false;
    }
    const size_t b = lowest_bit(mask_);
    for (; band_ < b; ++band_) skip_band(band_);
    band_ = b + 1;
    border_ = {around_.above[b], around_.left[place_.row][b]};
    walk.part = &parts_[b];
    walk.sibling0 = &parts_[b > 0 ? b - 1 : 0];
    walk.sibling1 = &parts_[b > 1 ? b - 2 : 0];
    walk.there = b > 0 ? 1 : 0;
    walk.bits = {};
    find_place(b);
    start_part(coder, walk, border_);
    return true;
  }

  Coder coder;
  PartWalk walk{};
  PartCounts counts;
  int piece = -1;

 private:
  static constexpr uint8_t kNothing[4] = {};

  // Returns false after the last one.
  bool next_tile() {
    if (started_) {
      end_tile();
      --left_;
      place_.next(*set_);
      if (left_ > 0 && place_.strip >= set_->tile_rows()) place_ = TilePlace(*++set_, 0);
    }
    if (left_ == 0) return false;
    started_ = true;
    if (place_.begins_strip()) around_ = {};
    tile_mask_ = mask_ =
        code_bands(coder, static_cast<uint32_t>(set_->bands), static_cast<uint32_t>(place_.row), around_, 0);
    band_ = 0;
    return true;
  }
  void skip_band(size_t b) {
    clear_part(parts_[b]);
    around_.above[b] = around_.left[place_.row][b] = 0;
  }
  void keep_border() {
    around_.above[band_ - 1] = border_.above;
    around_.left[place_.row][band_ - 1] = border_.left;
  }
  Level* band_at(size_t b) const {
    return planes_[static_cast<size_t>(set_->plane)] + set_->offsets[b] +
           static_cast<ptrdiff_t>(place_.y()) * set_->cols + place_.x();
  }
  bool is_cut() const { return place_.y() + kTileSide > set_->rows || place_.x() + kTileSide > set_->cols; }
  void find_place(size_t b) {
    coder.levels = is_cut() ? cut_[b].data() : band_at(b);
    coder.stride = is_cut() ? kTileSide : static_cast<size_t>(set_->cols);
  }
  void end_tile() {
    for (; band_ < static_cast<size_t>(set_->bands); ++band_) {
      around_.above[band_] = around_.left[place_.row][band_] = 0;
    }
    if (tile_mask_ == 0 || !is_cut()) return;
    const int height = std::min(kTileSide, set_->rows - place_.y());
    const int width = std::min(kTileSide, set_->cols - place_.x());
    for (uint32_t rest = tile_mask_; rest != 0; rest &= rest - 1) {
      const size_t b = lowest_bit(rest);
      Level* to = band_at(b);
      for (int i = 0; i < height; ++i, to += set_->cols)
        std::copy_n(cut_[b].data() + i * kTileSide, width, to);
    }
  }

  const TileTables* tables_;
  std::span<Level* const> planes_;
  const TileSet* set_ = nullptr;
  TilePlace place_;
  size_t left_ = 0;  // tiles, with this one
  bool started_ = false;
  uint32_t mask_ = 0;  // bands of the tile still to come, with this one
  uint32_t tile_mask_ = 0;
  size_t band_ = 0;  // behind this one
  TileNeighbours around_{};
  TileBorder border_{};
  std::array<TilePart, kTileBands> parts_{};
  std::array<std::array<Level, kTileSide * kTileSide>, kTileBands>
      cut_{};  // tiles cut by the subband's border
};

}  // namespace ctv

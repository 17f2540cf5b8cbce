// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/entropy/lowpass_prediction.hpp"

namespace ctv {
namespace {

constexpr size_t kReadBeyond = 8;

void add_predictions(const TileSet& set, Level* levels) {
  Level* level = levels;
  for (int y = 0; y < set.rows; ++y) {
    for (int x = 0; x < set.cols; ++x, ++level) {
      *level = static_cast<Level>(*level + predict_lowpass(levels, set.cols, y, x));
    }
  }
}

}  // namespace

TileDecoder::TileDecoder(std::vector<TileSet> sets, const TileTables& tables)
    : sets_(std::move(sets)), piece_decoder_(tables) {
  for (const TileSet& s : sets_) tiles_ += s.tiles();
}

bool TileDecoder::decode(std::span<const uint8_t> bytes, std::span<Level* const> planes,
                         const TileSide& side) {
  for (const TileSet& s : sets_) {
    for (size_t b = 0; b < static_cast<size_t>(s.bands); ++b) {
      std::fill_n(planes[static_cast<size_t>(s.plane)] + s.offsets[b], s.levels(), Level{0});
    }
  }
  damaged_ = -1;
  if (bytes.empty()) return true;
  bool predicted = false;
  if (!read_tile_index(bytes, tiles_, pieces_, predicted)) return false;
  bytes_.reserve(bytes.size() + kReadBeyond);
  std::memcpy(bytes_.data(), bytes.data(), bytes.size());
  std::memset(bytes_.data() + bytes.size(), 0, kReadBeyond);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].size == 0) continue;  // zeros
    const bool sound = piece_decoder_.decode(sets_, planes, side, pieces_[i], bytes_.data());
    if (!sound && damaged_ < 0) damaged_ = static_cast<int>(i);
  }
  if (damaged_ >= 0) return false;
  for (const TileSet& s : sets_) {
    if (predicted && s.lowpass) add_predictions(s, planes[static_cast<size_t>(s.plane)] + s.offsets[0]);
  }
  return true;
}

}  // namespace ctv

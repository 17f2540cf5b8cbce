// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/entropy/lowpass_prediction.hpp"
#include "codec/entropy/tile_lane.hpp"

namespace ctv {
namespace {

constexpr size_t kLanes = 2;
constexpr size_t kReadBeyond = 8;

// Parts of two pieces, quad by quad, until one of them has no more. Copies of the readers stay in registers.
void code_both(TileDecoder::Lane& a, TileDecoder::Lane& b, uint64_t& rest_a, uint64_t& rest_b) {
  TileDecoder::Lane::Coder reader_a = a.coder;
  TileDecoder::Lane::Coder reader_b = b.coder;
  PartCounts counts_a = a.counts;
  PartCounts counts_b = b.counts;
  uint64_t ra = rest_a;
  uint64_t rb = rest_b;
  while (ra != 0 && rb != 0) {
    code_quad(reader_a, a.walk, counts_a, lowest_bit(ra));
    code_quad(reader_b, b.walk, counts_b, lowest_bit(rb));
    ra &= ra - 1;
    rb &= rb - 1;
  }
  rest_a = ra;
  rest_b = rb;
  a.coder = reader_a;
  b.coder = reader_b;
  a.counts = counts_a;
  b.counts = counts_b;
}

void code_rest(TileDecoder::Lane& lane, uint64_t rest) {
  TileDecoder::Lane::Coder reader = lane.coder;
  PartCounts counts = lane.counts;
  for (; rest != 0; rest &= rest - 1) code_quad(reader, lane.walk, counts, lowest_bit(rest));
  lane.coder = reader;
  lane.counts = counts;
}

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
    : sets_(std::move(sets)), tables_(tables) {
  for (const TileSet& s : sets_) tiles_ += s.tiles();
}

TileDecoder::TileDecoder(TileDecoder&&) noexcept = default;
TileDecoder::~TileDecoder() = default;

void TileDecoder::note(const Lane& lane) {
  if (!lane.coder.sound() && (damaged_ < 0 || lane.piece < damaged_)) damaged_ = lane.piece;
}

bool TileDecoder::decode(std::span<const uint8_t> bytes, std::span<Level* const> planes) {
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
  if (lanes_.empty()) lanes_.assign(kLanes, Lane(tables_));

  size_t next = 0;
  const auto start = [&](Lane& lane) {  // the next piece that has a part
    while (next < pieces_.size()) {
      const size_t piece = next++;
      if (pieces_[piece].size == 0) continue;  // zeros
      lane.start(sets_, planes, pieces_[piece], static_cast<int>(piece), bytes_.data());
      if (lane.next_part()) return true;
      note(lane);
    }
    return false;
  };
  const auto go_on = [&](Lane& lane) {
    if (lane.next_part()) return true;
    note(lane);
    return start(lane);
  };
  Lane& a = lanes_[0];
  Lane& b = lanes_[1];
  bool has_a = start(a);
  bool has_b = start(b);
  uint64_t rest_a = a.walk.quads;
  uint64_t rest_b = b.walk.quads;
  while (has_a && has_b) {
    code_both(a, b, rest_a, rest_b);
    if (rest_a == 0) {
      has_a = go_on(a);
      rest_a = a.walk.quads;
    }
    if (rest_b == 0) {
      has_b = go_on(b);
      rest_b = b.walk.quads;
    }
  }
  for (; has_a; has_a = go_on(a), rest_a = a.walk.quads) code_rest(a, rest_a);
  for (; has_b; has_b = go_on(b), rest_b = b.walk.quads) code_rest(b, rest_b);
  if (damaged_ >= 0) return false;
  for (const TileSet& s : sets_) {
    if (predicted && s.lowpass) add_predictions(s, planes[static_cast<size_t>(s.plane)] + s.offsets[0]);
  }
  return true;
}

}  // namespace ctv

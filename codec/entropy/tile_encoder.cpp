// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "codec/entropy/lowpass_prediction.hpp"
#include "codec/entropy/model/tile_cost.hpp"
#include "codec/entropy/tile_index.hpp"

namespace ctv {
namespace {

constexpr size_t kMostEvents = 1 + kTileBands * (21 + 64 * 2 + 16 + 256 * 2);  // of a tile
constexpr size_t kMostChosen = size_t{kTileBands} * (64 + 256);
// An event: a symbol's interval as size << 16 | begin, or raw bits as number << 16 | bits. One whose model is
// not known yet is a table of the first model and a symbol.
constexpr uint32_t kRawEvent = 1U << 31;

uint32_t interval_event(const TileTables& tables, uint32_t table, uint32_t s) {
  uint32_t both = 0;  // where it begins, and where the next one does
  std::memcpy(&both, tables.symbols[table].begin + s, sizeof both);
  return ((both - (both << 16)) & (kWhole - 1) << 16) | (both & 0xffffU);
}

struct EventWriter : TileLookup {
  static constexpr bool kDecodes = false;
  const TileTables* tables;
  TileEncoder::Counts* counts;
  uint32_t* first;  // of the piece
  uint32_t* next;
  uint32_t* next_chosen;
  uint64_t cost;
  ModelCosts model_costs;
  uint32_t raw_bits = 0;
  TileEncoder::Source source{};

  uint32_t symbol(uint32_t table, uint32_t s) {
    const uint32_t event = interval_event(*tables, table, s);
    *next++ = event;
    cost += tables->cost[event >> 16];
    if (counts != nullptr) ++(*counts)[table][s];
    return s;
  }
  uint32_t chosen(uint32_t table, uint32_t, uint32_t s) {
    *next_chosen++ = static_cast<uint32_t>(next - first);
    *next++ = table << 4 | s;
    model_costs.add(tables->model_costs[table - kLargeTables][s]);
    return s;
  }
  uint32_t raw(uint32_t bits, uint32_t value) {
    *next++ = kRawEvent | bits << 16 | value;
    raw_bits += bits;
    return value;
  }
  uint32_t number_at(uint32_t place) const {
    const int level = source.levels[level_at(place, source.stride)];
    return static_cast<uint32_t>(level < 0 ? -level : level) - 2;
  }
};

constexpr std::array<uint32_t, kWhole> kReciprocals = [] {
  std::array<uint32_t, kWhole> r{};
  for (uint32_t i = 1; i < r.size(); ++i) r[i] = UINT32_MAX / i;
  return r;
}();

// The way back from RansReader, from the last event to the first; bytes are written downwards.
class RansWriter {
 public:
  explicit RansWriter(uint8_t* end) : at_(end) {}
  void put(uint32_t event) {
    if ((event & kRawEvent) != 0) {
      const uint32_t bits = event >> 16 & 31U;
      flush(state_ >> (32 - bits) != 0);
      state_ = state_ << bits | (event & 0xffffU);
    } else {
      const uint32_t size = event >> 16;
      flush(state_ >> (32 - kProbabilityBits) >= size);
      // The reciprocal was rounded down, so the quotient is right or one too small.
      auto quotient = static_cast<uint32_t>(uint64_t{state_} * kReciprocals[size] >> 32);
      uint32_t rest = state_ - quotient * size;
      const uint32_t more = rest >= size ? 1 : 0;
      quotient += more;
      rest -= more * size;
      state_ = (quotient << kProbabilityBits) + rest + (event & 0xffffU);
    }
  }
  uint8_t* finish() {
    const bool two_words = state_ >= kLeastState || words_;
    const uint32_t low = state_;
    state_ >>= 16;
    flush(two_words);
    state_ = low;
    flush(true);
    return at_;
  }

 private:
  // Whether a word is due cannot be foretold, so there is no branch.
  void flush(bool due) {
    at_[-1] = static_cast<uint8_t>(state_ >> 8);
    at_[-2] = static_cast<uint8_t>(state_);
    at_ -= due ? 2 : 0;
    state_ >>= due ? 16 : 0;
    words_ |= due;
  }
  uint8_t* at_;
  uint32_t state_ = kFirstState;
  bool words_ = false;
};

// A tile that the border of the subband cuts, with zeros beyond.
void copy_cut(const TileSet& set, const Level* band, int y, int x, Level* tile) {
  std::fill_n(tile, kTileSide * kTileSide, Level{0});
  const int width = std::min(kTileSide, set.cols - x);
  for (int i = 0; i < std::min(kTileSide, set.rows - y); ++i) {
    std::copy_n(band + static_cast<ptrdiff_t>(y + i) * set.cols + x, width, tile + i * kTileSide);
  }
}

}  // namespace

TileEncoder::TileEncoder(std::vector<TileSet> sets, const TileTables& tables)
    : sets_(std::move(sets)), tables_(tables) {
  size_t lowpass = 0;
  for (const TileSet& s : sets_) lowpass = std::max(lowpass, s.lowpass ? s.levels() : 0);
  errors_.resize(lowpass);
}

bool TileEncoder::prediction_pays(std::span<const Level* const> planes) const {
  uint64_t levels = 0;
  uint64_t errors = 0;
  for (const TileSet& s : sets_) {
    if (!s.lowpass) continue;
    const Level* const data = planes[static_cast<size_t>(s.plane)] + s.offsets[0];
    for (int y = 0; y < s.rows; ++y) {
      for (int x = 0; x < s.cols; ++x) {
        levels += static_cast<uint64_t>(std::abs(int{data[static_cast<ptrdiff_t>(y) * s.cols + x]}));
        errors += static_cast<uint64_t>(std::abs(int{lowpass_error(data, s.cols, y, x)}));
      }
    }
  }
  return errors < levels;
}

const Level* TileEncoder::find_errors(const TileSet& set, const Level* levels) {
  Level* error = errors_.data();
  for (int y = 0; y < set.rows; ++y) {
    for (int x = 0; x < set.cols; ++x) *error++ = lowpass_error(levels, set.cols, y, x);
  }
  return errors_.data();
}

uint32_t TileEncoder::find_parts(const TileSet& set, std::span<const Level* const> bands,
                                 const TilePlace& place) {
  const int y = place.y();
  const int x = place.x();
  const bool cut = y + kTileSide > set.rows || x + kTileSide > set.cols;
  uint32_t mask = 0;
  for (size_t b = 0; b < static_cast<size_t>(set.bands); ++b) {
    Source& source = sources_[b];
    source = {bands[b] + static_cast<ptrdiff_t>(y) * set.cols + x, static_cast<size_t>(set.cols)};
    if (cut) {
      copy_cut(set, bands[b], y, x, cut_[b].data());
      source = {cut_[b].data(), kTileSide};
    }
    quads_[b] = find_quads(source.levels, source.stride);
    mask |= (quads_[b] != 0 ? 1U : 0U) << b;
  }
  return mask;
}

uint32_t TileEncoder::code_tile(const TileSet& set, uint32_t row, uint64_t skips, uint32_t mask) {
  events_.reserve(event_count_ + kMostEvents, event_count_);
  chosen_.reserve(chosen_count_ + kMostChosen, chosen_count_);
  uint32_t cost = 0;
  EventWriter writer{{},
                     &tables_,
                     counts_,
                     events_.data(),
                     events_.data() + event_count_,
                     chosen_.data() + chosen_count_,
                     exact_cost_,
                     model_costs_};
  if (tiles_ == 0) start_piece(writer, walk_, around_, 0);
  code_bands(writer, static_cast<uint32_t>(set.bands), row, around_, skips, mask);
  if (mask != 0) find_skip_rows(skips, walk_.skips);
  for (size_t b = 0; b < static_cast<size_t>(set.bands); ++b) {
    uint64_t& above = around_.above[b];
    uint64_t& left = around_.left[row][b];
    if ((mask >> b & 1U) == 0) {
      if (mask >> b != 0) clear_part(parts_[b]);  // a later part looks at it
      above = left = 0;
      continue;
    }
    TileBorder border{above, left};
    writer.source = sources_[b];
    bits_of_levels(sources_[b].levels, sources_[b].stride, walk_.bits);
    walk_.part = &parts_[b];
    walk_.sibling0 = &parts_[b > 0 ? b - 1 : 0];
    walk_.sibling1 = &parts_[b > 1 ? b - 2 : 0];
    walk_.siblings = static_cast<uint32_t>(std::min<size_t>(b, kMostSiblings));
    walk_.quads = quads_[b];
    start_part(writer, walk_, border);
    PartCounts counts;
    EventWriter in_registers = writer;
    for (uint64_t rest = walk_.quads; rest != 0; rest &= rest - 1) {
      code_quad(in_registers, walk_, counts, lowest_bit(rest));
    }
    writer = in_registers;
    end_part(writer, walk_, counts, border);
    above = border.above;
    left = border.left;
    cost += part_cost(static_cast<uint32_t>(std::popcount(quads_[b])), counts.numbers,
                      std::exchange(writer.raw_bits, 0) - counts.levels);  // without signs
  }
  event_count_ = static_cast<size_t>(writer.next - events_.data());
  chosen_count_ = static_cast<size_t>(writer.next_chosen - chosen_.data());
  exact_cost_ = writer.cost;
  model_costs_ = writer.model_costs;
  return tile_cost(cost);
}

// Gives the events that wait for it their tables.
void TileEncoder::choose_model() {
  const uint32_t model = model_costs_.cheapest();
  uint32_t* const events = events_.data();
  events[0] = interval_event(tables_, kModelTables, model);
  for (size_t i = 0; i < chosen_count_; ++i) {
    uint32_t& event = events[chosen_.data()[i]];
    const uint32_t table = (event >> 4) + model * kTablesOfModel;
    const uint32_t s = event & 15U;
    event = interval_event(tables_, table, s);
    if (counts_ != nullptr) ++(*counts_)[table][s];
  }
  if (counts_ != nullptr) {
    --(*counts_)[kModelTables][0];
    ++(*counts_)[kModelTables][model];
  }
}

void TileEncoder::code_set(const TileSet& set, const Level* plane, const TileSide& side, bool predict) {
  std::array<const Level*, kTileBands> bands{};
  for (size_t b = 0; b < static_cast<size_t>(set.bands); ++b) bands[b] = plane + set.offsets[b];
  if (set.lowpass && predict) bands[0] = find_errors(set, bands[0]);
  TilePlace place(set, 0);
  for (size_t i = 0; i < set.tiles(); ++i, place.next(set)) {
    if (place.begins_strip()) around_ = {};
    const uint32_t mask = find_parts(set, bands, place);
    zero_ = zero_ && mask == 0;
    const uint64_t before = cost_;
    cost_ += code_tile(set, static_cast<uint32_t>(place.row), skips_of(side, set, place), mask);
    ++tiles_;
    if (piece_of(cost_) != piece_of(before)) end_piece();
  }
}

void TileEncoder::end_piece() {
  const size_t most = zero_ ? 0 : 2 * event_count_ + 8;
  bytes_.reserve(size_ + 2 * most, size_);
  uint8_t* const end = bytes_.data() + size_ + 2 * most;
  uint8_t* at = end;
  if (!zero_) {
    choose_model();
    RansWriter writer(end);
    for (size_t i = event_count_; i-- > 0;) writer.put(events_.data()[i]);
    at = writer.finish();
  }
  const auto size = static_cast<size_t>(end - at);
  std::copy(at, end, bytes_.data() + size_);  // downwards
  size_ += size;
  pieces_.push_back({tiles_, size});
  event_count_ = 0;
  chosen_count_ = 0;
  exact_cost_ = 0;
  model_costs_ = {};
  tiles_ = 0;
  zero_ = true;
  around_ = {};
}

size_t TileEncoder::encode(std::span<const Level* const> planes, const TileSide& side,
                           Growing<uint8_t>& out) {
  size_ = 0;
  cost_ = 0;
  pieces_.clear();
  const bool predict = prediction_pays(planes);
  for (const TileSet& s : sets_) code_set(s, planes[static_cast<size_t>(s.plane)], side, predict);
  if (tiles_ > 0) end_piece();
  if (size_ == 0) return 0;

  TileIndexWriter index(out, pieces_.size(), predict, size_);
  for (size_t i = 0; i + 1 < pieces_.size(); ++i) index.put(pieces_[i].tiles, pieces_[i].bytes);
  std::memcpy(out.data() + index.size(), bytes_.data(), size_);
  return index.size() + size_;
}

}  // namespace ctv

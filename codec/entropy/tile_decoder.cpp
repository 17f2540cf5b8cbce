// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/model/lowpass_prediction.hpp"
#include "codec/util/parallel.hpp"

namespace ctv {
namespace {

constexpr size_t kReadBeyond = 8;
constexpr size_t kGrain = size_t{1} << 16;  // levels that a thread clears per step

size_t clearing_tasks(const TileSet& s) { return (s.levels() / kGrain + 1) * static_cast<size_t>(s.bands); }

void add_predictions(const TileSet& set, Level* levels) {
  Level* level = levels;
  for (int y = 0; y < set.rows; ++y) {
    for (int x = 0; x < set.cols; ++x, ++level) {
      *level = static_cast<Level>(*level + predict_lowpass(levels, set.cols, y, x));
    }
  }
}

}  // namespace

TileDecoder::TileDecoder(std::vector<TileSet> sets, const TileTables& tables, int threads)
    : sets_(std::move(sets)), tables_(tables), threads_(threads) {
  for (const TileSet& s : sets_) tiles_ += s.tiles();
}

size_t TileDecoder::start(std::span<const uint8_t> bytes, std::span<Level* const> planes,
                          const TileSide& side) {
  size_t tasks = 0;
  for (const TileSet& s : sets_) tasks += clearing_tasks(s);
  parallel_for(threads_, static_cast<int>(tasks), [&](int i) {
    auto task = static_cast<size_t>(i);
    const TileSet* s = sets_.data();
    for (; task >= clearing_tasks(*s); ++s) task -= clearing_tasks(*s);
    const size_t of_band = clearing_tasks(*s) / static_cast<size_t>(s->bands);
    Level* const band = planes[static_cast<size_t>(s->plane)] + s->offsets[task / of_band];
    task %= of_band;
    std::fill(band + s->levels() * task / of_band, band + s->levels() * (task + 1) / of_band, Level{0});
  });
  std::copy(planes.begin(), planes.end(), planes_.begin());
  side_ = side;
  damaged_ = -1;
  tasks_ = 0;
  state_ = State::kZeros;
  if (bytes.empty()) return 0;
  state_ = State::kDamaged;
  if (!read_tile_index(bytes, tiles_, pieces_, predicted_)) return 0;
  bytes_.reserve(bytes.size() + kReadBeyond);
  std::memcpy(bytes_.data(), bytes.data(), bytes.size());
  std::memset(bytes_.data() + bytes.size(), 0, kReadBeyond);
  tasks = tile_tasks(pieces_.size());
  if (workers_.size() < tasks) {
    workers_.clear();  // they have no state to keep
    workers_.shrink_to_fit();
    workers_.reserve(tasks);
    for (size_t i = 0; i < tasks; ++i) workers_.emplace_back(tables_);
  }
  state_ = State::kPieces;
  tasks_ = tasks;
  return tasks;
}

void TileDecoder::run(size_t task) {
  Worker& worker = workers_[task];
  worker.damaged = -1;
  for (size_t i = pieces_.size() * task / tasks_; i < pieces_.size() * (task + 1) / tasks_; ++i) {
    if (pieces_[i].size == 0) continue;  // all levels are 0
    const bool sound = worker.decoder.decode(sets_, planes_, side_, pieces_[i], bytes_.data());
    if (!sound && worker.damaged < 0) worker.damaged = static_cast<int>(i);
  }
}

bool TileDecoder::finish() {
  if (state_ != State::kPieces) return state_ == State::kZeros;
  for (size_t i = tasks_; i-- > 0;) damaged_ = workers_[i].damaged < 0 ? damaged_ : workers_[i].damaged;
  if (damaged_ >= 0) return false;
  for (const TileSet& s : sets_) {
    if (predicted_ && s.lowpass) add_predictions(s, planes_[static_cast<size_t>(s.plane)] + s.offsets[0]);
  }
  return true;
}

bool TileDecoder::decode(std::span<const uint8_t> bytes, std::span<Level* const> planes,
                         const TileSide& side) {
  const size_t tasks = start(bytes, planes, side);
  for (size_t i = 0; i < tasks; ++i) run(i);
  return finish();
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_encoder.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "codec/entropy/tile_index.hpp"
#include "codec/model/lowpass_prediction.hpp"
#include "codec/util/parallel.hpp"

namespace ctv {
namespace {

constexpr size_t kTilesOfThreads = 256;  // a single thread takes fewer

}  // namespace

TileEncoder::TileEncoder(std::vector<TileSet> sets, const TileTables& tables, int threads)
    : sets_(std::move(sets)), tables_(tables), threads_(threads), strips_(strips_of(sets_)) {
  size_t lowpass = 0;
  size_t tiles = 0;
  for (const TileSet& s : sets_) {
    lowpass += s.lowpass ? s.levels() : 0;
    tiles += s.tiles();
  }
  errors_.resize(lowpass);
  quads_.resize(tiles);
  sums_.resize(tiles);
}

// Finds levels of lowpasses, or their prediction errors if these are smaller, and the sums of their tiles. A
// plane has at most one lowpass.
void TileEncoder::begin_lowpass() {
  uint64_t levels = 0;
  uint64_t errors = 0;
  Level* error = errors_.data();
  for (const TileSet& s : sets_) {
    if (!s.lowpass) continue;
    const Level* const data = levels_.planes[static_cast<size_t>(s.plane)] + s.offsets[0];
    levels_.errors[static_cast<size_t>(s.plane)] = error;
    for (int y = 0; y < s.rows; ++y) {
      for (int x = 0; x < s.cols; ++x) {
        *error = lowpass_error(data, s.cols, y, x);
        levels += static_cast<uint64_t>(std::abs(int{data[static_cast<ptrdiff_t>(y) * s.cols + x]}));
        errors += static_cast<uint64_t>(std::abs(int{*error++}));
      }
    }
  }
  predict_ = errors < levels;
  if (!predict_) levels_.errors = {};
  for (const TileSet& s : sets_) {
    for (size_t row = 0; s.lowpass && row < s.tile_rows(); row += kStripTiles)
      sum_strip(s, row, levels_, quads_, sums_);
  }
}

size_t TileEncoder::start(std::span<const Level* const> planes, const TileSide& side) {
  levels_ = {};
  std::copy(planes.begin(), planes.end(), levels_.planes.begin());
  side_ = side;
  tasks_ = 0;
  // The lowpass is the first task, since it takes longest.
  parallel_for(quads_.size() < kTilesOfThreads ? 1 : threads_, static_cast<int>(strips_.size()) + 1,
               [&](int i) {
                 if (i == 0) return begin_lowpass();
                 const TileStrip& strip = strips_[static_cast<size_t>(i) - 1];
                 sum_strip(sets_[strip.set], strip.first, levels_, quads_, sums_);
               });
  cut_pieces(sums_, pieces_);
  sizes_.resize(pieces_.size());
  const size_t tasks = tile_tasks(pieces_.size());
  while (workers_.size() < tasks) workers_.emplace_back(tables_);
  tasks_ = tasks;
  return tasks;
}

void TileEncoder::code(size_t task) {
  Worker& worker = workers_[task];
  worker.size = 0;
  // The tables have left the caches since the last frame, and symbols access them in random order.
  constexpr size_t kOfALine = 64 / sizeof(SymbolTable);
  for (size_t i = 0; i < tables_.symbols.size(); i += kOfALine) __builtin_prefetch(&tables_.symbols[i]);
  const size_t end = pieces_.size() * (task + 1) / tasks_;
  for (size_t i = pieces_.size() * task / tasks_; i < end; i += TilePieceEncoder::kPiecesAtOnce) {
    const auto pieces = std::span(pieces_).subspan(i, std::min(TilePieceEncoder::kPiecesAtOnce, end - i));
    worker.size += worker.encoder.encode(sets_, levels_, side_, pieces, quads_, worker.bytes, worker.size,
                                         counts_, sizes_.data() + i);
  }
}

size_t TileEncoder::finish(Growing<uint8_t>& out) {
  size_t bytes = 0;
  for (size_t i = 0; i < tasks_; ++i) bytes += workers_[i].size;
  if (bytes == 0) return 0;
  TileIndexWriter index(out, pieces_.size(), predict_, bytes);
  for (size_t i = 0; i + 1 < pieces_.size(); ++i) index.put(pieces_[i].tiles, sizes_[i]);
  uint8_t* at = out.data() + index.size();
  for (size_t i = 0; i < tasks_; ++i) {
    at = std::copy_n(workers_[i].bytes.data(), workers_[i].size, at);
  }
  return index.size() + bytes;
}

size_t TileEncoder::encode(std::span<const Level* const> planes, const TileSide& side,
                           Growing<uint8_t>& out) {
  const size_t tasks = start(planes, side);
  for (size_t i = 0; i < tasks; ++i) code(i);
  return finish(out);
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/residual_encoder.hpp"

#include <algorithm>

#include "codec/entropy/piece_writer.hpp"
#include "codec/entropy/residual_tables.hpp"
#include "codec/entropy/tile_index.hpp"
#include "codec/model/residual_pieces.hpp"
#include "codec/model/residual_walk.hpp"

namespace ctv {
namespace {

// Upper bound for a macroblock with three planes at full resolution: modes, and per quad a pattern, four
// magnitudes of three symbols, and signs.
constexpr size_t kMostEvents = 64 + 3 * 64 * 14;
// Target size of a region: it fits in a datagram with its headers.
constexpr size_t kRegionBytes = 1000;

}  // namespace

// Notes symbols as events.
struct ResidualEncoder::Writer : EventWriter {
  static constexpr bool kDecodes = false;
  ResidualCounts* counts;
  uint32_t symbol(uint32_t table, uint32_t s) {
    if (counts != nullptr) ++(*counts)[table][s];
    return EventWriter::symbol(table, s);
  }
};

void ResidualEncoder::cut_pieces() {
  pieces_.clear();
  first_.clear();
  empty_.clear();
  uint64_t before = 0;
  uint64_t number = UINT64_MAX;
  const Macroblock* const all = frame_.side.macroblocks;
  for (size_t i = 0; i < grid_.size(); ++i) {
    const uint64_t own = residual_piece_of(before, all[i].cost);
    before += all[i].cost;
    if (own != number) {
      pieces_.push_back({0, 0});
      first_.push_back(i);
      empty_.push_back(1);
      number = own;
    }
    ++pieces_.back().tiles;
    if (all[i].coded()) empty_.back() = 0;
  }
}

size_t ResidualEncoder::start_encoding(const CodedFrame& frame, Growing<uint8_t>&) {
  frame_ = frame;
  tasks_ = 0;
  if (frame.is_coded(0)) return 0;
  cut_pieces();
  tasks_ = tile_tasks(pieces_.size());
  if (workers_.size() < tasks_) workers_.resize(tasks_);
  return tasks_;
}

size_t ResidualEncoder::encode_piece(size_t first, size_t count, Worker& worker) {
  Writer writer{{residual_tables(), nullptr}, counts_};
  size_t noted = 0;
  ResidualNeighbours around;
  around.clear();
  MacroblockPlace place(grid_, first);
  for (size_t i = first; i < first + count; ++i, place.next(grid_)) {
    if (place.begins_strip()) around.clear();
    const uint32_t skipped = skipped_quarters(cells_, frame_.side.skips, place.strip + place.row, place.col);
    if (skipped == kAllSkipped) {
      pass_macroblock(around, place.row);
      continue;
    }
    writer.next = worker.events.reserve(noted + kMostEvents, noted) + noted;
    Macroblock m = frame_.side.macroblocks[i];
    // code_macroblock() also decodes, so its levels are not const.
    Level* const levels[3] = {const_cast<Level*>(frame_.levels[0]) + i * kLumaLevels,
                              const_cast<Level*>(frame_.levels[1]) + i * grid_.levels(1),
                              const_cast<Level*>(frame_.levels[2]) + i * grid_.levels(2)};
    code_macroblock(writer, grid_, around, place.row, skipped, m, levels);
    noted = static_cast<size_t>(writer.next - worker.events.data());
  }
  const std::span<const uint32_t> events(worker.events.data(), noted);
  return write_events(events, worker.bytes, worker.size);
}

void ResidualEncoder::run(size_t task) {
  Worker& worker = workers_[task];
  worker.size = 0;
  for (size_t i = pieces_.size() * task / tasks_; i < pieces_.size() * (task + 1) / tasks_; ++i) {
    if (empty_[i] != 0) continue;
    const size_t bytes = encode_piece(first_[i], pieces_[i].tiles, worker);
    pieces_[i].bytes = static_cast<uint32_t>(bytes);
    worker.size += bytes;
  }
}

size_t ResidualEncoder::finish_encoding(Growing<uint8_t>& out) {
  if (!frame_.is_coded(0)) {
    size_t bytes = 0;
    for (size_t i = 0; i < tasks_; ++i) bytes += workers_[i].size;
    uint8_t* at = joined_.reserve(bytes);
    for (size_t i = 0; i < tasks_; ++i) at = std::copy_n(workers_[i].bytes.data(), workers_[i].size, at);
    coded_.pieces = pieces_;
    coded_.bytes = {joined_.data(), bytes};
  } else {
    coded_ = frame_.tiles[0];
  }
  make_regions(out);
  return 0;
}

void ResidualEncoder::make_regions(Growing<uint8_t>& heads) {
  regions_.clear();
  if (coded_.bytes.empty()) return;
  // A piece begins a region if this number differs from that of the piece before.
  const size_t most =
      resilient_ ? std::max(kRegionBytes, coded_.bytes.size() / (kMostRegions - 2)) : SIZE_MAX;
  const auto region_of = [&](size_t before, const CodedPiece& piece) {
    return (before + piece.bytes / 2) / most;
  };
  size_t head = 0;
  size_t before = 0;
  for (size_t i = 0; i < coded_.pieces.size();) {
    const std::span<const CodedPiece> rest = coded_.pieces.subspan(i);
    const size_t number = region_of(before, rest[0]);
    WrittenRegion region;
    size_t bytes = 0;
    size_t count = 0;
    for (; count < rest.size() && region_of(before + bytes, rest[count]) == number; ++count) {
      bytes += rest[count].bytes;
      region.macroblocks += rest[count].tiles;
    }
    TileIndexWriter index(heads, count, false, 0, head);
    for (const CodedPiece& p : rest.first(count - 1)) index.put(p.tiles, p.bytes);
    region.head_begin = head;
    region.head_size = index.size();
    region.bytes = coded_.bytes.subspan(before, bytes);
    regions_.push_back(region);
    head += index.size();
    before += bytes;
    i += count;
  }
}

size_t ResidualEncoder::encode(const CodedFrame& frame, Growing<uint8_t>& out) {
  const size_t tasks = start_encoding(frame, out);
  for (size_t i = 0; i < tasks; ++i) run(i);
  return finish_encoding(out);
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/residual_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "codec/entropy/residual_tables.hpp"
#include "codec/entropy/tile_index.hpp"
#include "codec/model/residual_pieces.hpp"
#include "codec/model/residual_walk.hpp"

namespace ctv {
namespace {

constexpr size_t kReadBeyond = 8;

struct Reader : RansReader {
  using RansReader::RansReader;
  void clear(Level* levels, int count) { std::fill_n(levels, count, Level{0}); }
};

}  // namespace

bool RegionDecoder::read_index(std::span<const uint8_t> bytes) {
  bool predicted = false;
  if (!read_tile_index(bytes, count_, pieces_, predicted, kMostPieceMacroblocks) || predicted) return false;
  for (TilePiece& p : pieces_) p.first += first_;
  return true;
}

bool RegionDecoder::decode_piece(const TilePiece& piece) {
  Macroblock* const all = frame_.side.macroblocks;
  std::fill_n(all + piece.first, piece.tiles, Macroblock{});
  if (piece.size == 0) return true;
  Reader reader(residual_tables(), bytes_.data() + piece.begin, piece.size);
  ResidualNeighbours around;
  around.clear();
  MacroblockPlace place(grid_, piece.first);
  for (size_t i = piece.first; i < piece.first + piece.tiles; ++i, place.next(grid_)) {
    if (place.begins_strip()) around.clear();
    const uint32_t skipped = skipped_quarters(cells_, frame_.side.skips, place.strip + place.row, place.col);
    if (skipped == kAllSkipped) {
      pass_macroblock(around, place.row);
      continue;
    }
    Level* const levels[3] = {frame_.levels[0] + i * kLumaLevels, frame_.levels[1] + i * grid_.levels(1),
                              frame_.levels[2] + i * grid_.levels(2)};
    code_macroblock(reader, grid_, around, place.row, skipped, all[i], levels);
  }
  return reader.sound();
}

size_t RegionDecoder::start_decoding(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) {
  frame_ = frame;
  tasks_ = 0;
  whole_ = true;
  if (!bytes.empty() && read_index(bytes)) {
    bytes_.reserve(bytes.size() + kReadBeyond);
    std::memcpy(bytes_.data(), bytes.data(), bytes.size());
    std::memset(bytes_.data() + bytes.size(), 0, kReadBeyond);
    tasks_ = tile_tasks(pieces_.size());
    return tasks_;
  }
  whole_ = bytes.empty();
  std::fill_n(frame.side.macroblocks + first_, count_, Macroblock{});
  return 0;
}

void RegionDecoder::run(size_t task) {
  bool sound = true;
  for (size_t i = pieces_.size() * task / tasks_; i < pieces_.size() * (task + 1) / tasks_; ++i)
    sound = decode_piece(pieces_[i]) && sound;
  sound_[task] = sound;
}

bool RegionDecoder::finish_decoding() {
  return whole_ && std::all_of(sound_.begin(), sound_.begin() + static_cast<ptrdiff_t>(tasks_),
                               [](bool sound) { return sound; });
}

bool RegionDecoder::decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) {
  const size_t tasks = start_decoding(bytes, frame);
  for (size_t i = 0; i < tasks; ++i) run(i);
  return finish_decoding();
}

bool RegionDecoder::send(std::span<const uint8_t> bytes, size_t component, ComponentReceiver& receiver) {
  return bytes.empty() || (read_index(bytes) && receiver.put(component, bytes, pieces_, false));
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The head of a component (docs/entropy.md): 2 (pieces - 1) + whether lowpass subbands are predicted, then
// tiles and words of every piece but the last, which has the rest. All are varints; words are told as what
// they differ from the piece before, 2 n if larger by n, 2 n - 1 if smaller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/model/tile_cost.hpp"
#include "codec/model/tile_sets.hpp"

namespace ctv {

inline constexpr size_t kUsualWords = 200;  // before the first piece

/// A component's pieces are coded in so many tasks, of pieces that follow each other.
inline constexpr size_t kMostTileTasks = 16;
inline constexpr size_t kPiecesOfTask = 4;  // about, at least
constexpr size_t tile_tasks(size_t pieces) {
  return std::clamp(pieces / kPiecesOfTask, size_t{1}, kMostTileTasks);
}

class TileIndexWriter {
 public:
  TileIndexWriter(Growing<uint8_t>& out, size_t pieces, bool predicted, size_t payload) : out_(out) {
    out_.reserve(10 * (pieces + 1) + payload);
    varint(2 * (pieces - 1) + (predicted ? 1 : 0));
  }
  /// bytes: even.
  void put(size_t tiles, size_t bytes) {
    const size_t words = bytes / 2;
    varint(tiles);
    varint(words >= words_ ? 2 * (words - words_) : 2 * (words_ - words) - 1);
    words_ = words;
  }
  size_t size() const { return size_; }

 private:
  void varint(size_t v) {
    for (; v >= 128; v >>= 7) out_.data()[size_++] = static_cast<uint8_t>(v | 128U);
    out_.data()[size_++] = static_cast<uint8_t>(v);
  }
  Growing<uint8_t>& out_;
  size_t size_ = 0;
  size_t words_ = kUsualWords;
};

/// Fills `pieces`, of a component of so many tiles. Returns false if pieces exceed tiles or bytes, or one is
/// too long; then nothing of them may be decoded.
inline bool read_tile_index(std::span<const uint8_t> bytes, size_t tiles, auto& pieces, bool& predicted) {
  size_t at = 0;
  const auto varint = [&](size_t& v) {
    v = 0;
    for (int shift = 0; shift < 35 && at < bytes.size(); shift += 7) {
      const uint8_t b = bytes[at++];
      v |= static_cast<size_t>(b & 127U) << shift;
      if (b < 128) return true;
    }
    return false;
  };
  size_t head = 0;
  if (!varint(head) || (head >> 1) >= tiles) return false;
  predicted = (head & 1U) != 0;
  pieces.assign((head >> 1) + 1, {});
  size_t first = 0;
  size_t total = 0;
  size_t words = kUsualWords;
  for (size_t i = 0; i < pieces.size(); ++i) {
    TilePiece& p = pieces[i];
    if (i + 1 == pieces.size()) {
      if (total > bytes.size() - at) return false;
      p.tiles = tiles - first;
      p.size = bytes.size() - at - total;
    } else {
      size_t change = 0;
      if (!varint(p.tiles) || !varint(change) || p.tiles == 0) return false;
      const size_t less = (change + 1) / 2;
      if (change % 2 != 0 && less > words) return false;
      words = change % 2 != 0 ? words - less : words + change / 2;
      p.size = 2 * words;
    }
    // At once, since the sum of what many pieces claim may wrap.
    if (p.tiles > kMostPieceTiles || p.size > bytes.size() - total) return false;
    p.first = first;
    p.begin = total;
    first += p.tiles;
    total += p.size;
    // Each piece leaves a tile to each later one.
    if (first + (pieces.size() - 1 - i) > tiles) return false;
  }
  for (TilePiece& p : pieces) p.begin += at;
  return true;
}

}  // namespace ctv

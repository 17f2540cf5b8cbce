// SPDX-License-Identifier: BSD-3-Clause
// Head of a component (docs/entropy.md), in varints: 2 (pieces - 1) + whether lowpass subbands are predicted;
// then tiles and words of every piece except the last, which has the rest. Words are coded as difference from
// the piece before: 2 n if larger by n, 2 n - 1 if smaller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/growing.hpp"
#include "codec/model/tile_cost.hpp"
#include "codec/model/tile_sets.hpp"

namespace ctv {

inline constexpr size_t kUsualWords = 200;  // prediction of the first piece

/// Largest number of tasks per component. A task has consecutive pieces.
inline constexpr size_t kMostTileTasks = 16;
inline constexpr size_t kPiecesOfTask = 4;  // least number, roughly
constexpr size_t tile_tasks(size_t pieces) {
  return std::clamp(pieces / kPiecesOfTask, size_t{1}, kMostTileTasks);
}

class TileIndexWriter {
 public:
  /// Appends to `out`, which has `at` bytes, and reserves room for `payload`.
  TileIndexWriter(Growing<uint8_t>& out, size_t pieces, bool predicted, size_t payload, size_t at = 0)
      : out_(out), at_(at) {
    out_.reserve(at + 10 * (pieces + 1) + payload, at);
    varint(2 * (pieces - 1) + (predicted ? 1 : 0));
  }
  /// bytes: an even number.
  void put(size_t tiles, size_t bytes) {
    const size_t words = bytes / 2;
    varint(tiles);
    varint(words >= words_ ? 2 * (words - words_) : 2 * (words_ - words) - 1);
    words_ = words;
  }
  size_t size() const { return size_; }

 private:
  void varint(size_t v) {
    for (; v >= 128; v >>= 7) out_.data()[at_ + size_++] = static_cast<uint8_t>(v | 128U);
    out_.data()[at_ + size_++] = static_cast<uint8_t>(v);
  }
  Growing<uint8_t>& out_;
  size_t at_;
  size_t size_ = 0;
  size_t words_ = kUsualWords;
};

/// Reads the pieces of a component of `tiles` tiles. most: tiles per piece. Returns false if the pieces
/// exceed tiles or bytes, or one is too long; none may be decoded then.
inline bool read_tile_index(std::span<const uint8_t> bytes, size_t tiles, auto& pieces, bool& predicted,
                            size_t most = kMostPieceTiles) {
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
    // Checked at each piece, since the sum over many pieces may wrap.
    if (p.tiles > most || p.size > bytes.size() - total) return false;
    p.first = first;
    p.begin = total;
    first += p.tiles;
    total += p.size;
    // Each later piece needs at least one tile.
    if (first + (pieces.size() - 1 - i) > tiles) return false;
  }
  for (TilePiece& p : pieces) p.begin += at;
  return true;
}

}  // namespace ctv

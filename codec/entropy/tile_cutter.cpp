// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/tile_cutter.hpp"

#include <algorithm>
#include <bit>

#include "codec/util/host_device.hpp"

namespace ctv {

namespace {

// Visits levels row by row, in memory order, for the hardware prefetcher. strip: its first tile row; tiles:
// of the set.
void find_quads_of(const TileSet& set, size_t b, size_t strip, const Level* band,
                   std::span<TileQuads> tiles) {
  const size_t whole = static_cast<size_t>(set.cols) / kTileSide;  // tiles that are not cut on the right
  const auto rest = static_cast<size_t>(set.cols) % kTileSide;
  Level cut[2][kTileSide] = {};
  TilePlace place;
  place.strip = strip;
  const size_t height = place.height_of(set);
  const int end = std::min(set.rows, static_cast<int>(strip + height) * kTileSide);
  for (int y = place.y(); y < end; y += 2) {
    const auto row = static_cast<size_t>(y / kTileSide);
    TileQuads* const to = &tiles[strip * set.tile_cols() + row % kStripTiles];
    const int shift = y % kTileSide / 2 * kTileQuads;
    const Level* upper = band + static_cast<ptrdiff_t>(y) * set.cols;
    const Level* lower = y + 1 < set.rows ? upper + set.cols : upper;
    find_quads(upper, lower, whole, b, shift, to, height);
    if (rest == 0) continue;
    std::copy_n(upper + whole * kTileSide, rest, cut[0]);
    std::copy_n(lower + whole * kTileSide, rest, cut[1]);
    find_quads(cut[0], cut[1], 1, b, shift, to + whole * height, height);
  }
}

}  // namespace

std::vector<TileStrip> strips_of(const std::vector<TileSet>& sets) {
  std::vector<TileStrip> strips;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].lowpass) continue;
    for (size_t row = 0; row < sets[i].tile_rows(); row += kStripTiles) strips.push_back({i, row});
  }
  // Compares first / tile_rows() without a division.
  std::stable_sort(strips.begin(), strips.end(), [&](const TileStrip& a, const TileStrip& b) {
    return a.first * sets[b.set].tile_rows() < b.first * sets[a.set].tile_rows();
  });
  return strips;
}

void sum_strip(const TileSet& set, size_t first, const TileLevels& levels, std::span<TileQuads> quads,
               std::span<TileSums> sums) {
  const auto bands = static_cast<size_t>(set.bands);
  TilePlace place;
  place.strip = first;
  const size_t begin = set.first + first * set.tile_cols();
  const size_t end = begin + place.height_of(set) * set.tile_cols();
  std::fill(quads.begin() + static_cast<std::ptrdiff_t>(begin),
            quads.begin() + static_cast<std::ptrdiff_t>(end), TileQuads{});
  for (size_t b = 0; b < bands; ++b) {
    find_quads_of(set, b, first, levels.band(set, b), quads.subspan(set.first, set.tiles()));
  }
  TileSources sources;
  for (size_t tile = begin; tile < end; ++tile, place.next(set)) {
    TileSums& sum = sums[tile];
    sum = {};
    for (size_t b = 0; b < bands; ++b) {
      if (quads[tile][b] == 0) continue;
      const TileSource source = sources.at(set, place, levels.band(set, b), b);
      const LargeSums large = sum_large(source.levels, source.stride);
      const auto count = static_cast<uint32_t>(std::popcount(quads[tile][b]));
      sum.packed += part_sums(count, large.levels, large.raw_bits).packed;
    }
  }
}

void cut_pieces(std::span<const TileSums> sums, std::vector<CutPiece>& pieces) {
  pieces.clear();
  uint64_t before = 0;
  TileSums piece{};
  size_t first = 0;
  for (size_t tile = 0; tile < sums.size(); ++tile) {
    const uint32_t cost = tile_cost(sums[tile]);
    piece.packed += sums[tile].packed;
    const uint64_t number = piece_of(before, cost);
    before += cost;
    if (tile + 1 < sums.size() && piece_of(before, tile_cost(sums[tile + 1])) == number) continue;
    pieces.push_back({first, tile + 1 - first, piece_model(piece), piece.quads() == 0});
    first = tile + 1;
    piece = {};
  }
}

}  // namespace ctv

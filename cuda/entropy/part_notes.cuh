// SPDX-License-Identifier: BSD-3-Clause
// The symbols of a part, noted by a warp.
#pragma once

#include "cuda/entropy/piece_writer.cuh"
#include "cuda/entropy/tile_notes.hpp"
#include "cuda/entropy/tile_part.cuh"

namespace ctv::cuda {

struct NoteWork {
  LevelSource levels;
  const DeviceTileSet* sets;
  const DeviceTile* tiles;
  TileCuts cuts;
  TileEvents events;
};

/// Shared memory of a warp that notes the symbols of a part.
struct alignas(8) Walker {
  TilePart part, siblings[2];
  uint8_t border[16];  // of the quads to the left, above
  PartArrays arrays;
  SkipRows skips;
  Level levels[kPartLevels];  // by place
};

/// Notes what the walk codes.
struct EventWriter : DeviceFormulas {
  static constexpr bool kDecodes = false;
  uint32_t* next;
  const Level* levels;
  __device__ EventWriter(uint32_t* events, const Level* of_part) : next(events), levels(of_part) {}
  __device__ uint32_t symbol(uint32_t table, uint32_t s) {
    *next++ = symbol_event(table, s);
    return s;
  }
  __device__ uint32_t chosen(uint32_t table, uint32_t offset, uint32_t s) {
    return symbol(table + offset, s);
  }
  __device__ uint32_t raw(uint32_t bits, uint32_t value) {
    *next++ = raw_event(bits, value);
    return value;
  }
  __device__ uint32_t number_at(uint32_t place) const {
    return static_cast<uint32_t>(abs_of(levels[place])) - 2;
  }
};

__device__ __forceinline__ QuadFacts facts_of(QuadBits bits) {
  const uint32_t mask = bits & 15U;
  return quad_facts(mask, gather_bits(mask, bits >> 4 & 15U));
}

/// A part whose symbols are known: what siblings look at. All lanes.
__device__ inline void fill_sibling(TilePart& part, const NoteWork& work, size_t number, uint32_t lane) {
  const uint64_t quads = work.cuts.quads[number];
  const auto row = [quads](uint32_t y) { return static_cast<uint32_t>(quads >> (8 * y)) & 255U; };
  const auto quarters = [&](uint32_t y) { return pairs_of_8(row(2 * y) | row(2 * y + 1)); };
  if (lane < 8) part.rows.quads[lane + 1] = row(lane) << 1;
  if (lane < 4) part.rows.quarters[lane + 1] = quarters(lane) << 1;
  if (lane < 2) part.rows.eighths[lane + 1] = pairs_of_4(quarters(2 * lane) | quarters(2 * lane + 1)) << 1;
  for (uint32_t i = lane; i < kPartQuads; i += kWarp) {
    const QuadBits bits = work.cuts.bits[kPartQuads * number + i];
    part.sums[(i / 8 + 1) * TilePart::kSumStride + i % 8 + 8] = facts_of(bits).sum;
    part.masks[i] = static_cast<uint8_t>(bits & 15U);
  }
}

/// Notes the events of a part that is not 0. All lanes. begin: the first tile of the piece. Returns, in lane
/// 0, how many.
__device__ inline uint32_t note_part(const NoteWork& work, Walker& walker, const PieceModel& model,
                                     const DeviceTile& tile, const DeviceTileSet& set, uint32_t number,
                                     uint32_t band, int begin, uint32_t lane, uint32_t* events) {
  const size_t part = size_t{tile.part} + band;
  bool large = false;
  for (uint32_t i = lane; i < kPartQuads; i += kWarp) {
    const uint32_t bits = work.cuts.bits[kPartQuads * part + i];
    walker.arrays.bits.nonzero[i] = static_cast<uint8_t>(bits & 15U);
    walker.arrays.bits.large[i] = static_cast<uint8_t>(bits >> 4 & 15U);
    walker.arrays.bits.negative[i] = static_cast<uint8_t>(bits >> 8);
    large = large || (bits & 0xf0U) != 0;
  }
  if (__any_sync(kAllLanes, large)) {
    const Level* const levels = work.levels.band(set, band);
    for (uint32_t place = lane; place < kPartLevels; place += kWarp) {
      const int y = tile.y + level_row(place);
      const int x = tile.x + level_col(place);
      walker.levels[place] = y < set.rows && x < set.cols
                                 ? levels[static_cast<size_t>(y) * static_cast<size_t>(set.cols) + x]
                                 : Level{0};
    }
  }
  if (band > 0) fill_sibling(walker.siblings[0], work, part - 1, lane);
  if (band > 1) fill_sibling(walker.siblings[1], work, part - 2, lane);
  if (lane < 16) {
    const int neighbour = lane < 8 ? tile.left : tile.above;
    const uint32_t quad = lane < 8 ? 8 * lane + 7 : kPartQuads - 8 + lane % 8;
    uint64_t edge = 0;
    if (neighbour >= begin) {
      const size_t there = size_t{work.tiles[neighbour].part} + band;
      const QuadFacts facts = facts_of(work.cuts.bits[kPartQuads * there + quad]);
      edge = facts.sum | (lane < 8 ? to_border(facts.right, 2) : to_border(facts.lower, 1));
    }
    walker.border[lane] = static_cast<uint8_t>(edge);
  }
  __syncwarp();
  uint32_t count = 0;
  if (lane == 0) {
    const TilePart* const nearest = band > 0 ? &walker.siblings[0] : &walker.part;
    const TilePart* const next = band > 1 ? &walker.siblings[1] : nearest;
    find_skip_rows(work.cuts.skips[number], walker.skips);
    DeviceWalk walk(&walker.part, nearest, next, min_of(band, kMostSiblings), walker.skips, model,
                    work.cuts.quads[part], walker.arrays);
    EventWriter writer(events, walker.levels);
    TileBorder border{load_bytes(walker.border + 8), load_bytes(walker.border)};
    PartCounts counts;
    start_part(writer, walk, border);
    for (uint64_t rest = walk.quads; rest != 0; rest &= rest - 1) {
      code_quad(writer, walk, counts, lowest_bit(rest));
    }
    end_part(writer, walk, counts, border);
    count = static_cast<uint32_t>(writer.next - events);
  }
  __syncwarp();
  return count;
}

/// The event of a tile's bands.
__device__ inline uint32_t note_bands(const NoteWork& work, const DeviceTile& tile, const DeviceTileSet& set,
                                      uint32_t number, int begin) {
  TileNeighbours around{};
  if (tile.left >= begin) {
    around.left_mask[tile.row] = work.cuts.masks[tile.left];
    around.left_known[tile.row] = 1;
  }
  if (tile.above >= begin) {
    around.above_mask = work.cuts.masks[tile.above];
    around.above_known = 1;
  }
  uint32_t event = 0;
  EventWriter writer(&event, nullptr);
  code_bands(writer, set.bands, tile.row, around, work.cuts.skips[number], work.cuts.masks[number]);
  return event;
}

}  // namespace ctv::cuda

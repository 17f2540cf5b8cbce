// SPDX-License-Identifier: BSD-3-Clause
// The walk of codec/model/tile_walk.hpp for a warp that decodes. Only steps that depend on the symbol before
// are serial, with tables instead of formulas; lanes share the others.
#pragma once

#include "cuda/entropy/part_words.cuh"
#include "cuda/entropy/piece_reader.cuh"

namespace ctv::cuda {

struct alignas(32) DecoderFormulas {
  QuadWords quads[16][16];  // [mask][large]
  TotalWords totals[kMostDigits];
  uint32_t numbers[kTableSymbols];  // by a number's symbol: number_base(); from bit 16 on number_bits()
  uint8_t scattered[16][16];        // [mask][bits]
};
constexpr DecoderFormulas make_decoder_formulas() {
  DecoderFormulas f{};
  for (uint32_t m = 0; m < 16; ++m) {
    for (uint32_t b = 0; b < 16; ++b) {
      f.quads[m][b] = quad_words(m, b);
      f.scattered[m][b] = static_cast<uint8_t>(scatter_bits(m, b));
    }
  }
  for (uint32_t t = 0; t < kMostDigits; ++t) f.totals[t] = total_words(t);
  for (uint32_t n = 0; n < kTableSymbols; ++n) f.numbers[n] = number_base(n) | number_bits(n) << 16;
  return f;
}

/// Shared memory of a warp.
struct alignas(16) PartDecoderMemory {
  DecodedPart parts[kTileBands];
  QuadWords above[kTileBands][kTileQuads];  // along the borders
  QuadWords left[kStripTiles][kTileBands][kTileQuads];
  KnownNode known[kPartQuads];
  uint16_t numbers[kPartLevels];          // in order: place, class from bit 8 on, negative in bit 12
  alignas(16) Level levels[kPartLevels];  // by row
};

class PartDecoder {
 public:
  __device__ PartDecoder(const SymbolTable* tables, const DecoderFormulas& formulas, const PieceModel& model,
                         PartDecoderMemory& memory, uint32_t lane)
      : tables_(tables), formulas_(formulas), model_(model), memory_(memory), lane_(lane) {}

  /// Clears the context of tiles on all sides; start_column(): of those above. The caller synchronises the
  /// lanes.
  __device__ void start_strip() {
    start_column();
    clear_by_warp(memory_.left, lane_);
  }
  __device__ void start_column() { clear_by_warp(memory_.above, lane_); }
  /// mask: its nonzero bands. row: in the strip.
  __device__ __forceinline__ void start_tile(uint32_t row, uint32_t mask, uint64_t skips) {
    for (uint32_t i = lane_; i < kTileBands * kTileQuads; i += kWarp) {
      if ((mask >> i / kTileQuads & 1U) != 0) continue;
      memory_.left[row][i / kTileQuads][i % kTileQuads] = {};
      memory_.above[i / kTileQuads][i % kTileQuads] = {};
    }
    for (uint32_t b = 0; mask >> b != 0; ++b) {  // context of a later part
      if ((mask >> b & 1U) == 0) clear_by_warp(memory_.parts[b], lane_);
    }
    if (mask != 0) skipped_ = find_skipped_children(skips, lane_);
    __syncwarp();
  }
  /// Decodes its nonzero band b. Leaves the levels in memory.
  __device__ __forceinline__ void decode(PieceReader& coder, uint32_t row, uint32_t b) {
    DecodedPart& part = memory_.parts[b];
    const uint64_t quads = start_part(coder, part, row, b);
    decode_quads(coder, part, b > 0 ? 1 : 0, count_bits(quads));
    finish(coder, part);
    const uint32_t i = lane_ % kTileQuads;
    if (lane_ < 8) memory_.left[row][b][i] = part.quads[place_of_quad(kTileQuads * i + 7)];
    if (lane_ >= 8 && lane_ < 16) memory_.above[b][i] = part.quads[place_of_quad(kTileQuads * 7 + i)];
    __syncwarp();
  }

 private:
  /// Decodes which quads are not 0, and stores their context.
  __device__ __forceinline__ uint64_t start_part(PieceReader& coder, DecodedPart& part, uint32_t row,
                                                 uint32_t b) {
    clear_by_warp(part, lane_);
    __syncwarp();
    const uint32_t i = lane_ % kTileQuads;
    const QuadWords beside = (lane_ < 8 ? memory_.above[b] : memory_.left[row][b])[i];
    if (lane_ < 16) part.quads[lane_ < 8 ? 2 + i : (i + 1) * kQuadStride + 1] = beside;
    const uint32_t sides = __ballot_sync(kAllLanes, beside.mask != 0);
    const uint32_t siblings = min_of(b, kMostSiblings);
    const DecodedPart& nearest = memory_.parts[b > 0 ? b - 1 : 0];
    const DecodedPart& next = memory_.parts[b > 1 ? b - 2 : 0];
    const uint32_t above = sides & 255U;
    const uint32_t left = sides >> 8 & 255U;
    const uint32_t above4 = pairs_of_8(above);
    const uint32_t left4 = pairs_of_8(left);
    decode_root(coder, part, pairs_of_4(above4), pairs_of_4(left4), nearest.root, next.root, siblings);
    decode_nodes<2>(coder, part.eighths, bits_of_nibbles(part.root), above4, left4, nearest.eighths,
                    next.eighths, skipped_.eighth, siblings);
    decode_nodes<4>(coder, part.quarters, children<4>(part.eighths, 0), above, left, nearest.quarters,
                    next.quarters, skipped_.quarter, siblings);
    const uint64_t quads = children<8>(part.quarters, 0) | uint64_t{children<8>(part.quarters, kWarp)}
                                                               << kWarp;
#pragma unroll
    for (uint32_t own = lane_; own < kPartQuads; own += kWarp) {
      if ((quads >> own & 1U) == 0) continue;
      memory_.known[quads_before(quads, own)] = know_quad(quads, own, nearest.quads, next.quads, siblings);
    }
    __syncwarp();
    return quads;
  }

  /// Mask of nonzero nodes of a scale with kSide nodes per row, from number `first` on, one lane each.
  template <uint32_t kSide>
  __device__ __forceinline__ uint32_t children(const uint32_t* parents, uint32_t first) const {
    const uint32_t i = first + lane_;
    const uint32_t y = i / kSide % kSide;
    const uint32_t x = i % kSide;
    const uint32_t mask = parents[(y / 2 + 1) * (kSide / 2 + 1) + x / 2 + 1];
    return __ballot_sync(kAllLanes, i < kSide * kSide && (mask >> (y % 2 * 8 + x % 2 * 4) & 1U) != 0);
  }
  /// Decodes the mask of a node, as nibbles.
  __device__ __forceinline__ uint32_t decode_mask(PieceReader& coder, const NodeTables& tables,
                                                  uint32_t hints, uint32_t skipped) const {
    const SymbolTable& table = tables_[table_of_mask(tables, hints, skipped)];
    const uint16_t* const begins = table.begin + lane_ % kTableSymbols;
    const uint32_t found = coder.find(begins[0], begins[1], true);
    return __shfl_sync(kAllLanes, nibbles_of_bits(lane_ % kTableSymbols), static_cast<int>(found));
  }
  /// above, left: masks of nonzero children along the neighbours' border. one, other: siblings' masks.
  __device__ __forceinline__ void decode_root(PieceReader& coder, DecodedPart& part, uint32_t above,
                                              uint32_t left, uint32_t one, uint32_t other,
                                              uint32_t siblings) {
    uint32_t hints = (above & 1U) + (above >> 1) * 0x10U + (left & 1U) + (left >> 1) * 0x100U;
    if (siblings != 0) hints += one + other;
    part.root = decode_mask(coder, node_tables<1>(siblings), hints, skipped_.root);
  }
  /// Decodes the masks of a scale's nodes. nodes: mask of nonzero nodes in raster order. Masks are stored by
  /// position, after those along the border.
  template <uint32_t kSide>
  __device__ __forceinline__ void decode_nodes(PieceReader& coder, uint32_t* masks, uint32_t nodes,
                                               uint32_t above, uint32_t left, const uint32_t* one,
                                               const uint32_t* other, uint32_t skipped, uint32_t siblings) {
    constexpr int kStride = kSide + 1;
    if (lane_ < kSide) {
      masks[lane_ + 1] = nibbles_of_bits((above >> (2 * lane_) & 3U) << 2);
      const uint32_t two = left >> (2 * lane_) & 3U;
      masks[(lane_ + 1) * kStride] = nibbles_of_bits((two & 1U) << 1 | (two & 2U) << 2);
    }
    if (lane_ < kSide * kSide && (nodes >> lane_ & 1U) != 0) {
      const uint32_t x = lane_ % kSide;
      const uint32_t place = (lane_ / kSide + 1) * kStride + x + 1;
      const uint32_t right = x == kSide - 1 ? 0 : nodes >> (lane_ + 1) & 1U;
      uint32_t hints = hints_beside(right, nodes >> (lane_ + kSide) & 1U);
      if (siblings != 0) hints += one[place] + other[place];
      const uint32_t before = count_bits(nodes & ((1U << lane_) - 1));
      memory_.known[before] = {place << 16 | hints, skipped};
    }
    __syncwarp();
    const NodeTables tables = node_tables<kSide>(siblings);
    const uint32_t count = count_bits(nodes);
#pragma unroll 1
    for (uint32_t k = 0; k < count; ++k) {
      const KnownNode known = memory_.known[k];
      uint32_t* const mask = masks + known.place();
      const uint32_t hints = known.hints + (mask[-1] >> kRightShift & kRightHints) +
                             (mask[-kStride] >> kBelowShift & kBelowHints);
      *mask = decode_mask(coder, tables, hints, known.other);  // all lanes write the same
    }
    __syncwarp();
  }

  __device__ __forceinline__ void decode_quads(PieceReader& coder, DecodedPart& part, uint32_t has_siblings,
                                               uint32_t count) {
    // With 1, 2, 3 or 4 nonzero levels, large levels have 2, 4, 8 or 16 symbols, 30 in all: each lane loads
    // the start of one symbol before the mask is known.
    const uint32_t levels = 31 - static_cast<uint32_t>(__clz(static_cast<int>(lane_ + 2)));
    const auto bytes_at = [this](uint32_t table, uint32_t s) {
      return reinterpret_cast<const uint8_t*>(tables_[table].begin + s);
    };
    const uint8_t* const masks = bytes_at(kQuadTables + has_siblings, lane_ % kTableSymbols);
    const uint8_t* const larges = bytes_at(kLargeTables + model_.model_tables + (levels - 1) * kLargeContexts,
                                           lane_ + 2 - (1U << levels));
    KnownNode known = memory_.known[0];
    QuadsBefore before(part.quads + known.place(), known);
#pragma unroll 1
    for (uint32_t k = 1; k <= count; ++k) {
      const uint32_t place = known.place();
      const TotalWords total = formulas_.totals[before.sum];
      const uint32_t digits = digits_of_quad(before.hints);
      const auto* const of_mask = reinterpret_cast<const uint16_t*>(
          masks + digits * (2 * kPlaneClasses * sizeof(SymbolTable)) + total.plane);
      const auto* const of_large =
          reinterpret_cast<const uint16_t*>(larges + (total.sum & 0xffffU) + known.other);
      const uint32_t mask_begin = of_mask[0];
      const uint32_t mask_end = of_mask[1];
      const uint32_t large_begin = of_large[0];
      const uint32_t large_end = of_large[1];
      known = memory_.known[min_of(k, count - 1)];
      const uint32_t next = known.place();
      before = QuadsBefore(part.quads + next, known);
      const LastQuad last(next - place);
      const uint32_t mask = coder.find(mask_begin, mask_end, true) % kTableSymbols;
      const uint32_t n = bits_of_mask(mask);
      const uint32_t found = coder.find(large_begin, large_end, levels == n);
      QuadWords words = formulas_.quads[mask][found + 2 - (1U << n)];
      words.sums |= total.sum & 0xc0000000U;
      part.quads[place] = words;  // all lanes write the same
      last.add(words, before);
    }
    __syncwarp();
  }

  /// Decodes signs, then magnitudes of large levels.
  __device__ __forceinline__ void finish(PieceReader& coder, const DecodedPart& part) {
    const uint32_t first = 2 * lane_;
    const QuadWords* const own = part.quads + place_of_quad(first);
    const QuadPair pair(own, lane_);
    const uint32_t* const masks = pair.masks;
    const uint32_t* const larges = pair.larges;
    const uint32_t levels = pair.levels();
    uint32_t signs = 0;  // a word of 16 per lane
#pragma unroll 1
    for (uint32_t w = 0; 16 * w < levels; ++w) {
      const uint32_t value = coder.raw(min_of(levels - 16 * w, 16U));
      signs = lane_ == w ? value : signs;
    }
    const uint32_t word = pair.levels_before / 16;
    const uint32_t low = __shfl_sync(kAllLanes, signs, static_cast<int>(word));
    const uint32_t high = __shfl_sync(kAllLanes, signs, static_cast<int>(word + 1) % kWarp);
    const uint32_t window = (low | high << 16) >> (pair.levels_before % 16);
    const uint32_t negatives[2] = {formulas_.scattered[masks[0]][window & 15U],
                                   formulas_.scattered[masks[1]][window >> bits_of_mask(masks[0]) & 15U]};
    uint32_t pairs[4];
#pragma unroll
    for (uint32_t p = 0; p < 4; ++p) {  // of the upper row, then of the lower row
      const auto level = [&](uint32_t bit) {
        const uint32_t magnitude = (masks[p % 2] >> bit & 1U) + (larges[p % 2] >> bit & 1U);
        return (negatives[p % 2] >> bit & 1U) != 0 ? 0U - magnitude : magnitude;
      };
      pairs[p] = (level(p / 2 * 2) & 0xffffU) | level(p / 2 * 2 + 1) << 16;
    }
    auto* const to = memory_.levels + level_row(4 * first) * kTileSide + level_col(4 * first);
    *reinterpret_cast<uint2*>(to) = {pairs[0], pairs[1]};
    *reinterpret_cast<uint2*>(to + kTileSide) = {pairs[2], pairs[3]};
    pair.note_numbers(own, negatives, lane_, memory_.numbers);
    __syncwarp();
    decode_numbers(coder, pair.numbers());
    __syncwarp();
  }

  __device__ __forceinline__ void decode_numbers(PieceReader& coder, uint32_t count) {
    if (count == 0) return;
    const SymbolTable* const tables = tables_ + kNumberTables + model_.model_tables;
    const uint32_t own = formulas_.numbers[lane_ % kTableSymbols];
    uint32_t recent = model_.first_recent;
    uint32_t next = memory_.numbers[0];
#pragma unroll 1
    for (uint32_t k = 1; k <= count; ++k) {
      const uint32_t what = next;
      next = memory_.numbers[min_of(k, count - 1)];
      const SymbolTable& table = tables[recent_class_by_signs(recent) * kNumberClasses + (what >> 8 & 15U)];
      const uint16_t* const begins = table.begin + lane_ % kTableSymbols;
      uint32_t number = coder.find(begins[0], begins[1], true) % kTableSymbols;
      if (number >= 8) {
        const uint32_t base = __shfl_sync(kAllLanes, own, static_cast<int>(number));
        number = (base & 0xffffU) + coder.raw(base >> 16);
      }
      recent = next_recent(recent, number);
      const uint32_t place = what & 255U;
      const int magnitude = 2 + static_cast<int>(number);
      // All lanes write the same.
      memory_.levels[level_row(place) * kTileSide + level_col(place)] =
          static_cast<Level>((what >> 12 & 1U) != 0 ? -magnitude : magnitude);
    }
  }

  const SymbolTable* tables_;
  const DecoderFormulas& formulas_;
  PieceModel model_;
  SkippedChildren skipped_;
  PartDecoderMemory& memory_;
  uint32_t lane_;
};

}  // namespace ctv::cuda

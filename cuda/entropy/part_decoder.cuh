// SPDX-License-Identifier: BSD-3-Clause
// The walk of codec/entropy/model/tile_walk.hpp for a warp that decodes. Only what depends on the symbol
// before is done one after the other, with tables instead of formulas; lanes share the rest.
#pragma once

#include "cuda/entropy/piece_reader.cuh"
#include "cuda/entropy/tile_part.cuh"

namespace ctv::cuda {

/// What others see of a quad. sums: bytes of the digits' sum, the same with the right column's once more, and
/// with the lower row's; then large levels, 4 bits, and the class of numbers, 4. mask: bits 24 .. 27; for the
/// quad to the right bits 0 and 16, for that below bits 4 and 12, tell which of its children have a neighbour
/// that is not 0, a byte each.
struct alignas(8) QuadWords {
  uint32_t sums, mask;
};
/// What follows from the weighted sum of digits of earlier neighbours: offsets in bytes among the tables of
/// masks and of large levels, the latter with the class of numbers in bits 30 and 31.
struct alignas(8) TotalWords {
  uint32_t plane, sum;
};
struct alignas(32) DecoderFormulas {
  QuadWords quads[16][16];  // [mask][large]
  TotalWords totals[kMostDigits];
};
constexpr DecoderFormulas make_decoder_formulas() {
  constexpr uint32_t kTable = sizeof(SymbolTable);
  DecoderFormulas f{};
  for (uint32_t m = 0; m < 16; ++m) {
    for (uint32_t b = 0; b < 16; ++b) {
      const QuadFacts facts = quad_facts(m, b);
      const uint32_t sum = facts.sum;
      f.quads[m][b] = {sum | (sum + (facts.right >> 4)) << 8 | (sum + (facts.lower >> 4)) << 16 |
                           uint32_t{facts.large} << 24 | number_class(0, sum) << 28,
                       m << 24 | (m >> 1 & 1U) | (m >> 3) << 16 | (m >> 2 & 1U) << 4 | (m >> 3) << 12};
    }
  }
  for (uint32_t t = 0; t < kMostDigits; ++t) {
    f.totals[t] = {plane_class(t) * 2 * kTable,
                   sum_class(t) * kSiblingClasses * kTable | number_class(sum_class(t), 0) << 28};
  }
  return f;
}

// A part's quad (y, x) is number (y + 1) * kQuadStride + x + 2. Those of the tiles above and to the left
// stand before the first row and column, the rest are zeros.
constexpr uint32_t kQuadStride = kTileQuads + 2;
constexpr uint32_t kPlacedQuads = (kTileQuads + 1) * kQuadStride + 2;
__device__ __forceinline__ uint32_t place_of_quad(uint32_t i) {
  return (i / kTileQuads + 1) * kQuadStride + i % kTileQuads + 2;
}

struct alignas(16) DecodedPart {
  TileRows rows;
  QuadWords quads[kPlacedQuads];
};

/// Of a quad that is not 0, before it is decoded. place: of the quad, then the offset in bytes among the
/// tables of large levels that follows from the siblings, from bit 16 on. hints: how many of those known say
/// that a child is not 0, a byte each.
struct alignas(8) KnownQuad {
  uint32_t place, hints;
};

/// What quads before say of one: the weighted sum of digits, and hints with those known.
struct QuadsBefore {
  uint32_t sum, hints;
  __device__ __forceinline__ QuadsBefore(const QuadWords* quad, const KnownQuad& known) {
    const QuadWords* const above = quad - kQuadStride;
    sum = __dp4a(above[-1].sums, kOnce, __dp4a(above[1].sums, kOnce, __dp4a(quad[-2].sums, kOnce, 0U)));
    sum = __dp4a(above[0].sums, kTwiceLower, __dp4a(quad[-1].sums, kTwiceRight, sum));
    hints = known.hints + (quad[-1].mask & kHintsRight) + (above[0].mask >> 4 & kHintsBelow);
  }
  // Of QuadWords.
  static constexpr uint32_t kOnce = 1, kTwiceRight = 0x200, kTwiceLower = 0x20000;
  static constexpr uint32_t kHintsRight = 0x10001, kHintsBelow = 0x101;
};

/// The last quad before one has not been there when QuadsBefore was read, but zeros. distance: of places.
struct LastQuad {
  uint32_t weight, shift, hints;
  __device__ __forceinline__ explicit LastQuad(uint32_t distance) {
    const bool right = distance == 1;
    const bool below = distance == kQuadStride;
    const bool seen = distance == 2 || distance == kQuadStride - 1 || distance == kQuadStride + 1;
    weight = right   ? QuadsBefore::kTwiceRight
             : below ? QuadsBefore::kTwiceLower
             : seen  ? QuadsBefore::kOnce
                     : 0;
    shift = below ? 4 : 0;
    hints = right ? QuadsBefore::kHintsRight : below ? QuadsBefore::kHintsBelow : 0;
  }
  __device__ __forceinline__ void add(const QuadWords& last, QuadsBefore& before) const {
    before.sum = __dp4a(last.sums, weight, before.sum);
    before.hints += last.mask >> shift & hints;
  }
};

/// Shared memory of a warp.
struct alignas(16) PartDecoderMemory {
  DecodedPart parts[kTileBands];
  QuadWords above[kTileBands][kTileQuads];  // along the borders
  QuadWords left[kStripTiles][kTileBands][kTileQuads];
  SkipRows skips;
  KnownQuad known[kPartQuads + 1];
  uint16_t numbers[kPartLevels];          // in order: place, class from bit 8 on, whether negative in bit 12
  alignas(16) Level levels[kPartLevels];  // by row
};

/// A reader of symbols, with what the walk asks of a coder.
struct PartCoder : PieceReader, DeviceFormulas {
  using PieceReader::PieceReader;
};

class PartDecoder {
 public:
  __device__ PartDecoder(const SymbolTable* tables, const DecoderFormulas& formulas, const PieceModel& model,
                         PartDecoderMemory& memory, uint32_t lane)
      : tables_(tables), formulas_(formulas), model_(model), memory_(memory), lane_(lane) {}

  /// Nothing is known of the tiles around, or of those above. Other lanes know when they meet.
  __device__ void start_strip() {
    start_column();
    clear_by_warp(memory_.left, lane_);
  }
  __device__ void start_column() { clear_by_warp(memory_.above, lane_); }
  /// Band b of a tile in a row of the strip, not 0. Leaves its levels in memory.
  __device__ __forceinline__ void decode(PartCoder& coder, uint32_t row, uint32_t b) {
    DecodedPart& part = memory_.parts[b];
    const uint64_t quads = start_part(coder, part, row, b);
    decode_quads(coder, part, b > 0 ? 1 : 0, count_bits(quads));
    finish(coder, part);
    const uint32_t i = lane_ % kTileQuads;
    if (lane_ < 8) memory_.left[row][b][i] = part.quads[place_of_quad(kTileQuads * i + 7)];
    if (lane_ >= 8 && lane_ < 16) memory_.above[b][i] = part.quads[place_of_quad(kTileQuads * 7 + i)];
    __syncwarp();
  }
  /// The same of a band that is 0. seen: a later part looks at it.
  __device__ void clear(uint32_t row, uint32_t b, bool seen) {
    if (seen) clear_by_warp(memory_.parts[b], lane_);
    if (lane_ < 8) memory_.left[row][b][lane_] = memory_.above[b][lane_] = {};
    __syncwarp();
  }

 private:
  /// Codes which quads are not 0, and notes what is known of them.
  __device__ __forceinline__ uint64_t start_part(PartCoder& coder, DecodedPart& part, uint32_t row,
                                                 uint32_t b) {
    clear_by_warp(part, lane_);
    __syncwarp();
    const uint32_t i = lane_ % kTileQuads;
    QuadWords beside{};
    if (lane_ < 8) {
      beside = memory_.above[b][i];
      part.quads[2 + i] = beside;
    } else if (lane_ < 16) {
      beside = memory_.left[row][b][i];
      part.quads[(i + 1) * kQuadStride + 1] = beside;
    }
    const uint32_t sides = __ballot_sync(kAllLanes, beside.mask != 0);
    const uint32_t siblings = min_of(b, kMostSiblings);
    const DecodedPart& nearest = memory_.parts[b > 0 ? b - 1 : 0];
    const DecodedPart& next = memory_.parts[b > 1 ? b - 2 : 0];
    const uint64_t quads = code_quad_masks(coder, 0, memory_.skips, sides & 255U, sides >> 8 & 255U,
                                           part.rows, nearest.rows, next.rows, siblings);
#pragma unroll
    for (uint32_t own = lane_; own < kPartQuads; own += kWarp) {
      if ((quads >> own & 1U) == 0) continue;
      const uint32_t place = place_of_quad(own);
      const uint32_t right = own % kTileQuads == 7 ? 0 : static_cast<uint32_t>(quads >> own >> 1) & 1U;
      const uint32_t below = static_cast<uint32_t>(quads >> own >> 8) & 1U;
      uint32_t hints = right * 0x01000100U + below * 0x01010000U;
      uint32_t from_siblings = 0;
      if (siblings != 0) {
        const QuadWords one = nearest.quads[place];
        const QuadWords other = next.quads[place];
        hints += bytes_of_bits(one.mask >> 24) + bytes_of_bits(other.mask >> 24);
        from_siblings = sibling_sum_class((one.sums & 255U) + (other.sums & 255U), 1) * sizeof(SymbolTable);
      }
      const uint32_t before = count_bits(quads & ((uint64_t{1} << own) - 1));
      memory_.known[before] = {place | from_siblings << 16, hints};
    }
    __syncwarp();
    return quads;
  }

  __device__ __forceinline__ void decode_quads(PartCoder& coder, DecodedPart& part, uint32_t has_siblings,
                                               uint32_t count) {
    // Levels of which 1, 2, 3 or 4 are not 0 have 2, 4, 8 or 16 symbols, which is 30 lanes: each has read
    // where its symbol begins before the mask is known.
    const uint32_t levels = 31 - static_cast<uint32_t>(__clz(static_cast<int>(lane_ + 2)));
    const auto bytes_at = [this](uint32_t table, uint32_t s) {
      return reinterpret_cast<const uint8_t*>(tables_[table].begin + s);
    };
    const uint8_t* const masks = bytes_at(kQuadTables + has_siblings, lane_ % kTableSymbols);
    const uint8_t* const larges = bytes_at(kLargeTables + model_.model_tables + (levels - 1) * kLargeContexts,
                                           lane_ + 2 - (1U << levels));
    KnownQuad known = memory_.known[0];
    QuadsBefore before(part.quads + (known.place & 0xffffU), known);
    for (uint32_t k = 1; k <= count; ++k) {
      const uint32_t place = known.place & 0xffffU;
      const TotalWords total = formulas_.totals[before.sum];
      const uint32_t hints = before.hints;
      const uint32_t twos = (hints >> 1 | hints >> 2) & 0x01010101U;
      const uint32_t ones = hints & ~twos & 0x01010101U;
      const uint32_t digits = __dp4a(ones, 0x1b090301U, __dp4a(twos, 0x36120602U, 0U));
      const auto* const of_mask = reinterpret_cast<const uint16_t*>(
          masks + digits * (2 * kPlaneClasses * sizeof(SymbolTable)) + total.plane);
      const auto* const of_large =
          reinterpret_cast<const uint16_t*>(larges + (total.sum & 0xffffU) + (known.place >> 16));
      const uint32_t mask_begin = of_mask[0];
      const uint32_t mask_end = of_mask[1];
      const uint32_t large_begin = of_large[0];
      const uint32_t large_end = of_large[1];
      known = memory_.known[min_of(k, count - 1)];
      const uint32_t next = known.place & 0xffffU;
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

  /// Signs, then magnitudes of large levels.
  __device__ __forceinline__ void finish(PartCoder& coder, const DecodedPart& part) {
    // A lane has two quads beside each other.
    const uint32_t first = 2 * lane_;
    const QuadWords* const own = part.quads + place_of_quad(first);
    const uint32_t masks[2] = {own[0].mask >> 24, own[1].mask >> 24};
    const uint32_t larges[2] = {own[0].sums >> 24 & 15U, own[1].sums >> 24 & 15U};
    const auto bits = [](const uint32_t* two) {
      return static_cast<uint32_t>(__popc(static_cast<int>(two[0] | two[1] << 4)));
    };
    const uint32_t here = bits(masks) | bits(larges) << 16;
    uint32_t through = here;
#pragma unroll
    for (uint32_t step = 1; step < kWarp; step *= 2) {
      const uint32_t other = __shfl_up_sync(kAllLanes, through, step);
      if (lane_ >= step) through += other;
    }
    const uint32_t all = __shfl_sync(kAllLanes, through, kWarp - 1);
    const uint32_t before = through - here;
    const uint32_t levels = all & 0xffffU;
    uint32_t signs = 0;  // a word of 16 in each lane
    for (uint32_t word = 0; 16 * word < levels; ++word) {
      const uint32_t value = coder.raw(min_of(levels - 16 * word, 16U), 0);
      signs = lane_ == word ? value : signs;
    }
    const uint32_t at = before & 0xffffU;
    const uint32_t low = __shfl_sync(kAllLanes, signs, static_cast<int>(at >> 4));
    const uint32_t high = __shfl_sync(kAllLanes, signs, static_cast<int>((at >> 4) + 1) % kWarp);
    const uint32_t window = (low | high << 16) >> (at & 15U);
    const uint32_t negatives[2] = {scatter_bits(masks[0], window & 15U),
                                   scatter_bits(masks[1], window >> bits_of_mask(masks[0]) & 15U)};
    uint32_t pairs[4];
#pragma unroll
    for (uint32_t p = 0; p < 4; ++p) {  // of the upper row, then of the lower one
      const auto level = [&](uint32_t bit) {
        const uint32_t magnitude = (masks[p % 2] >> bit & 1U) + (larges[p % 2] >> bit & 1U);
        return (negatives[p % 2] >> bit & 1U) != 0 ? 0U - magnitude : magnitude;
      };
      pairs[p] = (level(p / 2 * 2) & 0xffffU) | level(p / 2 * 2 + 1) << 16;
    }
    auto* const to = memory_.levels + level_row(4 * first) * kTileSide + level_col(4 * first);
    *reinterpret_cast<uint2*>(to) = {pairs[0], pairs[1]};
    *reinterpret_cast<uint2*>(to + kTileSide) = {pairs[2], pairs[3]};
    if (all >> 16 != 0) {
      uint32_t number = before >> 16;
#pragma unroll
      for (uint32_t q = 0; q < 2; ++q) {
        for (uint32_t rest = larges[q]; rest != 0; rest &= rest - 1) {
          const uint32_t bit = lowest_bit(rest);
          const uint32_t classes = (own[q].sums >> 30) * 4 + (own[q].sums >> 28 & 3U);
          memory_.numbers[number++] = static_cast<uint16_t>((4 * (first + q) + bit) | classes << 8 |
                                                            (negatives[q] >> bit & 1U) << 12);
        }
      }
    }
    __syncwarp();
    decode_numbers(coder, all >> 16);
    __syncwarp();
  }

  __device__ __forceinline__ void decode_numbers(PartCoder& coder, uint32_t count) {
    uint32_t recent = model_.first_recent;
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t what = memory_.numbers[k];
      const uint32_t table =
          kNumberTables + model_.model_tables + recent_class(recent) * kNumberClasses + (what >> 8 & 15U);
      const uint32_t symbol = coder.symbol(table, 0);
      uint32_t number = symbol;
      if (symbol >= 8) number = number_base(symbol) + coder.raw(number_bits(symbol), 0);
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
  PartDecoderMemory& memory_;
  uint32_t lane_;
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Order of a tile's symbols and their contexts (docs/entropy.md). The functions code in both directions:
// Coder::symbol() and Coder::raw() return their argument (encoder) or the decoded value. They allocate
// nothing, and their loops are bounded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/model/tile_masks.hpp"
#include "codec/util/little_endian.hpp"

namespace ctv {

/// A part's levels as masks, one byte per quad in raster order: level (y, x) of the quad is bit 2 y + x.
/// Large: magnitude above 1. Bytes of quads that are 0 are 0.
struct alignas(8) TileBits {
  uint8_t nonzero[64];
  uint8_t large[64];
  uint8_t negative[64];
};

/// Context that a part leaves for later tiles and subbands, by quad. Digits are min(|level|, 2). `right` and
/// `lower`: in the upper nibble the sum of digits of a quad's right column or lower row; in the lower nibble
/// the mask of its nonzero digits, at the positions that count_hints() expects of neighbours. Quad (y, x) is
/// at (y + 1) kSumStride + x + 8. Quads of the tiles above and to the left precede the first row and column;
/// quads after the last are 0.
struct alignas(8) TilePart {
  static constexpr int kSumStride = 24;
  PartNodes nodes;                // nonzero nodes
  uint8_t sums[10 * kSumStride];  // of digits
  uint8_t right[10 * kSumStride];
  uint8_t lower[10 * kSumStride];
  uint8_t masks[kTileQuads * kTileQuads];  // nonzero levels
};

inline void store_bytes(uint8_t* to, uint64_t v) {
  v = little_endian(v);
  __builtin_memcpy(to, &v, 8);
}
inline void store_word(uint8_t* to, uint32_t v) {  // least significant byte first
  to[0] = static_cast<uint8_t>(v);
  to[1] = static_cast<uint8_t>(v >> 8);
  to[2] = static_cast<uint8_t>(v >> 16);
  to[3] = static_cast<uint8_t>(v >> 24);
}
inline uint64_t load_bytes(const uint8_t* from) {
  uint64_t v = 0;
  __builtin_memcpy(&v, from, 8);
  return little_endian(v);
}

/// Quads along a part's right or lower border, one byte each: the sum of digits, plus 16 and 32 if the first
/// or second digit at the border is not 0, plus 64 for each large one. 0 if unknown.
struct TileBorder {
  uint64_t above, left;
};
inline constexpr uint64_t kEachByte = 0x0101010101010101ULL;
inline constexpr uint64_t kLowHalves = 15 * kEachByte;

// Convert `right` (shift 2) or `lower` (shift 1) to the upper halves of a border's bytes, and back.
inline uint64_t to_border(uint64_t edges, uint32_t shift) {
  const uint64_t first = edges & kEachByte;
  const uint64_t second = edges >> shift & kEachByte;
  const uint64_t large = (edges >> 4 & kLowHalves) - first - second;
  return first << 4 | second << 5 | large << 6;
}
inline uint64_t from_border(uint64_t border, uint32_t shift) {
  const uint64_t first = border >> 4 & kEachByte;
  const uint64_t second = border >> 5 & kEachByte;
  const uint64_t large = border >> 6 & 3 * kEachByte;
  return first | second << shift | (first + second + large) << 4;
}

/// A quad's contexts and positions, from its two symbols.
struct QuadFacts {
  uint8_t large;              // at the positions of its levels
  uint8_t sum, right, lower;  // as in TilePart
  uint32_t places;            // positions of large levels, one byte each, lowest first
};
CTV_HOST_DEVICE constexpr QuadFacts quad_facts(uint32_t mask, uint32_t large) {
  const uint32_t there = scatter_bits(mask, large);
  uint32_t places = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    if ((there >> i & 1U) != 0) places |= i << (8 * n++);
  }
  return {static_cast<uint8_t>(there), static_cast<uint8_t>(bits_of_mask(mask) + n),
          static_cast<uint8_t>((mask >> 1 & 5U) | bits_of_mask((mask & 10U) | (there & 10U) >> 1) << 4),
          static_cast<uint8_t>(mask >> 2 | bits_of_mask((there & 12U) | mask >> 2) << 4), places};
}

/// Counts over the quads coded so far: nonzero levels, and large ones.
struct PartCounts {
  uint32_t levels = 0, numbers = 0;
};

/// State between start_part(), code_quad() for each of `quads`, and end_part(). start_piece() sets
/// model_tables and first_recent.
struct PartWalk {
  TilePart* part;
  const TilePart* sibling0;  // the previous part of the tile
  const TilePart* sibling1;  // the part before that; sibling0 if there is one only
  uint32_t siblings;         // earlier parts of the tile, at most 2
  PartNodes skips;           // of the tile
  uint32_t model_tables;     // offset of the piece's model from the first model's tables
  uint32_t first_recent;     // initial mean of numbers, in quarters
  uint64_t quads;            // nonzero quads; encoder: input of start_part()
  TileBits bits;             // encoder: input
  uint16_t signs[18];        // in words of 16, in quad order
  uint8_t classes[64];       // context of each quad's numbers
  uint8_t places[256 + 4];   // of each number: 4 quad + level
};

template <typename Coder>
inline void start_part(Coder& coder, PartWalk& w, const TileBorder& border) {
  constexpr int kStride = TilePart::kSumStride;
  TilePart& part = *w.part;
  const uint64_t above = border.above & kLowHalves;
  const uint64_t left = border.left & kLowHalves;
  w.quads = code_quad_masks(coder, w.quads, w.skips, nonzero_bytes(above), nonzero_bytes(left), part.nodes,
                            w.sibling0->nodes, w.sibling1->nodes, w.siblings);
  store_bytes(part.sums + 8, above);
  store_bytes(part.lower + 8, from_border(border.above, 1));
  const uint64_t right = from_border(border.left, 2);
  for (int y = 0; y < kTileQuads; ++y) {
    uint8_t* const row = part.sums + (y + 1) * kStride;
    row[7] = static_cast<uint8_t>(left >> (8 * y));
    store_bytes(row + 8, 0);
    uint8_t* const column = part.right + (y + 1) * kStride;
    column[7] = static_cast<uint8_t>(right >> (8 * y));
    store_bytes(column + 8, 0);
    store_bytes(part.lower + (y + 1) * kStride + 8, 0);
    store_bytes(part.masks + y * kTileQuads, 0);
  }
  for (uint16_t& s : w.signs) s = 0;
}

/// Codes the quad of bit i of w.quads. Call in raster order.
template <typename Coder>
[[gnu::always_inline]] inline void code_quad(Coder& coder, PartWalk& w, PartCounts& counts, uint32_t i) {
  constexpr int kStride = TilePart::kSumStride;
  const uint32_t y = i / kTileQuads;
  const uint32_t x = i % kTileQuads;
  const uint32_t at = (y + 1) * kStride + x + 8;
  TilePart& part = *w.part;
  const uint8_t* const sums = part.sums + at;
  const uint32_t west = part.right[at - 1];
  const uint32_t north = part.lower[at - kStride];
  const uint32_t total = 2U * (uint32_t{sums[-1]} + sums[-kStride] + (west >> 4) + (north >> 4)) + sums[-2] +
                         sums[-kStride - 1] + sums[-kStride + 1];
  const uint32_t sum = Coder::sum_class(total);
  const uint64_t from_here = w.quads >> i;
  const uint32_t right = static_cast<uint32_t>(from_here >> 1) & (x != 7 ? 1U : 0U);
  const uint32_t below = static_cast<uint32_t>(from_here >> 8) & 1U;
  const uint32_t there = w.siblings != 0 ? 1 : 0;
  const uint32_t present = 0U - there;
  const Hints hints =
      count_hints((west & 5U) | (north & 2U) | right << 3, (north & 1U) | right << 1 | below * 12U,
                  w.sibling0->masks[i] & present, w.sibling1->masks[i] & present);
  uint32_t mask = 0;
  uint32_t large = 0;
  if constexpr (!Coder::kDecodes) {
    mask = w.bits.nonzero[i];
    large = Coder::gather(mask, w.bits.large[i]);
  }
  const uint32_t digits = Coder::ternary(hints.one, hints.two);
  mask = coder.symbol(kQuadTables + (digits * kPlaneClasses + Coder::plane_class(total)) * 2 + there, mask);
  const uint32_t context =
      sum * kSiblingClasses +
      Coder::sibling_sum_class(uint32_t{w.sibling0->sums[at]} + w.sibling1->sums[at], there);
  const uint32_t n = bits_of_mask(mask);
  large = coder.chosen(kLargeTables + (n - 1) * kLargeContexts + context, w.model_tables, large);
  const QuadFacts facts = Coder::facts(mask, large);
  part.sums[at] = facts.sum;
  part.right[at] = facts.right;
  part.lower[at] = facts.lower;
  part.masks[i] = static_cast<uint8_t>(mask);
  if constexpr (Coder::kDecodes) {
    w.bits.nonzero[i] = static_cast<uint8_t>(mask);
    w.bits.large[i] = facts.large;
  } else {
    uint16_t* const word = w.signs + (counts.levels >> 4);
    const uint32_t window = word[0] | Coder::gather(mask, w.bits.negative[i]) << (counts.levels & 15U);
    word[0] = static_cast<uint16_t>(window);
    word[1] = static_cast<uint16_t>(window >> 16);
  }
  w.classes[i] = Coder::number_class(sum, facts.sum);
  store_word(w.places + counts.numbers, facts.places + i * 0x04040404U);
  counts.levels += n;
  counts.numbers += facts.sum - n;
}

/// Codes signs, then magnitudes of large levels: number_at() and put_number() of the coder take |level| - 2.
/// A decoder's put_levels() is called in between. Sets the borders for the tiles below and to the right.
template <typename Coder>
inline void end_part(Coder& coder, PartWalk& w, const PartCounts& counts, TileBorder& border) {
  constexpr int kStride = TilePart::kSumStride;
  for (uint32_t word = 0; 16 * word < counts.levels; ++word) {
    const uint32_t left = counts.levels - 16 * word;
    w.signs[word] = static_cast<uint16_t>(coder.raw(left < 16 ? left : 16, w.signs[word]));
  }
  if constexpr (Coder::kDecodes) {
    uint32_t have = 0;
    for (uint64_t rest = w.quads; rest != 0; rest &= rest - 1) {
      const uint32_t i = lowest_bit(rest);
      const uint32_t mask = w.bits.nonzero[i];
      const uint16_t* const word = w.signs + (have >> 4);
      const uint32_t window = (word[0] | uint32_t{word[1]} << 16) >> (have & 15U);
      w.bits.negative[i] = static_cast<uint8_t>(Coder::scatter(mask, window & 15U));
      have += bits_of_mask(mask);
    }
    coder.put_levels(w.bits);
  }
  uint32_t recent = w.first_recent;
  for (uint32_t k = 0; k < counts.numbers; ++k) {
    const uint32_t place = w.places[k];
    const uint32_t table =
        kNumberTables + Coder::recent_class(recent) * kNumberClasses + w.classes[place >> 2];
    uint32_t number = 0;
    uint32_t symbol = 0;
    if constexpr (!Coder::kDecodes) {
      number = coder.number_at(place);
      symbol = number_symbol(number);
    }
    symbol = coder.chosen(table, w.model_tables, symbol);
    if (symbol < 8) {
      number = symbol;
    } else {
      const uint32_t base = number_base(symbol);
      number = base + coder.raw(number_bits(symbol), number - base);
    }
    if constexpr (Coder::kDecodes) coder.put_number(place, number);
    recent = next_recent(recent, number);
  }
  const uint8_t* const sums = w.part->sums;
  uint64_t left = 0;
  uint64_t right = 0;
  for (int y = 0; y < kTileQuads; ++y) {
    const int at = (y + 1) * kStride + 15;
    left |= uint64_t{sums[at]} << (8 * y);
    right |= uint64_t{w.part->right[at]} << (8 * y);
  }
  constexpr int kLast = kTileQuads * kStride + 8;
  border.left = left | to_border(right, 2);
  border.above = load_bytes(sums + kLast) | to_border(load_bytes(w.part->lower + kLast), 1);
}

/// Clears a part that is 0, as context for its siblings.
inline void clear_part(TilePart& part) {
  part.nodes = {};
  for (int y = 0; y < kTileQuads; ++y) {
    store_bytes(part.sums + (y + 1) * TilePart::kSumStride + 8, 0);
    store_bytes(part.masks + y * kTileQuads, 0);
  }
}

/// Context from neighbouring tiles; all 0 at the start of a piece, a set of subbands or a strip.
struct TileNeighbours {
  uint64_t above[kTileBands];              // of the tile above in the strip
  uint64_t left[kStripTiles][kTileBands];  // by row of the strip
  uint8_t above_mask;                      // nonzero bands
  uint8_t left_mask[kStripTiles];
  uint8_t above_known;  // 1: the tile exists
  uint8_t left_known[kStripTiles];
};

/// Codes the first symbol of a piece: its model, 0 .. kModels - 1, which selects tables.
template <typename Coder, typename Walk>
CTV_HOST_DEVICE void start_piece(Coder& coder, Walk& w, TileNeighbours& around, uint32_t model) {
  model = coder.symbol(kModelTables, model);
  w.model_tables = model * kTablesOfModel;
  w.first_recent = first_recent(model);
  around = {};
}

/// Table of the mask of a tile's nonzero bands. around: number of nonzero bands in the `known` tiles above
/// and to the left. skips: of the tile.
CTV_HOST_DEVICE uint32_t band_table(uint32_t bands, uint32_t around, uint32_t known, uint64_t skips) {
  const uint32_t context =
      (band_class(around) * kCoverClasses + cover_class(count_bits(skips))) * kKnownTiles + known;
  return kBandTables + (bands - 1) * kBandContexts + context;
}

/// Codes the mask of a tile's nonzero bands. row: in the strip. skips: of the tile.
template <typename Coder>
CTV_HOST_DEVICE uint32_t code_bands(Coder& coder, uint32_t bands, uint32_t row, TileNeighbours& around,
                                    uint64_t skips, uint32_t mask) {
  if (row == 0) {
    for (uint64_t& a : around.above) a = 0;
    around.above_mask = 0;
    around.above_known = 0;
  }
  const uint32_t n = bits_of_mask(around.left_mask[row]) + bits_of_mask(around.above_mask);
  const uint32_t known = uint32_t{around.left_known[row]} + around.above_known;
  mask = coder.symbol(band_table(bands, n, known, skips), mask);
  around.left_mask[row] = around.above_mask = static_cast<uint8_t>(mask);
  around.left_known[row] = around.above_known = 1;
  return mask;
}

}  // namespace ctv

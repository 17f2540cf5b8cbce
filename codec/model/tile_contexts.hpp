// SPDX-License-Identifier: BSD-3-Clause
// Symbols of tiles and their contexts (docs/entropy.md), compiled for CPU and GPU. A tile has 16x16 levels at
// the same place of up to four subbands of equal extent; a part is the share of one subband. Each symbol has
// at most 16 values: which of four children are not 0, which levels of a quad are large, or a number.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv {

inline constexpr int kTileSide = 16;   // levels
inline constexpr int kTileQuads = 8;   // per side
inline constexpr int kTileBands = 4;   // subbands per tile at most
inline constexpr int kStripTiles = 2;  // tile rows per strip; a strip is coded column by column

// Contexts, and the first table of each kind of symbol. Large levels and numbers have one set of tables per
// model; a piece uses one model.
inline constexpr uint32_t kModels = 3;  // sets of tables
inline constexpr uint32_t kBandClasses = 6;
inline constexpr uint32_t kCoverClasses = 3;
inline constexpr uint32_t kKnownTiles = 3;
inline constexpr uint32_t kBandContexts = kBandClasses * kCoverClasses * kKnownTiles;
inline constexpr uint32_t kTernary = 81;      // four digits of 0..2
inline constexpr uint32_t kQuaternary = 256;  // four digits of 0..3
inline constexpr uint32_t kMostSiblings = 2;
inline constexpr uint32_t kEighthContexts = kTernary * (kMostSiblings + 1);
inline constexpr uint32_t kMaskContexts = kTernary + kQuaternary * kMostSiblings;
inline constexpr uint32_t kPlaneClasses = 8;
inline constexpr uint32_t kQuadContexts = kTernary * kPlaneClasses * 2;
inline constexpr uint32_t kSumClasses = 12;
inline constexpr uint32_t kSiblingClasses = 5;
inline constexpr uint32_t kLargeContexts = kSumClasses * kSiblingClasses;
inline constexpr uint32_t kRecentClasses = 8;
inline constexpr uint32_t kNumberClasses = 16;
inline constexpr uint32_t kModelTables = 0;                                          // model of the piece
inline constexpr uint32_t kBandTables = 1;                                           // [bands - 1][context]
inline constexpr uint32_t kEighthTables = kBandTables + kTileBands * kBandContexts;  // [siblings][digits]
inline constexpr uint32_t kMaskTables = kEighthTables + kEighthContexts;      // [depth - 1][siblings][digits]
inline constexpr uint32_t kQuadTables = kMaskTables + 2 * kMaskContexts;      // [digits][sum][siblings?]
inline constexpr uint32_t kLargeTables = kQuadTables + kQuadContexts;         // [model][n-1][sum][siblings]
inline constexpr uint32_t kNumberTables = kLargeTables + 4 * kLargeContexts;  // [model][recent][class]
inline constexpr uint32_t kTablesOfModel = 4 * kLargeContexts + kRecentClasses * kNumberClasses;
inline constexpr uint32_t kTables = kLargeTables + kModels * kTablesOfModel;

CTV_HOST_DEVICE constexpr uint32_t bits_of_mask(uint32_t mask) {  // of 4 bits
  return static_cast<uint32_t>(0x4332322132212110ULL >> (4 * mask)) & 7U;
}

/// n: nonzero bands of the tiles to the left and above, together.
CTV_HOST_DEVICE constexpr uint32_t band_class(uint32_t n) { return n < 5 ? n : 5; }
/// quads: number of the tile's quads in skipped cells, 0..64.
CTV_HOST_DEVICE constexpr uint32_t cover_class(uint32_t quads) { return (quads >= 16) + (quads == 64); }
/// Four digits of 0..2 as one number, first digit least significant. one, two: masks of digits >= 1, >= 2.
CTV_HOST_DEVICE constexpr uint32_t ternary(uint32_t one, uint32_t two) {
  uint32_t n = 0;
  for (uint32_t i = 4; i-- > 0;) n = 3 * n + (one >> i & 1U) + (two >> i & 1U);
  return n;
}
/// The same for digits of 0..3.
CTV_HOST_DEVICE constexpr uint32_t quaternary(uint32_t one, uint32_t two, uint32_t three) {
  uint32_t n = 0;
  for (uint32_t i = 4; i-- > 0;) n = 4 * n + (one >> i & 1U) + (two >> i & 1U) + (three >> i & 1U);
  return n;
}
/// n: the siblings' sums of digits, added; twice their mean, 0..16.
CTV_HOST_DEVICE constexpr uint32_t sibling_sum_class(uint32_t n, uint32_t there) {
  return there * (1 + (n >= 1) + (n >= 4) + (n >= 8));
}
/// t: weighted sum of digits of earlier neighbours, 0..72.
CTV_HOST_DEVICE constexpr uint32_t sum_class(uint32_t t) {
  return (t >= 1) + (t >= 3) + (t >= 5) + (t >= 8) + (t >= 11) + (t >= 15) + (t >= 20) + (t >= 27) +
         (t >= 35) + (t >= 45) + (t >= 57);
}
/// The same sum as context of a quad's mask.
CTV_HOST_DEVICE constexpr uint32_t plane_class(uint32_t t) {
  return (t >= 1) + (t >= 4) + (t >= 8) + (t >= 13) + (t >= 20) + (t >= 30) + (t >= 45);
}
/// Context of a quad's numbers: the class of the neighbours' sum, and the quad's own sum of digits, 2..8.
CTV_HOST_DEVICE constexpr uint32_t number_class(uint32_t sum, uint32_t own) {
  return 4 * ((sum >= 5) + (sum >= 8) + (sum >= 10)) + (own >= 4) + (own >= 6) + (own >= 8);
}
/// r: running mean of the part's earlier numbers, in quarters.
CTV_HOST_DEVICE constexpr uint32_t recent_class(uint32_t r) {
  return (r >= 2) + (r >= 5) + (r >= 9) + (r >= 16) + (r >= 32) + (r >= 80) + (r >= 240);
}
/// The mean at the start of each part.
CTV_HOST_DEVICE constexpr uint32_t first_recent(uint32_t model) {
  return model == 0 ? 1 : (model == 1 ? 5 : 16);
}
CTV_HOST_DEVICE constexpr uint32_t next_recent(uint32_t r, uint32_t number) {  // at most 1020
  return (3 * r + 4 * (number < 255 ? number : 255) + 2) >> 2;
}

// A number of 0 .. 2^15 - 1 is coded as a symbol and raw bits.
CTV_HOST_DEVICE constexpr uint32_t number_bits(uint32_t symbol) {
  return symbol < 8 ? 0 : static_cast<uint32_t>(0xfa864321U >> (4 * (symbol - 8))) & 15U;
}
CTV_HOST_DEVICE constexpr uint32_t number_base(uint32_t symbol) {
  uint32_t base = symbol;
  for (uint32_t s = 8; s < symbol; ++s) base += (1U << number_bits(s)) - 1;
  return base;
}
CTV_HOST_DEVICE constexpr uint32_t number_symbol(uint32_t n) {
  return n < 8 ? n
               : 8U + (n >= 10) + (n >= 14) + (n >= 22) + (n >= 38) + (n >= 102) + (n >= 358) + (n >= 1382);
}

/// gather_bits() packs the bits of `bits` where `mask` is set; scatter_bits() is its inverse.
CTV_HOST_DEVICE constexpr uint32_t gather_bits(uint32_t mask, uint32_t bits) {
  uint32_t out = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    out |= (bits >> i & mask >> i & 1U) << n;
    n += mask >> i & 1U;
  }
  return out;
}
CTV_HOST_DEVICE constexpr uint32_t scatter_bits(uint32_t mask, uint32_t bits) {
  uint32_t out = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t there = mask >> i & 1U;
    out |= (bits & there) << i;
    bits >>= there;
  }
  return out;
}

}  // namespace ctv

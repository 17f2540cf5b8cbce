// SPDX-License-Identifier: BSD-3-Clause
// Conversion between a tile's levels and their masks, and formulas of the model as tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/model/tile_walk.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Offset of level i of quad n in an array of rows; place: 4 n + i.
constexpr size_t level_at(uint32_t place, size_t stride) {
  return ((place >> 5) * 2 + (place >> 1 & 1U)) * stride + (place >> 2 & 7U) * 2 + (place & 1U);
}

/// Mask of nonzero quads of each part of a tile: bit 8 y + x.
using TileQuads = std::array<uint64_t, kTileBands>;
/// Adds the nonzero quads of two rows of levels, in part b of adjacent tiles that are `step` apart in memory.
/// shift: 8 y of the quads. Prefetches the next two rows.
void find_quads(const Level* upper, const Level* lower, size_t tiles, size_t b, int shift, TileQuads* to,
                size_t step);
/// Sums of a part: levels with a magnitude above 1, and raw bits of their numbers.
struct LargeSums {
  uint32_t levels, raw_bits;
};
LargeSums sum_large(const Level* levels, size_t stride);
void bits_of_levels(const Level* levels, size_t stride, TileBits& bits);
/// Writes levels; large levels become 2 or -2.
void levels_of_bits(const TileBits& bits, Level* levels, size_t stride);

struct TileLookup {
  struct Tables {
    std::array<uint8_t, 73> sum{}, plane{};
    std::array<std::array<uint8_t, 17>, 2> siblings{};
    std::array<uint8_t, 1021> recent{};
    std::array<std::array<uint8_t, 16>, 16> gathered{}, scattered{};
    std::array<std::array<QuadFacts, 16>, 16> facts{};  // [mask][large]
    std::array<uint8_t, 256> ternary{}, quaternary{};
    std::array<std::array<uint8_t, 9>, kSumClasses> numbers{};
  };
  static const Tables kTablesOf;
  static uint32_t sum_class(uint32_t t) { return kTablesOf.sum[t]; }
  static uint32_t sibling_sum_class(uint32_t n, uint32_t there) { return kTablesOf.siblings[there][n]; }
  static uint32_t recent_class(uint32_t r) { return kTablesOf.recent[r]; }
  static uint32_t plane_class(uint32_t t) { return kTablesOf.plane[t]; }
  static uint32_t ternary(uint32_t one, uint32_t two) { return kTablesOf.ternary[one | two << 4]; }
  static uint32_t quaternary(uint32_t one, uint32_t two, uint32_t three) {
    return uint32_t{kTablesOf.quaternary[one | two << 4]} + kTablesOf.quaternary[three];
  }
  static uint8_t number_class(uint32_t sum, uint32_t own) { return kTablesOf.numbers[sum][own]; }
  static const QuadFacts& facts(uint32_t mask, uint32_t large) { return kTablesOf.facts[mask][large]; }
  static uint32_t gather(uint32_t mask, uint32_t bits) { return kTablesOf.gathered[mask][bits]; }
  static uint32_t scatter(uint32_t mask, uint32_t bits) { return kTablesOf.scattered[mask][bits]; }
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// What part_decoder.cuh keeps of a part: masks as nibbles, so that hints for the four children of a node are
// added and looked up at once, and formulas as tables.
#pragma once

#include "codec/entropy/model/rans.hpp"
#include "cuda/entropy/tile_part.cuh"

namespace ctv::cuda {

/// Four bits, a nibble each: counts of hints are kept so, one for each child of a node.
CTV_HOST_DEVICE constexpr uint32_t nibbles_of_bits(uint32_t mask) {
  return (mask & 1U) | (mask & 2U) << 3 | (mask & 4U) << 6 | (mask & 8U) << 9;
}
__device__ constexpr uint32_t bits_of_nibbles(uint32_t nibbles) { return nibbles * 0x1248U >> 12 & 15U; }
// Which children of the node to the right, or of that below, have a neighbour here that is not 0.
constexpr uint32_t kRightShift = 4, kRightHints = 0x101;
constexpr uint32_t kBelowShift = 8, kBelowHints = 0x11;
/// Neighbours to the right and below that are not 0, as far as children have no nearer ones.
__device__ constexpr uint32_t hints_beside(uint32_t right, uint32_t below) {
  return right * 0x1010U + below * 0x1100U;
}

/// What others see of a quad. sums: bytes of the digits' sum, the same with the right column's once more, and
/// with the lower row's; then large levels, 4 bits, and the class of numbers, 4. mask: nibbles.
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
  uint32_t numbers[kTableSymbols];  // of a number's symbol: number_base(), number_bits() from bit 16 on
  uint8_t scattered[16][16];        // [mask][bits]
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
                       nibbles_of_bits(m)};
      f.scattered[m][b] = static_cast<uint8_t>(scatter_bits(m, b));
    }
  }
  for (uint32_t t = 0; t < kMostDigits; ++t) {
    f.totals[t] = {plane_class(t) * 2 * kTable,
                   sum_class(t) * kSiblingClasses * kTable | number_class(sum_class(t), 0) << 28};
  }
  for (uint32_t n = 0; n < kTableSymbols; ++n) f.numbers[n] = number_base(n) | number_bits(n) << 16;
  return f;
}

/// recent_class(): the signs of differences are added side by side. recent: below 2^31.
__device__ __forceinline__ uint32_t recent_class_by_signs(uint32_t recent) {
  const auto beyond = [r = static_cast<int>(recent)](int bound) { return (bound - 1 - r) >> 31; };  // -1 or 0
  const int low = beyond(2) + beyond(5) + beyond(9);
  const int high = beyond(16) + beyond(32) + beyond(80);
  return static_cast<uint32_t>(-(low + high + beyond(240)));
}

// A part's quad (y, x) is number (y + 1) * kQuadStride + x + 2. Those of the tiles above and to the left
// stand before the first row and column, the rest are zeros.
constexpr uint32_t kQuadStride = kTileQuads + 2;
constexpr uint32_t kPlacedQuads = (kTileQuads + 1) * kQuadStride + 2;
__device__ __forceinline__ uint32_t place_of_quad(uint32_t i) {
  return (i / kTileQuads + 1) * kQuadStride + i % kTileQuads + 2;
}

/// The same of the nodes of a scale, which have their masks alone.
template <uint32_t kSide>
constexpr uint32_t kPlacedNodes = (kSide + 1) * (kSide + 1);

struct alignas(16) DecodedPart {
  uint32_t root;  // masks
  uint32_t eighths[kPlacedNodes<2>], quarters[kPlacedNodes<4>];
  QuadWords quads[kPlacedQuads];
};

/// Of a node that is not 0, before its mask is decoded. hints: how many of those known say that a child is
/// not 0, then the node's place, from bit 16 on. other: bytes of children in skipped cells are 255; of a quad
/// the offset in bytes among the tables of large levels that follows from the siblings.
struct alignas(8) KnownNode {
  uint32_t hints, other;
  __device__ __forceinline__ uint32_t place() const { return hints >> 16; }
};

/// How a scale's masks are coded (mask_table() of codec/entropy/model/tile_masks.hpp): digits by the number
/// of hints, a byte each from 0 to 4 on, of children that may lie in skipped cells or not.
struct NodeTables {
  uint32_t first;
  uint64_t coded, skipped;
  uint32_t weights;
};
template <uint32_t kSide>
__device__ __forceinline__ NodeTables node_tables(uint32_t siblings) {
  constexpr uint32_t kTernaryWeights = 0x1b090301, kQuaternaryWeights = 0x40100401;
  if constexpr (kSide == 1) {
    return {kEighthTables + siblings * kTernary, 0x0202020101ULL, 0x0202010100ULL, kTernaryWeights};
  }
  constexpr uint32_t kFirst = kMaskTables + (kSide == 2 ? 0 : kMaskContexts);
  constexpr uint64_t kSkipped = kSide == 2 ? 0x0202010000ULL : 0x0201010000ULL;
  if (siblings == 0) return {kFirst, 0x0202020100ULL, kSkipped, kTernaryWeights};
  return {kFirst + kTernary + (siblings - 1) * kQuaternary, 0x0303020100ULL, kSkipped, kQuaternaryWeights};
}
__device__ __forceinline__ uint32_t digits_of(uint64_t of_counts, uint32_t hints) {
  return __byte_perm(static_cast<uint32_t>(of_counts), static_cast<uint32_t>(of_counts >> 32),
                     hints & 0xffffU);
}

/// Children of a node in skipped cells, by lane: of the root in all, of eighths in 0 .. 3, of quarters in
/// 0 .. 15, bytes of 255.
struct SkippedChildren {
  uint32_t root = 0, eighth = 0, quarter = 0;
};
__device__ __forceinline__ uint32_t full_bytes(uint32_t mask) { return bytes_of_bits(mask) * 255U; }
/// skips: find_skips() of the tile. All lanes.
__device__ __forceinline__ SkippedChildren find_skipped_children(uint64_t skips, uint32_t lane) {
  if (skips == 0) return {};
  const auto corner = [](uint64_t rows, uint32_t side, uint32_t y, uint32_t x) {
    const auto two = static_cast<uint32_t>(rows >> (2 * y * side + 2 * x));
    const auto next_two = static_cast<uint32_t>(rows >> ((2 * y + 1) * side + 2 * x));
    return (two & 3U) | (next_two & 3U) << 2;
  };
  const uint32_t quads = corner(skips, 8, lane / 4 % 4, lane % 4);
  const uint32_t quarters =
      corner(__ballot_sync(kAllLanes, lane < 16 && quads == 15), 4, lane / 2 % 2, lane % 2);
  const uint32_t eighths = __ballot_sync(kAllLanes, lane < 4 && quarters == 15);
  return {full_bytes(eighths), full_bytes(quarters), full_bytes(quads)};
}

/// What quads before say of one: the weighted sum of digits, and hints with those known.
struct QuadsBefore {
  uint32_t sum, hints;
  __device__ __forceinline__ QuadsBefore(const QuadWords* quad, const KnownNode& known) {
    const QuadWords* const above = quad - kQuadStride;
    sum = __dp4a(above[-1].sums, kOnce, __dp4a(above[1].sums, kOnce, __dp4a(quad[-2].sums, kOnce, 0U)));
    sum = __dp4a(above[0].sums, kTwiceLower, __dp4a(quad[-1].sums, kTwiceRight, sum));
    hints = known.hints + (quad[-1].mask >> kRightShift & kRightHints) +
            (above[0].mask >> kBelowShift & kBelowHints);
  }
  static constexpr uint32_t kOnce = 1, kTwiceRight = 0x200, kTwiceLower = 0x20000;  // of QuadWords::sums
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
    shift = right ? kRightShift : kBelowShift;
    hints = right ? kRightHints : below ? kBelowHints : 0;
  }
  __device__ __forceinline__ void add(const QuadWords& last, QuadsBefore& before) const {
    before.sum = __dp4a(last.sums, weight, before.sum);
    before.hints += last.mask >> shift & hints;
  }
};

}  // namespace ctv::cuda

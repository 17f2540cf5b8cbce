// SPDX-License-Identifier: BSD-3-Clause
// Data of a part in part_decoder.cuh and part_notes.cuh: masks as nibbles, so that hints for the four
// children of a node are added and looked up at once, and formulas as tables.
#pragma once

#include "codec/model/rans.hpp"
#include "cuda/entropy/tile_part.cuh"

namespace ctv::cuda {

__device__ __forceinline__ uint32_t bytes_of_bits(uint32_t mask) {  // byte i: bit i, of four
  return mask * 0x00204081U & 0x01010101U;
}
/// Expands four bits to nibbles. Counts of hints have this form, one nibble per child of a node.
CTV_HOST_DEVICE constexpr uint32_t nibbles_of_bits(uint32_t mask) {
  return (mask & 1U) | (mask & 2U) << 3 | (mask & 4U) << 6 | (mask & 8U) << 9;
}
__device__ constexpr uint32_t bits_of_nibbles(uint32_t nibbles) { return nibbles * 0x1248U >> 12 & 15U; }
// Hints that nonzero children give to the children of the node to the right or below.
constexpr uint32_t kRightShift = 4, kRightHints = 0x101;
constexpr uint32_t kBelowShift = 8, kBelowHints = 0x11;
/// Hints from nonzero neighbours to the right and below, for children without nearer ones.
__device__ constexpr uint32_t hints_beside(uint32_t right, uint32_t below) {
  return right * 0x1010U + below * 0x1100U;
}

/// Context of a quad. sums: bytes with the sum of digits, the same plus the right column's, the same plus the
/// lower row's; then 4 bits each for large levels and the class of numbers. mask: nibbles.
struct alignas(8) QuadWords {
  uint32_t sums, mask;
};
/// Context from the weighted sum of digits of earlier neighbours: byte offsets within the tables of masks and
/// of large levels, the latter with the class of numbers in bits 30 and 31.
struct alignas(8) TotalWords {
  uint32_t plane, sum;
};
/// large: as coded, in the order of nonzero levels.
constexpr QuadWords quad_words(uint32_t mask, uint32_t large) {
  const QuadFacts facts = quad_facts(mask, large);
  const uint32_t sum = facts.sum;
  return {sum | (sum + (facts.right >> 4)) << 8 | (sum + (facts.lower >> 4)) << 16 |
              uint32_t{facts.large} << 24 | number_class(0, sum) << 28,
          nibbles_of_bits(mask)};
}
constexpr TotalWords total_words(uint32_t total) {
  constexpr uint32_t kTable = sizeof(SymbolTable);
  return {plane_class(total) * 2 * kTable,
          sum_class(total) * kSiblingClasses * kTable | number_class(sum_class(total), 0) << 28};
}

/// recent_class(): adds the signs of differences in parallel. recent: below 2^31.
__device__ __forceinline__ uint32_t recent_class_by_signs(uint32_t recent) {
  const auto beyond = [r = static_cast<int>(recent)](int bound) { return (bound - 1 - r) >> 31; };  // -1 or 0
  const int low = beyond(2) + beyond(5) + beyond(9);
  const int high = beyond(16) + beyond(32) + beyond(80);
  return static_cast<uint32_t>(-(low + high + beyond(240)));
}

// Quad (y, x) of a part has index (y + 1) * kQuadStride + x + 2. Quads of the tiles above and to the left
// precede the first row and column; the others are 0.
constexpr uint32_t kQuadStride = kTileQuads + 2;
constexpr uint32_t kPlacedQuads = (kTileQuads + 1) * kQuadStride + 2;
__device__ __forceinline__ uint32_t place_of_quad(uint32_t i) {
  return (i / kTileQuads + 1) * kQuadStride + i % kTileQuads + 2;
}

/// The same for the nodes of a scale, which only have masks.
template <uint32_t kSide>
constexpr uint32_t kPlacedNodes = (kSide + 1) * (kSide + 1);

struct alignas(16) DecodedPart {
  uint32_t root;  // masks
  uint32_t eighths[kPlacedNodes<2>], quarters[kPlacedNodes<4>];
  QuadWords quads[kPlacedQuads];
};

/// Context of a nonzero node before its mask is decoded. hints: per child, the number of known hints; from
/// bit 16 on the node's place. other: bytes of 255 for children in skipped cells; for a quad the byte offset
/// within the tables of large levels that the siblings give.
struct alignas(8) KnownNode {
  uint32_t hints, other;
  __device__ __forceinline__ uint32_t place() const { return hints >> 16; }
};

/// Coding of a scale's masks (mask_table() of codec/model/tile_masks.hpp): digits by the number of hints, one
/// byte each for 0 to 4, of children outside and inside skipped cells.
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
/// Table of a node's mask. skipped: bytes of 255 for children in skipped cells.
__device__ __forceinline__ uint32_t table_of_mask(const NodeTables& tables, uint32_t hints,
                                                  uint32_t skipped) {
  const uint32_t digits =
      (digits_of(tables.coded, hints) & ~skipped) | (digits_of(tables.skipped, hints) & skipped);
  return tables.first + __dp4a(digits, tables.weights, 0U);
}
/// Digits of a quad's levels as one number.
__device__ __forceinline__ uint32_t digits_of_quad(uint32_t hints) {
  return __dp4a(digits_of(0x0202020100ULL, hints), 0x1b090301U, 0U);
}

/// The four children of node (y, x), from rows of `side` bits.
__device__ __forceinline__ uint32_t children_of(uint64_t rows, uint32_t side, uint32_t y, uint32_t x) {
  const auto two = static_cast<uint32_t>(rows >> (2 * y * side + 2 * x));
  const auto next_two = static_cast<uint32_t>(rows >> ((2 * y + 1) * side + 2 * x));
  return (two & 3U) | (next_two & 3U) << 2;
}

/// Children of a node in skipped cells as bytes of 255, by lane: of the root in all lanes, of eighths in
/// lanes 0 .. 3, of quarters in lanes 0 .. 15.
struct SkippedChildren {
  uint32_t root = 0, eighth = 0, quarter = 0;
};
__device__ __forceinline__ uint32_t full_bytes(uint32_t mask) { return bytes_of_bits(mask) * 255U; }
/// skips: find_skips() of the tile. All lanes must call.
__device__ __forceinline__ SkippedChildren find_skipped_children(uint64_t skips, uint32_t lane) {
  if (skips == 0) return {};
  const uint32_t quads = children_of(skips, 8, lane / 4 % 4, lane % 4);
  const uint32_t quarters =
      children_of(__ballot_sync(kAllLanes, lane < 16 && quads == 15), 4, lane / 2 % 2, lane % 2);
  const uint32_t eighths = __ballot_sync(kAllLanes, lane < 4 && quarters == 15);
  return {full_bytes(eighths), full_bytes(quarters), full_bytes(quads)};
}

/// Number of nonzero quads before quad i of a part.
__device__ __forceinline__ uint32_t quads_before(uint64_t quads, uint32_t i) {
  return count_bits(quads & ((uint64_t{1} << i) - 1));
}
/// Context of quad i from all nonzero quads of the part and from the siblings.
__device__ __forceinline__ KnownNode know_quad(uint64_t quads, uint32_t i, const QuadWords* nearest,
                                               const QuadWords* next, uint32_t siblings) {
  const uint32_t place = place_of_quad(i);
  const uint32_t right = i % kTileQuads == 7 ? 0 : static_cast<uint32_t>(quads >> i >> 1) & 1U;
  const uint32_t below = static_cast<uint32_t>(quads >> i >> 8) & 1U;
  uint32_t hints = hints_beside(right, below);
  uint32_t from_siblings = 0;
  if (siblings != 0) {
    const QuadWords one = nearest[place];
    const QuadWords other = next[place];
    hints += one.mask + other.mask;
    from_siblings = sibling_sum_class((one.sums & 255U) + (other.sums & 255U), 1) * sizeof(SymbolTable);
  }
  return {place << 16 | hints, from_siblings};
}

/// Context of a quad from earlier quads: the weighted sum of digits, and all hints.
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

/// Correction for the quad just before, which was still 0 when QuadsBefore read it. distance: in places.
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

/// Two adjacent quads in each lane of a warp: nonzero levels, and large ones.
struct QuadPair {
  uint32_t masks[2], larges[2];
  uint32_t levels_before, numbers_before;  // in lower lanes
  uint32_t all;                            // levels; in the upper half large ones

  __device__ __forceinline__ QuadPair(const QuadWords* own, uint32_t lane)
      : masks{bits_of_nibbles(own[0].mask), bits_of_nibbles(own[1].mask)},
        larges{own[0].sums >> 24 & 15U, own[1].sums >> 24 & 15U} {
    const auto bits = [](const uint32_t* two) {
      return static_cast<uint32_t>(__popc(static_cast<int>(two[0] | two[1] << 4)));
    };
    constexpr int kCountBits = 4;  // a lane has at most eight
    levels_before = warp_sum_before<kCountBits>(bits(masks), lane);
    numbers_before = warp_sum_before<kCountBits>(bits(larges), lane);
    const uint32_t through = (levels_before + bits(masks)) | (numbers_before + bits(larges)) << 16;
    all = __shfl_sync(kAllLanes, through, kWarp - 1);
  }
  __device__ __forceinline__ uint32_t levels() const { return all & 0xffffU; }
  __device__ __forceinline__ uint32_t numbers() const { return all >> 16; }

  /// Writes large levels in order: place, class from bit 8 on, negative in bit 12.
  __device__ __forceinline__ void note_numbers(const QuadWords* own, const uint32_t* negatives, uint32_t lane,
                                               uint16_t* to) const {
    if (numbers() == 0) return;
    uint32_t number = numbers_before;
#pragma unroll
    for (uint32_t q = 0; q < 2; ++q) {
      const uint32_t classes = own[q].sums >> 28;
#pragma unroll
      for (uint32_t bit = 0; bit < 4; ++bit) {
        if ((larges[q] >> bit & 1U) == 0) continue;
        to[number++] =
            static_cast<uint16_t>((8 * lane + 4 * q + bit) | classes << 8 | (negatives[q] >> bit & 1U) << 12);
      }
    }
  }
};

}  // namespace ctv::cuda

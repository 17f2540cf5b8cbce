// SPDX-License-Identifier: BSD-3-Clause
// The quadtree of a part (docs/symbols.md), scale by scale: a node knows which of its neighbours on all sides
// are 0 before its own children are coded.
#pragma once

#include <cstdint>

#include "codec/entropy/model/tile_contexts.hpp"

namespace ctv {

/// Nodes that are not 0: node (y, x) is bit x + 1 of row y + 1. Row 0 and bit 0 are of the tiles above and to
/// the left, what is behind is 0.
struct TileRows {
  uint32_t eighths[4];   // blocks of 8x8 levels
  uint32_t quarters[6];  // of 4x4
  uint32_t quads[10];
};

CTV_HOST_DEVICE uint32_t lowest_bit(uint64_t v) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint32_t>(__ffsll(static_cast<long long>(v))) - 1;
#else
  return static_cast<uint32_t>(__builtin_ctzll(v));
#endif
}
CTV_HOST_DEVICE uint32_t count_bits(uint64_t v) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint32_t>(__popcll(static_cast<long long>(v)));
#else
  return static_cast<uint32_t>(__builtin_popcountll(v));
#endif
}
inline uint32_t nonzero_bytes(uint64_t v) {  // bit i: byte i of v, below 128, is not 0
  const uint64_t ones = ((v + 0x7f7f7f7f7f7f7f7fULL) & 0x8080808080808080ULL) >> 7;
  return static_cast<uint32_t>(ones * 0x0102040810204080ULL >> 56);
}
CTV_HOST_DEVICE uint32_t pairs_of_8(uint32_t bits) {  // bit i: bits 2 i or 2 i + 1
  bits = (bits | bits >> 1) & 0x55U;
  bits = (bits | bits >> 1) & 0x33U;
  return (bits | bits >> 2) & 0x0fU;
}
CTV_HOST_DEVICE uint32_t pairs_of_4(uint32_t bits) {
  return ((bits | bits >> 1) & 1U) | ((bits >> 2 | bits >> 3) & 1U) << 1;
}
inline uint32_t children_at(const uint32_t* rows, uint32_t y, uint32_t x) {
  return (rows[2 * y + 1] >> (2 * x + 1) & 3U) | (rows[2 * y + 2] >> (2 * x + 1) & 3U) << 2;
}

inline uint32_t both_of_8(uint32_t bits) {  // bit i: bits 2 i and 2 i + 1
  return 15U & ~pairs_of_8(~bits & 255U);
}
inline uint32_t both_of_4(uint32_t bits) { return 3U & ~pairs_of_4(~bits & 15U); }

/// Nodes of a part that lie in skipped cells: bit x of row y.
struct SkipRows {
  uint32_t eighths[2], quarters[4], quads[8];
};
/// skips: find_skips() of the tile.
inline void find_skip_rows(uint64_t skips, SkipRows& rows) {
  if (skips == 0) {
    rows = {};
    return;
  }
  for (uint32_t y = 0; y < 8; ++y) rows.quads[y] = static_cast<uint32_t>(skips >> (8 * y)) & 255U;
  for (uint32_t y = 0; y < 4; ++y) rows.quarters[y] = both_of_8(rows.quads[2 * y] & rows.quads[2 * y + 1]);
  for (uint32_t y = 0; y < 2; ++y) {
    rows.eighths[y] = both_of_4(rows.quarters[2 * y] & rows.quarters[2 * y + 1]);
  }
}

/// For each of four children, how many of four hints say that it is not 0: masks of one and more, two and
/// more, three and more, four. p, q: neighbours. d, e: siblings.
struct Hints {
  uint32_t one, two, three, four;
};
inline Hints count_hints(uint32_t p, uint32_t q, uint32_t d, uint32_t e) {
  const uint32_t odd = p ^ q ^ d ^ e;
  const uint32_t two = (p & q) | (d & e) | ((p ^ q) & (d ^ e));
  const uint32_t four = p & q & d & e;
  return {odd | two, two, (two & odd) | four, four};
}

/// The context of a node's mask. side: nodes in a row of the part. skips: children in skipped cells.
template <uint32_t kSide, typename Coder>
inline uint32_t mask_table(const Hints& hints, uint32_t skips, uint32_t siblings) {
  const uint32_t coded = ~skips & 15U;
  if constexpr (kSide == 1) {
    const uint32_t one = (hints.one & skips) | coded;
    const uint32_t two = (hints.two & coded) | (hints.three & skips);
    return kEighthTables + siblings * kTernary + Coder::ternary(one, two);
  }
  constexpr uint32_t kFirst = kMaskTables + (kSide == 2 ? 0 : kMaskContexts);
  const uint32_t one = (hints.one & coded) | (hints.two & skips);
  const uint32_t two = (hints.two & coded) | ((kSide == 2 ? hints.three : hints.four) & skips);
  const uint32_t three = hints.three & coded;
  if (siblings == 0) return kFirst + Coder::ternary(one, two);
  return kFirst + kTernary + (siblings - 1) * kQuaternary + Coder::quaternary(one, two, three);
}

/// Codes which children of the nodes that are not 0 are not 0 themselves. nodes: bit kSide y + x. truth:
/// encoder: children, bit x of row y; skips too. sibling0, sibling1: children, the same twice if there is
/// one sibling only.
template <uint32_t kSide, typename Coder>
inline void code_masks(Coder& coder, uint32_t nodes, const uint32_t* parents, uint32_t* children,
                       const uint32_t* truth, const uint32_t* skips, const uint32_t* sibling0,
                       const uint32_t* sibling1, uint32_t siblings) {
  for (; nodes != 0; nodes &= nodes - 1) {
    const uint32_t i = lowest_bit(nodes);
    const uint32_t y = i / kSide;
    const uint32_t x = i % kSide;
    uint32_t* const rows = children + 2 * y;
    const uint32_t right = parents[y + 1] >> (x + 2) & 1U;
    const uint32_t below = parents[y + 2] >> (x + 1) & 1U;
    const uint32_t p = (rows[0] >> (2 * x + 1) & 3U) | (rows[2] >> (2 * x) & 1U) << 2 | right << 3;
    const uint32_t q = (rows[1] >> (2 * x) & 1U) | right << 1 | below * 12U;
    uint32_t d = 0;
    uint32_t e = 0;
    if (siblings != 0) {
      d = children_at(sibling0, y, x);
      e = children_at(sibling1, y, x);
    }
    const uint32_t skipped = (skips[2 * y] >> (2 * x) & 3U) | (skips[2 * y + 1] >> (2 * x) & 3U) << 2;
    uint32_t mask = 0;
    if constexpr (!Coder::kDecodes) {
      mask = (truth[2 * y] >> (2 * x) & 3U) | (truth[2 * y + 1] >> (2 * x) & 3U) << 2;
    }
    mask = coder.symbol(mask_table<kSide, Coder>(count_hints(p, q, d, e), skipped, siblings), mask);
    rows[1] |= (mask & 3U) << (2 * x + 1);
    rows[2] |= (mask >> 2) << (2 * x + 1);
  }
}

inline void start_rows(uint32_t* rows, int side, uint32_t above, uint32_t left) {
  rows[0] = above << 1;
  for (int y = 0; y < side; ++y) rows[y + 1] = left >> y & 1U;
}

/// Codes the quads of a part that are not 0 and returns them: bit 8 y + x. above, left: those of the
/// neighbours along the border. skipped: nodes in skipped cells.
template <typename Coder>
inline uint64_t code_quad_masks(Coder& coder, uint64_t truth, const SkipRows& skipped, uint32_t above,
                                uint32_t left, TileRows& rows, const TileRows& s0, const TileRows& s1,
                                uint32_t siblings) {
  uint32_t true_quads[8] = {};
  uint32_t true_quarters[4] = {};
  uint32_t true_eighths[2] = {};
  if constexpr (!Coder::kDecodes) {
    for (uint32_t y = 0; y < 8; ++y) true_quads[y] = static_cast<uint32_t>(truth >> (8 * y)) & 255U;
    for (uint32_t y = 0; y < 4; ++y) true_quarters[y] = pairs_of_8(true_quads[2 * y] | true_quads[2 * y + 1]);
    for (uint32_t y = 0; y < 2; ++y) {
      true_eighths[y] = pairs_of_4(true_quarters[2 * y] | true_quarters[2 * y + 1]);
    }
  }
  const uint32_t above4 = pairs_of_8(above);
  const uint32_t left4 = pairs_of_8(left);
  start_rows(rows.eighths, 2, pairs_of_4(above4), pairs_of_4(left4));
  start_rows(rows.quarters, 4, above4, left4);
  start_rows(rows.quads, 8, above, left);
  const uint32_t root[3] = {0, 2, 0};
  code_masks<1>(coder, 1, root, rows.eighths, true_eighths, skipped.eighths, s0.eighths, s1.eighths,
                siblings);
  uint32_t nodes = (rows.eighths[1] >> 1 & 3U) | (rows.eighths[2] >> 1 & 3U) << 2;
  code_masks<2>(coder, nodes, rows.eighths, rows.quarters, true_quarters, skipped.quarters, s0.quarters,
                s1.quarters, siblings);
  nodes = 0;
  for (int y = 0; y < 4; ++y) nodes |= (rows.quarters[y + 1] >> 1 & 15U) << (4 * y);
  code_masks<4>(coder, nodes, rows.quarters, rows.quads, true_quads, skipped.quads, s0.quads, s1.quads,
                siblings);
  uint64_t quads = 0;
  for (int y = 0; y < 8; ++y) quads |= uint64_t{rows.quads[y + 1] >> 1 & 255U} << (8 * y);
  return quads;
}

}  // namespace ctv

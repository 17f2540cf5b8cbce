// SPDX-License-Identifier: BSD-3-Clause
// Quadtree of a part (docs/entropy.md), coded scale by scale: the neighbours of a node on all sides are known
// to be 0 or not before its children are coded.
#pragma once

#include <cstdint>

#include "codec/model/tile_contexts.hpp"
#include "codec/model/tile_skips.hpp"

namespace ctv {

/// Masks of nodes that are not 0, or of nodes in skipped cells. The four children of a node form a nibble;
/// nibbles are in raster order of their nodes.
struct PartNodes {
  uint64_t quads;
  uint32_t quarters;  // of 4x4 levels
  uint32_t eighths;   // of 8x8 levels
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
CTV_HOST_DEVICE uint32_t pairs_of_4(uint32_t bits) {
  return ((bits | bits >> 1) & 1U) | ((bits >> 2 | bits >> 3) & 1U) << 1;
}

inline constexpr uint64_t kEachNibble = 0x1111111111111111ULL;
inline uint64_t swap_bits(uint64_t v, uint64_t which, int distance) {  // with bits `distance` above
  const uint64_t changed = (v ^ v >> distance) & which;
  return v ^ changed ^ changed << distance;
}
// Convert between raster order of 8x8 or 4x4 bits and nibbles.
inline uint64_t nibbles_of_8x8(uint64_t raster) {
  return swap_bits(swap_bits(raster, 0x00f000f000f000f0ULL, 4), 0x0c0c0c0c0c0c0c0cULL, 2);
}
inline uint64_t raster_of_8x8(uint64_t nibbles) {
  return swap_bits(swap_bits(nibbles, 0x0c0c0c0c0c0c0c0cULL, 2), 0x00f000f000f000f0ULL, 4);
}
inline uint32_t swap_4x4(uint32_t v) { return static_cast<uint32_t>(swap_bits(v, 0x0c0c, 2)); }
// Convert between the lowest bits of 16 nibbles, whose other bits are 0, and 16 adjacent bits.
inline uint32_t bits_together(uint64_t v) {
  v = (v | v >> 3) & 0x0303030303030303ULL;
  v = (v | v >> 6) & 0x000f000f000f000fULL;
  v = (v | v >> 12) & 0x000000ff000000ffULL;
  return static_cast<uint32_t>(v | v >> 24) & 0xffffU;
}
inline uint64_t bits_apart(uint64_t v) {
  v = (v | v << 24) & 0x000000ff000000ffULL;
  v = (v | v << 12) & 0x000f000f000f000fULL;
  v = (v | v << 6) & 0x0303030303030303ULL;
  return (v | v << 3) & kEachNibble;
}
inline uint64_t any_of_nibbles(uint64_t v) {  // sets the lowest bit of each nibble
  v |= v >> 2;
  return (v | v >> 1) & kEachNibble;
}
inline uint64_t all_of_nibbles(uint64_t v) {
  v &= v >> 2;
  return v & v >> 1 & kEachNibble;
}

/// Nodes above quads in raster order. among: any_of_nibbles() or all_of_nibbles(), tells whether a node is
/// set.
template <typename Among>
inline PartNodes part_nodes(uint64_t quads, Among among) {
  PartNodes nodes;
  nodes.quads = nibbles_of_8x8(quads);
  nodes.quarters = swap_4x4(bits_together(among(nodes.quads)));
  nodes.eighths = bits_together(among(nodes.quarters));
  return nodes;
}
/// skips: find_skips() of the tile.
inline PartNodes skipped_nodes(uint64_t skips) {
  return skips == 0 ? PartNodes{} : part_nodes(skips, all_of_nibbles);
}

/// For each of four children, how many of four hints are set: masks of >= 1, >= 2, >= 3, 4. p, q: hints of
/// neighbours. d, e: of siblings.
template <typename Word>
struct Hints {
  Word one, two, three, four;
};
template <typename Word>
inline Hints<Word> count_hints(Word p, Word q, Word d, Word e) {
  const Word odd = p ^ q ^ d ^ e;
  const Word two = (p & q) | (d & e) | ((p ^ q) & (d ^ e));
  const Word four = p & q & d & e;
  return {odd | two, two, (two & odd) | four, four};
}

/// Context of a node's mask. at: position of its nibble in all words. kSide: nodes per row of the part.
/// skips: children in skipped cells.
template <uint32_t kSide, typename Coder>
inline uint32_t mask_table(const Hints<uint64_t>& hints, uint64_t skips, uint32_t siblings, uint32_t at) {
  const auto own = [at](uint64_t word) { return static_cast<uint32_t>(word >> at) & 15U; };
  const uint64_t coded = ~skips;
  if constexpr (kSide == 1) {
    const uint64_t one = (hints.one & skips) | coded;
    const uint64_t two = (hints.two & coded) | (hints.three & skips);
    return kEighthTables + siblings * kTernary + Coder::ternary(own(one), own(two));
  }
  constexpr uint32_t kFirst = kMaskTables + (kSide == 2 ? 0 : kMaskContexts);
  const uint64_t one = (hints.one & coded) | (hints.two & skips);
  const uint64_t two = (hints.two & coded) | ((kSide == 2 ? hints.three : hints.four) & skips);
  const uint64_t three = hints.three & coded;
  if (siblings == 0) return kFirst + Coder::ternary(own(one), own(two));
  return kFirst + kTernary + (siblings - 1) * kQuaternary + Coder::quaternary(own(one), own(two), own(three));
}

/// What is known of all children of a scale before they are coded: nibbles of hints.
template <uint32_t kSide>
struct KnownChildren {
  static constexpr int kRow = 4 * kSide;  // bits of a row of nodes
  static constexpr uint64_t kFirstOfRow = kSide == 1 ? 1 : kSide == 2 ? 0x0101 : 0x0001000100010001ULL;
  static constexpr uint64_t kOthersOfRow = kEachNibble & ~kFirstOfRow;
  uint64_t p, q;
  // nodes: nonzero nodes, in the lowest bits of nibbles. above, left: children along the border, as adjacent
  // bits.
  KnownChildren(uint64_t nodes, uint64_t above, uint64_t left) {
    const uint64_t right = (nodes & kOthersOfRow) >> 4;
    above = (above | above << 4) & 0x0f0f;
    above = (above | above << 2) & 0x3333;
    if constexpr (kSide == 4) left = (left | left << 28) & 0x0000000f0000000fULL;
    left = (left | left << (kRow - 2)) & 3 * kFirstOfRow;
    left = (left | left << 1) & 5 * kFirstOfRow;
    p = above | (left & 4 * kEachNibble) | right << 3;
    q = (left & kEachNibble) | right << 1 | (nodes >> kRow) * 12;
  }
  // children: those coded so far. d, e: of siblings.
  Hints<uint64_t> hints(uint64_t children, uint64_t d, uint64_t e) const {
    const uint64_t to_right = children << 3;
    const uint64_t down = children << (kRow - 2);
    return count_hints(p | (down & 3 * kEachNibble) | (to_right & 4 * kOthersOfRow),
                       q | (to_right & kOthersOfRow), d, e);
  }
};

/// Codes and returns the nonzero children of nonzero nodes. nodes: in the lowest bits of nibbles. truth: the
/// children (encoder only). d, e: those of siblings, the same twice for a single sibling.
template <uint32_t kSide, typename Coder>
inline uint64_t code_masks(Coder& coder, uint64_t nodes, uint64_t truth, uint32_t above, uint32_t left,
                           uint64_t skips, uint64_t d, uint64_t e, uint32_t siblings) {
  const KnownChildren<kSide> known(nodes, above, left);
  uint64_t children = truth;
  for (; nodes != 0; nodes &= nodes - 1) {
    const uint32_t at = lowest_bit(nodes);
    const uint32_t table = mask_table<kSide, Coder>(known.hints(children, d, e), skips, siblings, at);
    const uint64_t mask = coder.symbol(table, static_cast<uint32_t>(truth >> at) & 15U);
    if constexpr (Coder::kDecodes) children |= mask << at;
  }
  return children;
}

/// Codes and returns the nonzero quads of a part: bit 8 y + x. above, left: neighbours' quads along the
/// border. skipped: nodes in skipped cells. own: receives the part's nodes. s0, s1: the siblings' nodes, if
/// any.
template <typename Coder>
inline uint64_t code_quad_masks(Coder& coder, uint64_t truth, const PartNodes& skipped, uint32_t above,
                                uint32_t left, PartNodes& own, PartNodes s0, PartNodes s1,
                                uint32_t siblings) {
  PartNodes n{};
  if constexpr (!Coder::kDecodes) n = part_nodes(truth, any_of_nibbles);
  if (siblings == 0) s0 = s1 = {};
  const uint32_t above4 = pairs_of_8(above);
  const uint32_t left4 = pairs_of_8(left);
  n.eighths = static_cast<uint32_t>(code_masks<1>(coder, 1, n.eighths, pairs_of_4(above4), pairs_of_4(left4),
                                                  skipped.eighths, s0.eighths, s1.eighths, siblings));
  n.quarters = static_cast<uint32_t>(code_masks<2>(coder, bits_apart(n.eighths), n.quarters, above4, left4,
                                                   skipped.quarters, s0.quarters, s1.quarters, siblings));
  n.quads = code_masks<4>(coder, bits_apart(swap_4x4(n.quarters)), n.quads, above, left, skipped.quads,
                          s0.quads, s1.quads, siblings);
  own = n;
  return raster_of_8x8(n.quads);
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Where pieces of tiles begin (docs/entropy.md), compiled for CPU and GPU. A tile's cost follows from its
// levels alone, so the costs of all tiles, and their sums, can be found at once.
#pragma once

#include <cstdint>

#include "codec/model/tile_contexts.hpp"

namespace ctv {

/// Of a piece, about; it then has some 300 bytes. Costs are times: a device waits for the longest piece, and
/// takes as long for a part that is not 0 as for six quads.
inline constexpr uint32_t kPieceCost = 3000;
inline constexpr uint32_t kTileCost = 12;
inline constexpr uint32_t kPartCost = 48;
inline constexpr uint32_t kQuadCost = 8;
inline constexpr uint32_t kLargeCost = 4;
/// Longer pieces are damaged: they would keep one thread of a device busy for long.
inline constexpr uint32_t kMostPieceTiles = 1024;
static_assert(kPieceCost / kTileCost < kMostPieceTiles);

/// What the cost of a tile and the model of a piece follow from: sums over their parts, of 16 bits each,
/// which suffice, since a piece costs at most kPieceCost and two tiles.
struct TileSums {
  uint64_t packed;  // quads that are not 0, large levels, raw bits of their numbers, parts that are not 0
  CTV_HOST_DEVICE constexpr uint32_t quads() const { return field(0); }
  CTV_HOST_DEVICE constexpr uint32_t large() const { return field(1); }
  CTV_HOST_DEVICE constexpr uint32_t raw_bits() const { return field(2); }
  CTV_HOST_DEVICE constexpr uint32_t parts() const { return field(3); }

 private:
  CTV_HOST_DEVICE constexpr uint32_t field(int i) const {
    return static_cast<uint32_t>(packed >> (16 * i)) & 0xffffU;
  }
};
/// Of one part.
CTV_HOST_DEVICE constexpr TileSums part_sums(uint32_t quads, uint32_t large, uint32_t raw_bits) {
  return {quads | uint64_t{large} << 16 | uint64_t{raw_bits} << 32 | uint64_t{quads != 0} << 48};
}
CTV_HOST_DEVICE constexpr uint32_t tile_cost(const TileSums& s) {
  return kTileCost + kPartCost * s.parts() + kQuadCost * s.quads() + kLargeCost * s.large() + s.raw_bits();
}
/// The encoder's choice of a piece's model: the more and the larger its large levels are, the higher.
CTV_HOST_DEVICE constexpr uint32_t piece_model(const TileSums& piece) {
  const uint64_t weight = 2 * uint64_t{piece.large()} + 4 * uint64_t{piece.raw_bits()};
  return (weight > piece.quads() ? 1 : 0) + (weight > 6 * uint64_t{piece.quads()} ? 1 : 0);
}
/// A tile begins a piece where this is another number than that of the tile before. before: the costs of all
/// tiles of the component before this one. The middle of its own cost counts, so that two tiles dearer
/// than a piece do not meet.
CTV_HOST_DEVICE constexpr uint64_t piece_of(uint64_t before, uint32_t cost) {
  return (before + cost / 2) / kPieceCost;
}

}  // namespace ctv

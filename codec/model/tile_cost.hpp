// SPDX-License-Identifier: BSD-3-Clause
// Division of tiles into pieces (docs/entropy.md), compiled for CPU and GPU. A tile's cost depends on its
// levels only, so all costs and their prefix sums can be computed in parallel.
#pragma once

#include <cstdint>

#include "codec/model/tile_contexts.hpp"

namespace ctv {

/// Target cost of a piece: about 300 bytes. Costs model decoding time, since a device waits for the longest
/// piece. A nonzero part takes as long as six quads.
inline constexpr uint32_t kPieceCost = 3000;
inline constexpr uint32_t kTileCost = 12;
inline constexpr uint32_t kPartCost = 48;
inline constexpr uint32_t kQuadCost = 8;
inline constexpr uint32_t kLargeCost = 4;
/// Longer pieces count as damaged: they would occupy one thread of a device for too long.
inline constexpr uint32_t kMostPieceTiles = 1024;
static_assert(kPieceCost / kTileCost < kMostPieceTiles);

/// Sums over the parts of a tile or piece, from which its cost and model follow. 16 bits each suffice, since
/// a piece costs at most kPieceCost and two tiles.
struct TileSums {
  uint64_t packed;  // nonzero quads, large levels, raw bits of their numbers, nonzero parts
  CTV_HOST_DEVICE constexpr uint32_t quads() const { return field(0); }
  CTV_HOST_DEVICE constexpr uint32_t large() const { return field(1); }
  CTV_HOST_DEVICE constexpr uint32_t raw_bits() const { return field(2); }
  CTV_HOST_DEVICE constexpr uint32_t parts() const { return field(3); }

 private:
  CTV_HOST_DEVICE constexpr uint32_t field(int i) const {
    return static_cast<uint32_t>(packed >> (16 * i)) & 0xffffU;
  }
};
/// Sums of one part.
CTV_HOST_DEVICE constexpr TileSums part_sums(uint32_t quads, uint32_t large, uint32_t raw_bits) {
  return {quads | uint64_t{large} << 16 | uint64_t{raw_bits} << 32 | uint64_t{quads != 0} << 48};
}
CTV_HOST_DEVICE constexpr uint32_t tile_cost(const TileSums& s) {
  return kTileCost + kPartCost * s.parts() + kQuadCost * s.quads() + kLargeCost * s.large() + s.raw_bits();
}
/// The encoder's choice of a piece's model: higher with more and larger large levels.
CTV_HOST_DEVICE constexpr uint32_t piece_model(const TileSums& piece) {
  const uint64_t weight = 2 * uint64_t{piece.large()} + 4 * uint64_t{piece.raw_bits()};
  return (weight > piece.quads() ? 1 : 0) + (weight > 6 * uint64_t{piece.quads()} ? 1 : 0);
}
/// A tile begins a piece if this number differs from that of the tile before. before: sum of the costs of all
/// earlier tiles of the component. Half of its own cost is added, so that two tiles that each cost more than
/// a piece are separated.
CTV_HOST_DEVICE constexpr uint64_t piece_of(uint64_t before, uint32_t cost) {
  return (before + cost / 2) / kPieceCost;
}

}  // namespace ctv

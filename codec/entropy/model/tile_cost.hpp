// SPDX-License-Identifier: BSD-3-Clause
// Where pieces of tiles begin (docs/symbols.md), compiled for CPU and GPU. A tile's cost follows from its
// levels alone, so the costs of all tiles, and their sums, can be found at once.
#pragma once

#include <cstdint>

#include "codec/entropy/model/tile_contexts.hpp"

namespace ctv {

/// Of a piece, about; it then has some 400 bytes. In bits, as all costs. A tile, and a part that is not 0,
/// cost more than their bits: a device takes as long for a part as for five quads, and waits for the longest
/// piece.
inline constexpr uint32_t kPieceCost = 3600;
inline constexpr uint32_t kLeastTileCost = 8;
inline constexpr uint32_t kPartCost = 24;
/// Longer pieces are damaged: they would keep one thread of a device busy for long.
inline constexpr uint32_t kMostPieceTiles = 1024;
static_assert(kPieceCost / kLeastTileCost < kMostPieceTiles);

/// What the cost of a tile and the model of a piece follow from: sums over their parts, of 16 bits each. A
/// piece ends with the tile that exceeds its cost, so they suffice.
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
  const uint32_t cost = kPartCost * s.parts() + 8 * s.quads() + 4 * s.large() + s.raw_bits();
  return cost > kLeastTileCost ? cost : kLeastTileCost;
}
/// The encoder's choice of a piece's model: the more and the larger its large levels are, the higher.
CTV_HOST_DEVICE constexpr uint32_t piece_model(const TileSums& piece) {
  const uint64_t weight = 2 * uint64_t{piece.large()} + 4 * uint64_t{piece.raw_bits()};
  return (weight > piece.quads() ? 1 : 0) + (weight > 6 * uint64_t{piece.quads()} ? 1 : 0);
}
/// The same for the tiles of a piece. before: the costs of all tiles of the component before this one.
CTV_HOST_DEVICE constexpr uint64_t piece_of(uint64_t before) { return before / kPieceCost; }

}  // namespace ctv

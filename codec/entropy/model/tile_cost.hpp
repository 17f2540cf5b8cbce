// SPDX-License-Identifier: BSD-3-Clause
// Where pieces of tiles begin (docs/symbols.md), compiled for CPU and GPU. A tile's cost follows from its
// levels alone, so the costs of all tiles, and their sums, can be found at once.
#pragma once

#include <cstdint>

#include "codec/entropy/model/tile_contexts.hpp"

namespace ctv {

/// Of a piece, about; it then has some 400 bytes. In bits, as all costs.
inline constexpr uint32_t kPieceCost = 3400;
inline constexpr uint32_t kLeastTileCost = 4;
/// Longer pieces are damaged: they would keep one thread of a device busy for long.
inline constexpr uint32_t kMostPieceTiles = 1024;
static_assert(kPieceCost / kLeastTileCost < kMostPieceTiles);

/// Of a part that has so many quads that are not 0 and so many large levels, whose numbers have so many raw
/// bits. At most 5376.
CTV_HOST_DEVICE constexpr uint32_t part_cost(uint32_t quads, uint32_t large, uint32_t raw_bits) {
  return 8 * quads + 4 * large + raw_bits;
}
/// Of a tile, from the sum over its parts.
CTV_HOST_DEVICE constexpr uint32_t tile_cost(uint32_t parts) {
  return parts > kLeastTileCost ? parts : kLeastTileCost;
}

/// What the cost of a tile and the model of a piece follow from: sums over their parts, in one number that
/// holds a piece's.
struct TileSums {
  uint64_t packed;  // quads that are not 0, 2^20 large levels, 2^40 raw bits of their numbers
  CTV_HOST_DEVICE constexpr uint32_t quads() const { return static_cast<uint32_t>(packed) & 0xfffffU; }
  CTV_HOST_DEVICE constexpr uint32_t large() const { return static_cast<uint32_t>(packed >> 20) & 0xfffffU; }
  CTV_HOST_DEVICE constexpr uint32_t raw_bits() const { return static_cast<uint32_t>(packed >> 40); }
};
CTV_HOST_DEVICE constexpr TileSums tile_sums(uint32_t quads, uint32_t large, uint32_t raw_bits) {
  return {quads | uint64_t{large} << 20 | uint64_t{raw_bits} << 40};
}
CTV_HOST_DEVICE constexpr uint32_t tile_cost(const TileSums& s) {
  return tile_cost(part_cost(s.quads(), s.large(), s.raw_bits()));
}
/// The encoder's choice of a piece's model: the more and the larger its large levels are, the higher.
CTV_HOST_DEVICE constexpr uint32_t piece_model(const TileSums& piece) {
  const uint64_t weight = 2 * uint64_t{piece.large()} + 4 * uint64_t{piece.raw_bits()};
  return (weight > piece.quads() ? 1 : 0) + (weight > 6 * uint64_t{piece.quads()} ? 1 : 0);
}
/// The same for the tiles of a piece. before: the costs of all tiles of the component before this one.
CTV_HOST_DEVICE constexpr uint64_t piece_of(uint64_t before) { return before / kPieceCost; }

}  // namespace ctv

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
/// The encoder's choice of a piece's model: the more and the larger its large levels are, the higher. The
/// arguments are sums over the piece's tiles.
CTV_HOST_DEVICE constexpr uint32_t piece_model(uint64_t quads, uint64_t large, uint64_t raw_bits) {
  const uint64_t weight = 2 * large + 4 * raw_bits;
  return (weight > quads ? 1 : 0) + (weight > 6 * quads ? 1 : 0);
}
/// The same for the tiles of a piece. before: the costs of all tiles of the component before this one.
CTV_HOST_DEVICE constexpr uint64_t piece_of(uint64_t before) { return before / kPieceCost; }

}  // namespace ctv

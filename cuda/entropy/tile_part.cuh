// SPDX-License-Identifier: BSD-3-Clause
// Functions for kernels that divide, note and decode parts of tiles.
#pragma once

#include <type_traits>

#include "codec/model/tile_skips.hpp"
#include "codec/model/tile_walk.hpp"
#include "codec/util/types.hpp"
#include "cuda/entropy/tile_layout.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr int kPartLevels = kTileSide * kTileSide;
constexpr int kPartQuads = kTileQuads * kTileQuads;
constexpr uint32_t kMostDigits = 73;  // the weighted sum of digits is 0..72

/// Results of start_piece().
struct PieceModel {
  uint32_t model_tables, first_recent;
};

/// Level i of quad q of a part is in row level_row(4 q + i) and column level_col(4 q + i).
__device__ __forceinline__ int level_row(uint32_t place) {
  return static_cast<int>((place >> 5) * 2 + (place >> 1 & 1U));
}
__device__ __forceinline__ int level_col(uint32_t place) {
  return static_cast<int>((place >> 2 & 7U) * 2 + (place & 1U));
}

/// Clears memory. All lanes of a warp must call together.
template <typename T>
__device__ __forceinline__ void clear_by_warp(T& what, uint32_t lane) {
  using Word = std::conditional_t<alignof(T) % alignof(uint4) == 0, uint4, uint32_t>;
  static_assert(sizeof(T) % sizeof(Word) == 0 && alignof(T) % alignof(Word) == 0);
  auto* const words = reinterpret_cast<Word*>(&what);
#pragma unroll
  for (uint32_t i = 0; i < sizeof(T) / sizeof(Word); i += kWarp) {
    if (i + lane < sizeof(T) / sizeof(Word)) words[i + lane] = Word{};
  }
}

/// find_skips() of a tile, two quads per lane. All lanes of a warp must call together.
__device__ inline uint64_t find_skips_by_warp(const SkipGrid& grid, const DeviceTileSet& set,
                                              const DeviceTile& tile, uint32_t lane) {
  if (grid.cells == nullptr || set.row_shift > kMostSkipShift || set.col_shift > kMostSkipShift) return 0;
  uint64_t skips = 0;
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t place = 4 * (lane + half * kWarp);
    const bool skipped = quad_is_skipped(grid, tile.y + level_row(place), tile.x + level_col(place),
                                         set.row_shift, set.col_shift);
    skips |= uint64_t{__ballot_sync(kAllLanes, skipped)} << (half * kWarp);
  }
  return skips;
}

}  // namespace ctv::cuda

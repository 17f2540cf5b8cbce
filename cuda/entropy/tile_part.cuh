// SPDX-License-Identifier: BSD-3-Clause
// A part on the device, for the shared walk (codec/entropy/model/tile_walk.hpp): what is indexed lies in
// shared memory, the rest in registers, and formulas with long chains are tables in constant memory.
#pragma once

#include <type_traits>

#include "codec/entropy/model/tile_skips.hpp"
#include "codec/entropy/model/tile_walk.hpp"
#include "codec/util/types.hpp"
#include "cuda/entropy/tile_layout.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr int kPartLevels = kTileSide * kTileSide;
constexpr int kPartQuads = kTileQuads * kTileQuads;
constexpr uint32_t kMostDigits = 73;  // classes of the weighted sum of digits are for 0..72

struct PartFormulas {
  QuadFacts facts[16][16];
  uint8_t gathered[16][16];
  uint8_t sum[kMostDigits], plane[kMostDigits];
};
constexpr PartFormulas make_formulas() {
  PartFormulas f{};
  for (uint32_t m = 0; m < 16; ++m) {
    for (uint32_t b = 0; b < 16; ++b) {
      f.facts[m][b] = quad_facts(m, b);
      f.gathered[m][b] = static_cast<uint8_t>(gather_bits(m, b));
    }
  }
  for (uint32_t t = 0; t < kMostDigits; ++t) {
    f.sum[t] = static_cast<uint8_t>(sum_class(t));
    f.plane[t] = static_cast<uint8_t>(plane_class(t));
  }
  return f;
}
CTV_CONST_TABLE PartFormulas kFormulas = make_formulas();

__device__ __forceinline__ uint32_t bytes_of_bits(uint32_t mask) {  // byte i: bit i, of four
  return mask * 0x00204081U & 0x01010101U;
}

/// The formulas as a Coder has them. All lanes that call them at once ask for the same.
struct DeviceFormulas {
  static __device__ uint32_t sum_class(uint32_t t) { return kFormulas.sum[t]; }
  static __device__ uint32_t sibling_sum_class(uint32_t n, uint32_t there) {
    return ctv::sibling_sum_class(n, there);
  }
  static __device__ uint32_t recent_class(uint32_t r) { return ctv::recent_class(r); }
  static __device__ uint32_t plane_class(uint32_t t) { return kFormulas.plane[t]; }
  static __device__ uint32_t ternary(uint32_t one, uint32_t two) {
    return __dp4a(bytes_of_bits(one) + bytes_of_bits(two), 0x1b090301U, 0U);
  }
  static __device__ uint32_t quaternary(uint32_t one, uint32_t two, uint32_t three) {
    return __dp4a(bytes_of_bits(one) + bytes_of_bits(two) + bytes_of_bits(three), 0x40100401U, 0U);
  }
  static __device__ uint8_t number_class(uint32_t sum, uint32_t own) {
    return static_cast<uint8_t>(ctv::number_class(sum, own));
  }
  static __device__ QuadFacts facts(uint32_t mask, uint32_t large) { return kFormulas.facts[mask][large]; }
  static __device__ uint32_t gather(uint32_t mask, uint32_t bits) { return kFormulas.gathered[mask][bits]; }
};

/// What a walk indexes, in shared memory.
struct alignas(8) PartArrays {
  TileBits bits;
  uint16_t signs[18];
  uint8_t classes[64];
  uint8_t places[256 + 4];
};

/// What start_piece() sets.
struct PieceModel {
  uint32_t model_tables, first_recent;
};

/// PartWalk, with the rest in registers.
struct DeviceWalk {
  TilePart* part;
  const TilePart* sibling0;
  const TilePart* sibling1;
  uint32_t siblings;
  const SkipRows& skips;
  uint32_t model_tables, first_recent;
  uint64_t quads;
  TileBits& bits;
  uint16_t (&signs)[18];
  uint8_t (&classes)[64];
  uint8_t (&places)[256 + 4];

  __device__ DeviceWalk(TilePart* own, const TilePart* nearest, const TilePart* next, uint32_t before,
                        const SkipRows& skipped, const PieceModel& model, uint64_t not_zero, PartArrays& a)
      : part(own),
        sibling0(nearest),
        sibling1(next),
        siblings(before),
        skips(skipped),
        model_tables(model.model_tables),
        first_recent(model.first_recent),
        quads(not_zero),
        bits(a.bits),
        signs(a.signs),
        classes(a.classes),
        places(a.places) {}
};

/// Level i of quad q of a part lies at row level_row(4 q + i), column level_col(4 q + i).
__device__ __forceinline__ int level_row(uint32_t place) {
  return static_cast<int>((place >> 5) * 2 + (place >> 1 & 1U));
}
__device__ __forceinline__ int level_col(uint32_t place) {
  return static_cast<int>((place >> 2 & 7U) * 2 + (place & 1U));
}

/// Fills memory with zeros; all lanes of a warp together.
template <typename T>
__device__ __forceinline__ void clear_by_warp(T& what, uint32_t lane) {
  using Word = std::conditional_t<alignof(T) % 16 == 0, uint4, uint32_t>;
  static_assert(sizeof(T) % sizeof(Word) == 0 && alignof(T) % alignof(Word) == 0);
  auto* const words = reinterpret_cast<Word*>(&what);
  for (uint32_t i = lane; i < sizeof(T) / sizeof(Word); i += kWarp) words[i] = {};
}

/// find_skips() of a tile; all lanes of a warp together, two quads each.
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

// SPDX-License-Identifier: BSD-3-Clause
// Compares blocks with the reference at half samples. A candidate costs a bilinear interpolation, about six
// instructions per sample, and Hadamard transforms by matrix products. A warp compares eight 8x8 tiles at
// once: four candidates each of two 8x8 blocks, two of a 16x16 block, or half of a 32x32 block. The lanes of
// a block form a group. Lane i of a group holds candidate i; all lanes share the samples of a candidate that
// is compared.
#pragma once

#include <type_traits>

#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/block_match.cuh"
#include "cuda/motion/hadamard.cuh"

namespace ctv::cuda {

constexpr int kTile = 8;
constexpr int kTilesAtOnce = 8;
constexpr uint32_t kNever = 0xFFFFFFFFU;

// Distribution of the tiles of kSize x kSize blocks to the lanes of a warp. Tiles have every kRowStep-th row.
template <int kSize, int kRowStep = 1>
struct Shape {
  static constexpr int kTiles = (kSize / kTile) * (kSize / kTile) / kRowStep;
  static constexpr int kRounds = kTiles > kTilesAtOnce ? kTiles / kTilesAtOnce : 1;  // per candidate
  static constexpr int kTogether = kTiles / kRounds;      // tiles of a candidate at once
  static constexpr int kLanes = kSize == 8 ? 16 : kWarp;  // per group
  static constexpr int kGroups = kWarp / kLanes;
  static constexpr int kAtOnce = kLanes / 4 / kTogether;  // candidates of a block

  // Tile lane / 4: its candidate, and its number in the block.
  static __device__ __forceinline__ int candidate(int lane) { return lane % kLanes / 4 / kTogether; }
  static __device__ __forceinline__ int tile(int lane, int round) {
    return lane / 4 % kTogether + round * kTilesAtOnce;
  }
  // Sum over a candidate's tiles, from each lane's sums of tiles 2 (lane % 4) and 2 (lane % 4) + 1; lane_of()
  // has it.
  static __device__ __forceinline__ uint32_t total(uint32_t even, uint32_t odd, int lane) {
    if constexpr (kTogether == 1) {
      const bool upper = lane >= 16;
      uint32_t sum = (upper ? odd : even) + __shfl_xor_sync(kAllLanes, upper ? even : odd, 16);
      sum += __shfl_xor_sync(kAllLanes, sum, 8);
      return sum + __shfl_xor_sync(kAllLanes, sum, 4);
    } else {
      uint32_t sum = even + odd;
      if constexpr (kTogether == kTilesAtOnce) return warp_sum(sum);
      sum += __shfl_xor_sync(kAllLanes, sum, 16);
      sum += __shfl_xor_sync(kAllLanes, sum, 8);
      sum += __shfl_xor_sync(kAllLanes, sum, 4);
      return sum + __shfl_xor_sync(kAllLanes, sum, 1);
    }
  }
  static __device__ __forceinline__ int lane_of(int group, int candidate) {
    if constexpr (kTogether == 1) {
      const int tile = group * kAtOnce + candidate;
      return tile / 2 + tile % 2 * 16;
    } else {
      return candidate * kTogether / 2;
    }
  }
};

// Adds a corner to sums of pairs of samples: [row][word][even or odd samples]. at: words in the planes.
template <int kCount, int kApart>
__device__ __forceinline__ void add_corners(const HalfPlanes& halves, const uint32_t (&at)[kCount],
                                            const uint32_t (&shifts)[kCount],
                                            const uint32_t (&weights)[kCount], uint32_t (&sums)[2][2][2]) {
  uint32_t words[kCount][2][3];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
#pragma unroll
    for (uint32_t w = 0; w < 3; ++w) {
      const uint32_t* from = halves.samples + (at[k] + w * static_cast<uint32_t>(halves.pitch));
      words[k][0][w] = from[0];
      words[k][1][w] = from[kApart];
    }
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int w = 0; w < 2; ++w) {
        const uint32_t four = __funnelshift_r(words[k][r][w], words[k][r][w + 1], shifts[k]);
        sums[r][w][0] += weights[k] * __byte_perm(four, 0, 0x4240);
        sums[r][w][1] += weights[k] * __byte_perm(four, 0, 0x4341);
      }
    }
  }
}

// The lane's rows of the reference, and those kApart below, moved by v. place: word of the first one in the
// planes, without displacement.
template <int kApart>
__device__ __forceinline__ TileRows moved_rows(const HalfPlanes& halves, uint32_t place, MotionVector v) {
  const HalfDisplacement dy = half_displacement(v.y);
  const HalfDisplacement dx = half_displacement(v.x);
  // [upper, lower] and [left, right] corners.
  uint32_t down[2], across[2], shifts[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int row = dy.half + k;
    const int col = dx.half + k;
    down[k] = place + static_cast<uint32_t>((row & 1) * 2 * halves.size() + (row >> 1));
    across[k] = static_cast<uint32_t>((col & 1) * halves.size() + (col >> 3) * halves.pitch);
    shifts[k] = static_cast<uint32_t>(col * 4 & 24);
  }
  const auto lower = static_cast<uint32_t>(dy.quarter);
  const auto right = static_cast<uint32_t>(dx.quarter);
  // Corners with nonzero weight come first: without a horizontal fraction these are vertically adjacent.
  const int side = right == 0 ? 0 : 1;
  uint32_t sums[2][2][2];
#pragma unroll
  for (auto& row : sums) {
#pragma unroll
    for (auto& word : row) word[0] = word[1] = 0x00080008U;  // rounding
  }
  const int count = (lower != 0 ? 2 : 1) * (right != 0 ? 2 : 1);
  if (__any_sync(kAllLanes, count > 1) == 0) {
    add_corners<1, kApart>(halves, {down[0] + across[0]}, {shifts[0]}, {16}, sums);
  } else {
    const uint32_t first = (4 - lower) * (4 - right);
    const uint32_t second = side == 0 ? lower * 4 : (4 - lower) * right;
    add_corners<2, kApart>(halves,
                           {down[0] + across[0], side == 0 ? down[1] + across[0] : down[0] + across[1]},
                           {shifts[0], shifts[side]}, {first, second}, sums);
    if (__any_sync(kAllLanes, count > 2) != 0) {
      add_corners<2, kApart>(
          halves, {side == 0 ? down[0] + across[1] : down[1] + across[0], down[1] + across[1]},
          {shifts[1 - side], shifts[1]}, {side == 0 ? 0 : lower * (4 - right), lower * right}, sums);
    }
  }
  TileRows rows;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      const uint32_t even = sums[r][w][0] >> 4;
      const uint32_t odd = sums[r][w][1] >> 4;
      rows.words[r][w] = __byte_perm(even, odd, 0x6240);
    }
  }
  return rows;
}

// The lane's rows of the source at (y, x), and those kApart below.
template <int kApart>
__device__ __forceinline__ TileRows source_rows(const SearchPlanes& planes, int y, int x) {
  TileRows rows;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const uint2 words = *reinterpret_cast<const uint2*>(
        planes.current + static_cast<ptrdiff_t>(y + r * kApart) * planes.current_stride + x);
    rows.words[r][0] = words.x;
    rows.words[r][1] = words.y;
  }
  return rows;
}

// moved_rows() without displacement.
template <int kApart>
__device__ __forceinline__ TileRows rows_at(const HalfPlanes& halves, uint32_t place) {
  TileRows rows;
#pragma unroll
  for (int w = 0; w < 2; ++w) {
    const uint32_t* from = halves.samples + (place + static_cast<uint32_t>(w * halves.pitch));
    rows.words[0][w] = from[0];
    rows.words[1][w] = from[kApart];
  }
  return rows;
}

// kSadRowStep: FieldPass::row_step().
template <int kSize, int kSadRowStep = 0>
struct Group {
  static constexpr bool kSad = kSadRowStep > 0;
  static constexpr int kRowStep = kSad ? kSadRowStep : 1;
  static constexpr int kApart = kTile / 2 * kRowStep;  // distance of a lane's rows
  using Own = Shape<kSize, kRowStep>;
  using Current = std::conditional_t<kSad, TileRows, TileTransforms>;
  const HalfPlanes& halves;
  HadamardMatrix matrix;
  int lane, group, first_lane, index;  // index: of the lane in its group
  uint32_t place[Own::kRounds];        // of the lane's first row in the planes of half samples
  Current current[Own::kRounds];

  __device__ __forceinline__ Group(const SearchPlanes& planes, const HalfPlanes& half_planes, int own_lane,
                                   int row, int col)
      : halves(half_planes),
        matrix(own_lane),
        lane(own_lane),
        group(lane / Own::kLanes),
        first_lane(group * Own::kLanes),
        index(lane % Own::kLanes) {
#pragma unroll
    for (int i = 0; i < Own::kRounds; ++i) {
      const int tile = Own::tile(lane, i);
      const int y = row * kSize + (tile / (kSize / kTile) * kTile + lane % 4) * kRowStep;
      const int x = col * kSize + tile % (kSize / kTile) * kTile;
      const TileRows rows = source_rows<kApart>(planes, y, x);
      if constexpr (kSad) {
        current[i] = rows;
      } else {
        current[i] = matrix.transform(rows);
      }
      place[i] = static_cast<uint32_t>((x + halves.margin) / 4 * halves.pitch + y + halves.margin);
    }
  }

  // Broadcasts lane i's value to the group.
  __device__ __forceinline__ uint32_t of(uint32_t v, int i) const {
    return __shfl_sync(kAllLanes, v, first_lane + i);
  }
  __device__ __forceinline__ MotionVector of(MotionVector v, int i) const {
    return to_vector(of(to_word(v), i));
  }
  // Mask of the group's lanes.
  __device__ __forceinline__ uint32_t ballot(bool v) const { return mask(__ballot_sync(kAllLanes, v)); }
  __device__ __forceinline__ uint32_t mask(uint32_t lanes) const {
    return Own::kGroups == 1 ? lanes : lanes >> first_lane & 0xFFFFU;
  }

  // Scaled SAD of a candidate, in all lanes of its tiles.
  __device__ __forceinline__ uint32_t sad(MotionVector v) const {
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < Own::kRounds; ++i) {
      const TileRows moved = moved_rows<kApart>(halves, place[i], v);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int w = 0; w < 2; ++w) sum += __vsadu4(moved.words[r][w], current[i].words[r][w]);
      }
    }
#pragma unroll
    for (int away = 1; away < 4 * Own::kTogether; away *= 2) sum += __shfl_xor_sync(kAllLanes, sum, away);
    return sad_for_hadamard(sum, kRowStep);
  }

  // SATD of the candidate of the lane's tiles, in lanes lane_of().
  __device__ __forceinline__ uint32_t hadamard(MotionVector v) const {
    uint32_t even = 0;
    uint32_t odd = 0;
#pragma unroll
    for (int i = 0; i < Own::kRounds; ++i) {
      const TileTransforms moved = matrix.transform(moved_rows<kApart>(halves, place[i], v));
#pragma unroll
      for (int k = 0; k < 4; ++k) {
#pragma unroll
        for (int n = 0; n < 4; n += 2) {
          even = __sad(moved.values[k][n], current[i].values[k][n], even);
          odd = __sad(moved.values[k][n + 1], current[i].values[k][n + 1], odd);
        }
      }
    }
    return Own::total(even, odd, lane);
  }

  // Cost of the lane's own candidate v without vector bits, if `tried` has the lane's bit. All lanes of a
  // warp must call together.
  __device__ __forceinline__ uint32_t compare(MotionVector v, uint32_t tried) const {
    uint32_t cost = kNever;
    for (uint32_t left = tried; __any_sync(kAllLanes, left != 0) != 0;) {
      uint32_t rest = left;
#pragma unroll
      for (int k = 1; k < Own::kAtOnce; ++k) rest = Own::candidate(lane) >= k ? rest & (rest - 1) : rest;
      const int candidate = rest != 0 ? __ffs(static_cast<int>(rest)) - 1 : 0;
      const int place = __popc(left & ((1U << index) - 1));  // rank of the lane's candidate among those left
      const int at = place & (Own::kAtOnce - 1);
      uint32_t own;
      if constexpr (kSad) {
        own = __shfl_sync(kAllLanes, sad(of(v, candidate)), first_lane + at * 4 * Own::kTogether);
      } else {
        own = __shfl_sync(kAllLanes, hadamard(of(v, candidate)), Own::lane_of(group, at));
      }
      if ((left >> index & 1) != 0 && place < Own::kAtOnce) cost = field_cost(own, 0, 0);
#pragma unroll
      for (int k = 0; k < Own::kAtOnce; ++k) left &= left - 1;
    }
    return cost;
  }
};

}  // namespace ctv::cuda

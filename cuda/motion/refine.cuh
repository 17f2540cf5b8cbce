// SPDX-License-Identifier: BSD-3-Clause
// What refinement and split share: the window of the reference around a vector, the two passes of the filter,
// and the step to neighbours at fractions of a sample. A warp works on one block of kSize x kSize samples and
// never waits for another. Along rows a lane makes four columns of two rows from the same words (dp4a); along
// columns it keeps a strip of one column in registers, as pairs of rows (dp2a), and compares at once.
#pragma once

#include "cuda/motion/cost.cuh"
#include "cuda/motion/interpolate.cuh"
#include "cuda/motion/search.hpp"

namespace ctv::cuda {

constexpr int kReach = 4;  // samples that candidates read before the block

// sum + four signed weights times four unsigned samples.
__device__ __forceinline__ int dot4(uint32_t weights, uint32_t samples, int sum) {
  int result;
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(samples), "r"(sum));
  return result;
}

// Pitches are such that the lanes of a warp find their words in different banks.
template <int kSize>
struct Window {
  static constexpr int kSide = kSize + 2 * kReach;
  static constexpr int kRows = kSide + 2;  // steps from a vector at a fraction begin up to two rows lower
  static constexpr int kWords = kSide / 4 + 2;  // of a row, and what a shift reads beyond
  static constexpr int kPitch = kWords % 8 == 0 ? kWords + 2 : kWords;
  uint32_t words[kRows][kPitch];
};
// Where a window lies: its vector in whole samples, and in which byte of its first word it begins.
struct WindowPlace {
  int y, x, lead;
};

// Sums along rows, 64ths, of the rows that one column of candidates needs; stored column by column, two rows
// to a word.
template <int kSize>
struct RowSums {
  static constexpr int kRows = kSize + 2 * kReach;
  static constexpr int kPitch = (kRows + (kSize == 8 ? 8 : 4)) / 2;
  alignas(8) uint32_t pairs[kSize][kPitch];
};

// A lane's samples: kStrips strips of kStrip rows of one column each.
template <int kSize>
struct Lane {
  static constexpr int kStrip = kSize == 8 ? 2 : 8;
  static constexpr int kStrips = kSize * kSize / (kStrip * kWarp);
  static __device__ __forceinline__ int column(int lane, int strip) { return (lane + kWarp * strip) % kSize; }
  static __device__ __forceinline__ int row(int lane, int strip) {
    return (lane + kWarp * strip) / kSize * kStrip;
  }
  int samples[kStrips][kStrip];
};

// The window around v of the block at (y0, x0): whole words from memory, the first one wherever the window
// begins in it.
template <int kSize>
__device__ __forceinline__ WindowPlace load_window(const SearchPlanes& planes, int y0, int x0, MotionVector v,
                                                   int lane, Window<kSize>& window) {
  constexpr int kWords = Window<kSize>::kWords;
  const int y = v.y >> kVectorFractionBits;
  const int x = v.x >> kVectorFractionBits;
  const int left = x0 + x - kReach;
  const int lead = left & 3;
  const uint8_t* reference =
      planes.reference + static_cast<ptrdiff_t>(y0 + y - kReach) * planes.reference_stride + (left - lead);
  for (int i = lane; i < Window<kSize>::kRows * kWords; i += kWarp) {
    window.words[i / kWords][i % kWords] = *reinterpret_cast<const uint32_t*>(
        reference + static_cast<ptrdiff_t>(i / kWords) * planes.reference_stride + 4 * (i % kWords));
  }
  return {y, x, lead};
}

template <int kSize>
__device__ __forceinline__ void load_current(const SearchPlanes& planes, int y0, int x0, int lane,
                                             Lane<kSize>& current) {
  using Own = Lane<kSize>;
#pragma unroll
  for (int s = 0; s < Own::kStrips; ++s) {
    const uint8_t* from = planes.current +
                          static_cast<ptrdiff_t>(y0 + Own::row(lane, s)) * planes.current_stride + x0 +
                          Own::column(lane, s);
#pragma unroll
    for (int k = 0; k < Own::kStrip; ++k)
      current.samples[s][k] = from[static_cast<ptrdiff_t>(k) * planes.current_stride];
  }
}

// The pass along rows: rows top, top + 1, ... of the window; the first tap of column 0 is its byte `first`.
template <int kSize>
__device__ __forceinline__ void filter_rows(const Window<kSize>& window, int top, int first, PackedTaps taps,
                                            int lane, RowSums<kSize>& sums) {
  constexpr int kQuads = kSize / 4;
  const uint32_t shift = static_cast<uint32_t>(first & 3) * 8;
  for (int i = lane; i < RowSums<kSize>::kRows / 2 * kQuads; i += kWarp) {
    const int quad = i % kQuads;
    const int pair = i / kQuads;
    int own[2][4];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const uint32_t* w = &window.words[top + 2 * pair + r][quad + (first >> 2)];
      const uint32_t s0 = __funnelshift_r(w[0], w[1], shift);
      const uint32_t s4 = __funnelshift_r(w[1], w[2], shift);
      const uint32_t s8 = __funnelshift_r(w[2], w[3], shift);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        own[r][c] = dot4(taps.low, __funnelshift_r(s0, s4, 8 * c), 0);
        own[r][c] = dot4(taps.high, __funnelshift_r(s4, s8, 8 * c), own[r][c]);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      sums.pairs[4 * quad + c][pair] =
          __byte_perm(static_cast<uint32_t>(own[0][c]), static_cast<uint32_t>(own[1][c]), 0x5410);
    }
  }
}

// Neighbours `step` away: eight, or the four nearest; of equal ones the first in raster order wins, the
// centre before all. Vectors are paid for by their differences to `origin`. best, best_cost: the same in all
// lanes.
template <int kSize, bool kNearest>
__device__ __forceinline__ void improve(RowSums<kSize> (&sums)[3], const Window<kSize>& window,
                                        const WindowPlace& place, const Lane<kSize>& current, int lane,
                                        int step, uint32_t lambda, MotionVector origin, MotionVector& best,
                                        uint32_t& best_cost) {
  using Own = Lane<kSize>;
  static_assert(kInterpolationTaps == 8);
  const MotionVector centre = best;
  const int top = displacement(centre.y - step, 0).whole - place.y + 1;  // window row of the first sums
  __syncwarp();  // the sums of the step before have been read
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    const Displacement dx = displacement(centre.x + (j - 1) * step, 0);
    filter_rows(window, top, dx.whole - place.x + 1 + place.lead, packed_taps(dx.eighth), lane, sums[j]);
  }
  // The three rows of candidates read nine rows of sums between them; each has eight weights and a zero,
  // behind or in front.
  PackedTaps taps[3];
  uint32_t ninth[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const Displacement dy = displacement(centre.y + (i - 1) * step, 0);
    const PackedTaps own = packed_taps(dy.eighth);
    const bool behind = dy.whole - place.y + 1 == top;  // always with the first
    taps[i] = behind ? own : PackedTaps{own.low << 8, own.high << 8 | own.low >> 24};
    ninth[i] = behind ? 0 : own.high >> 24;
  }
  __syncwarp();
  uint32_t own_sad = 0;  // lane 3 i + j: of candidate (i, j)
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    uint32_t sad[3] = {};
#pragma unroll
    for (int s = 0; s < Own::kStrips; ++s) {
      const SumStrip<Own::kStrip> strip(&sums[j].pairs[Own::column(lane, s)][Own::row(lane, s) / 2]);
#pragma unroll
      for (int k = 0; k < Own::kStrip; ++k) {
#pragma unroll
        for (int i = 0; i < 3; ++i) {
          if (kNearest ? i % 2 == j % 2 : i == 1 && j == 1) continue;
          const int sample =
              i == 0 ? strip.filtered(k, taps[0]) : strip.template filtered<true>(k, taps[i], ninth[i]);
          sad[i] = __sad(current.samples[s][k], sample, sad[i]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      if (kNearest ? i % 2 == j % 2 : i == 1 && j == 1) continue;
      const uint32_t total = warp_sum(sad[i]);
      if (lane == 3 * i + j) own_sad = total;
    }
  }
  const int own_y = (lane / 3 - 1) * step;
  const int own_x = (lane % 3 - 1) * step;
  const MotionVector v{static_cast<int16_t>(centre.y + own_y), static_cast<int16_t>(centre.x + own_x)};
  const bool candidate = lane < 9 && (kNearest ? lane % 2 == 1 : lane != 4);
  const uint32_t cost =
      candidate ? fast_motion_cost(own_sad, lambda, vector_difference(v, origin)) : 0xFFFFFFFFU;
  const uint32_t least = warp_min(cost);
  const uint32_t winners = __ballot_sync(kAllLanes, candidate && cost == least && least < best_cost);
  if (winners == 0) return;
  const int winner = __ffs(static_cast<int>(winners)) - 1;
  best = {static_cast<int16_t>(centre.y + (winner / 3 - 1) * step),
          static_cast<int16_t>(centre.x + (winner % 3 - 1) * step)};
  best_cost = least;
}

}  // namespace ctv::cuda

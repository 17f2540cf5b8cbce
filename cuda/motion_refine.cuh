// SPDX-License-Identifier: BSD-3-Clause
// What refinement and split share: the window of the reference around a vector, and the step to neighbours at
// fractions of a sample. A group of threads works on one block of kSize x kSize samples; all groups of a
// block of threads call alike.
#pragma once

#include "cuda/interpolate.cuh"
#include "cuda/motion_cost.cuh"
#include "cuda/motion_search.hpp"

namespace ctv::cuda {

constexpr int kReach = 4;  // samples that candidates read before the block, and behind it but for one row

template <int kSize>
constexpr int kThreads = kSize* kSize < 256 ? kSize* kSize : 256;

// Four taps, which fit 8 bits, in one word.
__device__ __forceinline__ uint32_t packed_weights(int eighth, int first) {
  uint32_t packed = 0;
#pragma unroll
  for (int t = 0; t < 4; ++t)
    packed |= (static_cast<uint32_t>(tap_weight(eighth, first + t)) & 255U) << (8 * t);
  return packed;
}
// sum + four signed weights times four unsigned samples.
__device__ __forceinline__ int dot4(uint32_t weights, uint32_t samples, int sum) {
  int result;
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(samples), "r"(sum));
  return result;
}

// Nine signed weights times nine sums in pairs; the last pair's second is not counted.
__device__ __forceinline__ int dot_nine(const uint32_t (&weights)[3], const int (&pairs)[5]) {
  int sum = __dp2a_lo(pairs[0], static_cast<int>(weights[0]), 0);
  sum = __dp2a_hi(pairs[1], static_cast<int>(weights[0]), sum);
  sum = __dp2a_lo(pairs[2], static_cast<int>(weights[1]), sum);
  sum = __dp2a_hi(pairs[3], static_cast<int>(weights[1]), sum);
  return __dp2a_lo(pairs[4], static_cast<int>(weights[2]), sum);
}

template <int kSize>
struct Window {
  static constexpr int kSide = kSize + 2 * kReach;
  static constexpr int kRows = kSide + 1;
  static constexpr int kWords = kSide / 4 + 2;  // of a row, and what a shift reads beyond
  uint32_t words[kRows][kWords];
};
// Where a window lies: its vector in whole samples, and in which byte of its first word it begins.
struct WindowPlace {
  int y, x, lead;
};
template <int kSize>
struct RefineMemory {
  // Along rows, 64ths; one plane for each column of candidates, stored column by column so that a word holds
  // two taps of the pass along columns. The pitch is an odd number of words, so columns lie in other banks.
  static constexpr int kPitch = Window<kSize>::kSide + 2;
  static_assert(kPitch / 2 % 2 == 1);
  alignas(4) int16_t sums[3][kSize][kPitch];
  uint32_t sads[9];
  int16_t decided_y, decided_x;
  uint32_t decided_cost;
};
template <int kSize>
constexpr int kPixels = kSize* kSize / kThreads<kSize>;  // of each thread

// The window around v of the block at (y0, x0): whole words from memory, the first one wherever the window
// begins in it.
template <int kSize>
__device__ __forceinline__ WindowPlace load_window(const SearchPlanes& planes, int y0, int x0, MotionVector v,
                                                   int thread, Window<kSize>& window) {
  constexpr int kWords = Window<kSize>::kWords;
  const int y = v.y >> kVectorFractionBits;
  const int x = v.x >> kVectorFractionBits;
  const int left = x0 + x - kReach;
  const int lead = left & 3;
  const uint8_t* reference =
      planes.reference + static_cast<ptrdiff_t>(y0 + y - kReach) * planes.reference_stride + (left - lead);
  for (int i = thread; i < Window<kSize>::kRows * kWords; i += kThreads<kSize>) {
    window.words[i / kWords][i % kWords] = *reinterpret_cast<const uint32_t*>(
        reference + static_cast<ptrdiff_t>(i / kWords) * planes.reference_stride + 4 * (i % kWords));
  }
  return {y, x, lead};
}

template <int kSize>
__device__ __forceinline__ void load_current(const SearchPlanes& planes, int y0, int x0, int thread,
                                             int (&current)[kPixels<kSize>]) {
#pragma unroll
  for (int p = 0; p < kPixels<kSize>; ++p) {
    const int i = thread + p * kThreads<kSize>;
    current[p] =
        planes.current[static_cast<ptrdiff_t>(y0 + i / kSize) * planes.current_stride + x0 + i % kSize];
  }
}

// Neighbours `step` away: eight, or the four nearest; of equal ones the first in raster order wins, the
// centre before all. Vectors are paid for by their differences to `origin`. best, best_cost: the same in all
// threads of the group.
template <int kSize, bool kNearest>
__device__ __forceinline__ void improve(RefineMemory<kSize>& memory, const Window<kSize>& window,
                                        const WindowPlace& place, const int (&current)[kPixels<kSize>],
                                        int thread, int step, uint32_t lambda, MotionVector origin,
                                        MotionVector& best, uint32_t& best_cost) {
  constexpr int kSide = Window<kSize>::kSide;
  constexpr int kTaps = kInterpolationTaps;
  static_assert(kTaps == 8);
  if (thread < 9) memory.sads[thread] = 0;
  __syncthreads();
  const MotionVector centre = best;
  const int top = displacement(centre.y - step, 0).whole - place.y + 1;  // window row of the first sums
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    const Displacement dx = displacement(centre.x + (j - 1) * step, 0);
    const int first = dx.whole - place.x + 1 + place.lead;  // window byte of the first tap of column 0
    const uint32_t low = packed_weights(dx.eighth, 0);
    const uint32_t high = packed_weights(dx.eighth, 4);
    for (int i = thread; i < kSide * kSize; i += kThreads<kSize>) {
      const int byte = i % kSize + first;
      const uint32_t* s = &window.words[top + i / kSize][byte >> 2];
      const uint32_t shift = static_cast<uint32_t>(byte & 3) * 8;
      const int sum = dot4(low, __funnelshift_r(s[0], s[1], shift), 0);
      memory.sums[j][i % kSize][i / kSize] =
          static_cast<int16_t>(dot4(high, __funnelshift_r(s[1], s[2], shift), sum));
    }
  }
  // The three rows of candidates read nine rows of sums between them; each has eight weights and a zero, in
  // front or behind, four to a word.
  uint32_t weights[3][3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const Displacement dy = displacement(centre.y + (i - 1) * step, 0);
    const int first = dy.whole - place.y + 1 - top;  // 0 or 1
    const uint32_t low = packed_weights(dy.eighth, 0);
    const uint32_t high = packed_weights(dy.eighth, 4);
    weights[i][0] = first == 0 ? low : low << 8;
    weights[i][1] = first == 0 ? high : high << 8 | low >> 24;
    weights[i][2] = first == 0 ? 0 : high >> 24;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    uint32_t sad[3] = {};
#pragma unroll
    for (int p = 0; p < kPixels<kSize>; ++p) {
      const int pixel = thread + p * kThreads<kSize>;
      const int y = pixel / kSize;
      const auto* s = reinterpret_cast<const uint32_t*>(&memory.sums[j][pixel % kSize][y & ~1]);
      const uint32_t shift = static_cast<uint32_t>(y & 1) * 16;
      int pairs[5];  // of the nine sums from row y on
#pragma unroll
      for (int k = 0; k < 4; ++k) pairs[k] = static_cast<int>(__funnelshift_r(s[k], s[k + 1], shift));
      pairs[4] = static_cast<int>(s[4] >> shift);
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        if (kNearest ? i % 2 == j % 2 : i == 1 && j == 1) continue;
        const int sum = dot_nine(weights[i], pairs);
        sad[i] += static_cast<uint32_t>(abs_of(current[p] - round_interpolated(sum)));
      }
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      if (kNearest ? i % 2 == j % 2 : i == 1 && j == 1) continue;
      const uint32_t sum = warp_sum(sad[i]);
      if (thread % 32 == 0) atomicAdd(&memory.sads[3 * i + j], sum);
    }
  }
  __syncthreads();
  // The first warp decides: the centre wins ties, then raster order.
  if (thread < 32) {
    const MotionVector v{static_cast<int16_t>(centre.y + (thread / 3 - 1) * step),
                         static_cast<int16_t>(centre.x + (thread % 3 - 1) * step)};
    const bool candidate = thread < 9 && (kNearest ? thread % 2 == 1 : thread != 4);
    const uint32_t cost =
        candidate ? fast_motion_cost(memory.sads[thread], lambda, vector_difference(v, origin)) : 0xFFFFFFFFU;
    const uint32_t least = warp_min(cost);
    const bool winner = candidate && cost == least && least < best_cost;
    const uint32_t winners = __ballot_sync(0xFFFFFFFFU, winner);
    if (winners != 0 ? thread == __ffs(static_cast<int>(winners)) - 1 : thread == 0) {
      memory.decided_y = winners != 0 ? v.y : best.y;
      memory.decided_x = winners != 0 ? v.x : best.x;
      memory.decided_cost = winners != 0 ? cost : best_cost;
    }
  }
  __syncthreads();
  best = {memory.decided_y, memory.decided_x};
  best_cost = memory.decided_cost;
}

}  // namespace ctv::cuda

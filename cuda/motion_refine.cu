// SPDX-License-Identifier: BSD-3-Clause
// Refinement: the eight half-sample neighbours of the best whole vector, then the eight quarter-sample and
// the eight eighth-sample neighbours of the best so far. As it is, 24 predictions of 64 products a sample. A
// block of threads takes one motion block and its surroundings into shared memory; the three candidates of a
// column share the pass along rows (two dp4a, 16 bits), the pass along columns is compared at once and never
// stored, and reads nine rows for the three candidates of a column: 3 x (3 x 2 + 3 x 27) products.
#include "cuda/interpolate.cuh"
#include "cuda/motion_cost.cuh"
#include "cuda/motion_search.hpp"

namespace ctv::cuda {
namespace {

constexpr int kTaps = kInterpolationTaps;
constexpr int kReach = 4;  // samples around the block that candidates read before; as many behind

template <int kSize>
constexpr int kThreads = kSize* kSize < 256 ? kSize* kSize : 256;

__device__ __forceinline__ uint32_t warp_sum(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFU, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xFFFFFFFFU, v, offset);
  return v;
#endif
}
__device__ __forceinline__ uint32_t warp_min(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xFFFFFFFFU, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v = min_of(v, __shfl_xor_sync(0xFFFFFFFFU, v, offset));
  return v;
#endif
}

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

template <int kSize>
__global__ void __launch_bounds__(kThreads<kSize>)
    refine_kernel(const __grid_constant__ SearchPlanes planes, int grid_cols, int subpel, uint32_t lambda,
                  const uint32_t* costs, MotionVector* vectors) {
  constexpr int kSide = kSize + 2 * kReach;
  constexpr int kWords = kSide / 4 + 2;  // of a row of the window, and what a shift reads beyond
  constexpr int kPixels = kSize * kSize / kThreads<kSize>;  // of each thread
  static_assert(kTaps == 8);
  __shared__ uint32_t window[kSide][kWords];
  __shared__ int16_t sums[3][kSide][kSize];  // along rows, 64ths; one for each column of candidates
  __shared__ uint32_t sads[9];
  __shared__ MotionVector decided;
  __shared__ uint32_t decided_cost;
  const int thread = static_cast<int>(threadIdx.x);
  const int x0 = static_cast<int>(blockIdx.x) * kSize;
  const int y0 = static_cast<int>(blockIdx.y) * kSize;
  const ptrdiff_t at = static_cast<ptrdiff_t>(blockIdx.y) * grid_cols + static_cast<int>(blockIdx.x);
  MotionVector best = vectors[at];
  uint32_t best_cost = costs[at];
  const int base_y = best.y >> kVectorFractionBits;
  const int base_x = best.x >> kVectorFractionBits;
  // Whole words from memory, the first one wherever the window begins in it.
  const int left = x0 + base_x - kReach;
  const int lead = left & 3;
  const uint8_t* reference = planes.reference +
                             static_cast<ptrdiff_t>(y0 + base_y - kReach) * planes.reference_stride +
                             (left - lead);
  for (int i = thread; i < kSide * kWords; i += kThreads<kSize>) {
    window[i / kWords][i % kWords] = *reinterpret_cast<const uint32_t*>(
        reference + static_cast<ptrdiff_t>(i / kWords) * planes.reference_stride + 4 * (i % kWords));
  }
  int current[kPixels];
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    const int i = thread + p * kThreads<kSize>;
    current[p] =
        planes.current[static_cast<ptrdiff_t>(y0 + i / kSize) * planes.current_stride + x0 + i % kSize];
  }

  for (int step = kVectorUnit / 2; step >= kVectorUnit >> subpel; step /= 2) {
    if (thread < 9) sads[thread] = 0;
    __syncthreads();
    const MotionVector centre = best;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const Displacement dx = displacement(centre.x + (j - 1) * step, 0);
      const int first = dx.whole - base_x + 1 + lead;  // window byte of the first tap of column 0
      const uint32_t low = packed_weights(dx.eighth, 0);
      const uint32_t high = packed_weights(dx.eighth, 4);
      for (int i = thread; i < kSide * kSize; i += kThreads<kSize>) {
        const int byte = i % kSize + first;
        const uint32_t* s = &window[i / kSize][byte >> 2];
        const uint32_t shift = static_cast<uint32_t>(byte & 3) * 8;
        const int sum = dot4(low, __funnelshift_r(s[0], s[1], shift), 0);
        sums[j][i / kSize][i % kSize] =
            static_cast<int16_t>(dot4(high, __funnelshift_r(s[1], s[2], shift), sum));
      }
    }
    // The three rows of candidates read nine rows of sums between them; each has eight weights and a zero.
    int weights[3][kTaps + 1];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const Displacement dy = displacement(centre.y + (i - 1) * step, 0);
      const int first = dy.whole - base_y + 1;  // 0 or 1
#pragma unroll
      for (int t = 0; t <= kTaps; ++t) {
        const int k = t - first;
        weights[i][t] = k >= 0 && k < kTaps ? tap_weight(dy.eighth, k) : 0;
      }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      uint32_t sad[3] = {};
#pragma unroll
      for (int p = 0; p < kPixels; ++p) {
        const int pixel = thread + p * kThreads<kSize>;
        const int16_t* s = &sums[j][pixel / kSize][pixel % kSize];
        int column[kTaps + 1];
#pragma unroll
        for (int t = 0; t <= kTaps; ++t) column[t] = s[t * kSize];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
          if (i == 1 && j == 1) continue;
          int sum = 0;
#pragma unroll
          for (int t = 0; t <= kTaps; ++t) sum += weights[i][t] * column[t];
          sad[i] += static_cast<uint32_t>(abs_of(current[p] - round_interpolated(sum)));
        }
      }
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        if (i == 1 && j == 1) continue;
        const uint32_t sum = warp_sum(sad[i]);
        if (thread % 32 == 0) atomicAdd(&sads[3 * i + j], sum);
      }
    }
    __syncthreads();
    // The first warp decides: the centre wins ties, then raster order.
    if (thread < 32) {
      const MotionVector v{static_cast<int16_t>(centre.y + (thread / 3 - 1) * step),
                           static_cast<int16_t>(centre.x + (thread % 3 - 1) * step)};
      const bool candidate = thread < 9 && thread != 4;
      const uint32_t cost = candidate ? fast_motion_cost(sads[thread], lambda, v) : 0xFFFFFFFFU;
      const uint32_t least = warp_min(cost);
      const bool winner = candidate && cost == least && least < best_cost;
      const uint32_t winners = __ballot_sync(0xFFFFFFFFU, winner);
      if (winners != 0 ? thread == __ffs(static_cast<int>(winners)) - 1 : thread == 0) {
        decided = winners != 0 ? v : best;
        decided_cost = winners != 0 ? cost : best_cost;
      }
    }
    __syncthreads();
    best = decided;
    best_cost = decided_cost;
  }
  if (thread == 0) vectors[at] = best;
}

}  // namespace

Status refine_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int subpel,
                     uint32_t lambda, const uint32_t* costs, MotionVector* vectors) {
  const dim3 blocks(static_cast<unsigned>(grid.cols), static_cast<unsigned>(grid.rows));
  switch (grid.log2_block) {
    case 3:
      refine_kernel<8>
          <<<blocks, kThreads<8>, 0, device.stream()>>>(planes, grid.cols, subpel, lambda, costs, vectors);
      break;
    case 4:
      refine_kernel<16>
          <<<blocks, kThreads<16>, 0, device.stream()>>>(planes, grid.cols, subpel, lambda, costs, vectors);
      break;
    default:
      refine_kernel<32>
          <<<blocks, kThreads<32>, 0, device.stream()>>>(planes, grid.cols, subpel, lambda, costs, vectors);
  }
  return device.launched("refine_kernel");
}

}  // namespace ctv::cuda

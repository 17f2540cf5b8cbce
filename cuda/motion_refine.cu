// SPDX-License-Identifier: BSD-3-Clause
// Refinement: the eight half-sample neighbours of the best whole vector, then the eight quarter-sample and the eight
// eighth-sample neighbours of the best so far. As it is, 24 predictions of 64 products a sample. A block of threads
// takes one motion block and its surroundings into shared memory; the three candidates of a column share the pass along
// rows (8 products, 16 bits), the pass along columns is compared at once and never stored: 3 x 11 x 8 products.
#include "cuda/interpolate.cuh"
#include "cuda/motion_search.hpp"

namespace ctv::cuda {
namespace {

constexpr int kTaps = kInterpolationTaps;
constexpr int kReach = 4;  // samples around the block that candidates read before; as many behind

template <int kSize>
constexpr int kThreads = kSize * kSize < 256 ? kSize * kSize : 256;

__device__ __forceinline__ uint32_t warp_sum(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFU, v);
#else
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xFFFFFFFFU, v, offset);
  return v;
#endif
}

template <int kSize>
__global__ void __launch_bounds__(kThreads<kSize>)
    refine_kernel(const __grid_constant__ SearchPlanes planes, int grid_cols, int subpel, uint32_t lambda,
                  const uint32_t* costs, MotionVector* vectors) {
  constexpr int kSide = kSize + 2 * kReach;
  constexpr int kPixels = kSize * kSize / kThreads<kSize>;  // of each thread
  __shared__ uint8_t window[kSide][kSide + 2];
  __shared__ int16_t sums[3][kSide][kSize];  // along rows, 64ths; one for each column of candidates
  __shared__ uint32_t sads[3][3];
  const int thread = static_cast<int>(threadIdx.x);
  const int x0 = static_cast<int>(blockIdx.x) * kSize;
  const int y0 = static_cast<int>(blockIdx.y) * kSize;
  const ptrdiff_t at = static_cast<ptrdiff_t>(blockIdx.y) * grid_cols + static_cast<int>(blockIdx.x);
  MotionVector best = vectors[at];
  uint32_t best_cost = costs[at];
  const int base_y = best.y >> kVectorFractionBits;
  const int base_x = best.x >> kVectorFractionBits;
  const uint8_t* reference = planes.reference +
                             static_cast<ptrdiff_t>(y0 + base_y - kReach) * planes.reference_stride + x0 + base_x -
                             kReach;
  for (int i = thread; i < kSide * kSide; i += kThreads<kSize>) {
    window[i / kSide][i % kSide] = reference[static_cast<ptrdiff_t>(i / kSide) * planes.reference_stride + i % kSide];
  }
  int current[kPixels];
#pragma unroll
  for (int p = 0; p < kPixels; ++p) {
    const int i = thread + p * kThreads<kSize>;
    current[p] = planes.current[static_cast<ptrdiff_t>(y0 + i / kSize) * planes.current_stride + x0 + i % kSize];
  }

  for (int step = kVectorUnit / 2; step >= kVectorUnit >> subpel; step /= 2) {
    if (thread < 9) sads[thread / 3][thread % 3] = 0;
    __syncthreads();
    const MotionVector centre = best;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const Displacement dx = displacement(centre.x + (j - 1) * step, 0);
      const int first = dx.whole - base_x + 1;  // window column of the first tap of column 0
      int weights[kTaps];
#pragma unroll
      for (int t = 0; t < kTaps; ++t) weights[t] = tap_weight(dx.eighth, t);
      for (int i = thread; i < kSide * kSize; i += kThreads<kSize>) {
        const uint8_t* s = &window[i / kSize][i % kSize + first];
        int sum = 0;
#pragma unroll
        for (int t = 0; t < kTaps; ++t) sum += weights[t] * s[t];
        sums[j][i / kSize][i % kSize] = static_cast<int16_t>(sum);
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const Displacement dy = displacement(centre.y + (i - 1) * step, 0);
      const int first = dy.whole - base_y + 1;
      int weights[kTaps];
#pragma unroll
      for (int t = 0; t < kTaps; ++t) weights[t] = tap_weight(dy.eighth, t);
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        if (i == 1 && j == 1) continue;
        uint32_t sad = 0;
#pragma unroll
        for (int p = 0; p < kPixels; ++p) {
          const int pixel = thread + p * kThreads<kSize>;
          const int16_t* s = &sums[j][pixel / kSize + first][pixel % kSize];
          int sum = 0;
#pragma unroll
          for (int t = 0; t < kTaps; ++t) sum += weights[t] * s[t * kSize];
          sad += static_cast<uint32_t>(abs_of(current[p] - round_interpolated(sum)));
        }
        sad = warp_sum(sad);
        if (thread % 32 == 0) atomicAdd(&sads[i][j], sad);
      }
    }
    __syncthreads();
    // Every thread decides alike. The centre wins ties, then raster order.
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (i == 1 && j == 1) continue;
        const MotionVector v{static_cast<int16_t>(centre.y + (i - 1) * step),
                             static_cast<int16_t>(centre.x + (j - 1) * step)};
        const uint32_t cost = motion_cost(sads[i][j], lambda, v);
        if (cost >= best_cost) continue;
        best_cost = cost;
        best = v;
      }
    }
    __syncthreads();
  }
  if (thread == 0) vectors[at] = best;
}

}  // namespace

Status refine_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int subpel, uint32_t lambda,
                     const uint32_t* costs, MotionVector* vectors) {
  const dim3 blocks(static_cast<unsigned>(grid.cols), static_cast<unsigned>(grid.rows));
  switch (grid.log2_block) {
    case 3:
      refine_kernel<8><<<blocks, kThreads<8>, 0, device.stream()>>>(planes, grid.cols, subpel, lambda, costs, vectors);
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

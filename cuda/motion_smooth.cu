// SPDX-License-Identifier: BSD-3-Clause
// Smoothing: the full search pays for a vector by its length, since all blocks are searched at once; what it
// costs in the stream is its difference to its prediction. Now that the neighbours' vectors are known, each
// block tries them, their median and zero at that price: ten SADs at most, most of them of equal vectors. A
// warp takes a block, four samples a lane, straight from memory: a thirtieth of the search's differences.
#include "cuda/motion_cost.cuh"
#include "cuda/motion_search.hpp"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;  // blocks of a block of threads

template <int kSize>
__global__ void __launch_bounds__(32 * kWarps)
    smooth_kernel(const __grid_constant__ SearchPlanes planes, int grid_rows, int grid_cols, uint32_t lambda,
                  uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed) {
  constexpr int kWords = kSize / 4;                                     // of a row
  constexpr int kEach = kSize * kWords < 32 ? 1 : kSize * kWords / 32;  // words a lane takes
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int at = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  if (at >= grid_rows * grid_cols) return;  // whole warps
  const int row = at / grid_cols;
  const int col = at % grid_cols;
  const auto word = [&](const uint8_t* from) { return *reinterpret_cast<const uint32_t*>(from); };
  uint32_t current[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int k = lane + 32 * i;
    current[i] =
        k < kSize * kWords
            ? word(planes.current + static_cast<ptrdiff_t>(row * kSize + k / kWords) * planes.current_stride +
                   col * kSize + 4 * (k % kWords))
            : 0;
  }
  const auto sad_of = [&](MotionVector v) {
    const int left = col * kSize + (v.x >> kVectorFractionBits);
    const int lead = left & 3;
    const uint8_t* reference =
        planes.reference +
        static_cast<ptrdiff_t>(row * kSize + (v.y >> kVectorFractionBits)) * planes.reference_stride +
        (left - lead);
    uint32_t sad = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int k = lane + 32 * i;
      if (k >= kSize * kWords) continue;
      const uint8_t* from =
          reference + static_cast<ptrdiff_t>(k / kWords) * planes.reference_stride + 4 * (k % kWords);
      const uint32_t moved = __funnelshift_r(word(from), word(from + 4), static_cast<uint32_t>(lead) * 8);
      sad = add_differences(current[i], moved, sad);
    }
    return warp_sum(sad);
  };

  const MotionVector own = vectors[at];
  const MotionVector origin = predicted_vector(vectors, grid_cols, row, col);
  const auto price_of = [&](MotionVector v) {
    return fast_motion_cost(0, lambda, vector_difference(v, origin));
  };
  MotionVector best = own;
  uint32_t best_cost = costs[at] + price_of(own);
  MotionVector last = own;
  for (int i = 0; i < kSmoothCandidates; ++i) {
    const MotionVector v = smooth_candidate(vectors, grid_rows, grid_cols, row, col, i);
    // What was tried cannot win; all lanes alike.
    if (same_vector(v, own) || same_vector(v, best) || same_vector(v, last)) continue;
    last = v;
    const uint32_t price = price_of(v);
    if (price >= best_cost) continue;
    const uint32_t cost = 16 * sad_of(v) + price;
    if (cost < best_cost) {
      best = v;
      best_cost = cost;
    }
  }
  if (lane == 0) {
    smoothed[at] = best;
    costs[at] = best_cost - price_of(best);
  }
}

}  // namespace

Status smooth_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, uint32_t lambda,
                     uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed) {
  const unsigned blocks = blocks_for(static_cast<int>(grid.size()), kWarps);
  const auto launch = [&](auto* kernel) {
    kernel<<<blocks, 32 * kWarps, 0, device.stream()>>>(planes, grid.rows, grid.cols, lambda, costs, vectors,
                                                        smoothed);
  };
  switch (grid.log2_block) {
    case 3:
      launch(smooth_kernel<8>);
      break;
    case 4:
      launch(smooth_kernel<16>);
      break;
    default:
      launch(smooth_kernel<32>);
  }
  return device.launched("smooth_kernel");
}

}  // namespace ctv::cuda

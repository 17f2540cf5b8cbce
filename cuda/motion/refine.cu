// SPDX-License-Identifier: BSD-3-Clause
// Refinement: the eight half-sample neighbours of the best whole vector, then the eight quarter-sample and
// the eight eighth-sample neighbours of the best so far. As it is, 24 predictions of 64 products a sample.
// The three candidates of a column share the pass along rows, the pass along columns is compared at once and
// never stored.
#include "cuda/motion/refine.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // motion blocks of a block of threads

template <int kSize>
__global__ void __launch_bounds__(kWarp* kWarps)
    refine_kernel(const __grid_constant__ SearchPlanes planes, int grid_rows, int grid_cols, int subpel,
                  uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined) {
  __shared__ Window<kSize> windows[kWarps];
  __shared__ RowSums<kSize> sums[kWarps][3];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int at = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (at >= grid_rows * grid_cols) return;  // whole warps
  const int row = at / grid_cols;
  const int col = at % grid_cols;
  MotionVector best = vectors[at];
  if (costs[at] == 0) {  // equal or still; whole warps
    if (lane == 0) refined[at] = best;
    return;
  }
  const MotionVector origin = predicted_vector(vectors, grid_cols, row, col);
  uint32_t best_cost = costs[at] + fast_motion_cost(0, lambda, vector_difference(best, origin));
  const WindowPlace place = load_window(planes, row * kSize, col * kSize, best, lane, windows[warp]);
  Lane<kSize> current;
  load_current(planes, row * kSize, col * kSize, lane, current);
  for (int step = kVectorUnit / 2; step >= kVectorUnit >> subpel; step /= 2) {
    improve<kSize, false>(sums[warp], windows[warp], place, current, lane, step, lambda, origin, best,
                          best_cost);
  }
  if (lane == 0) {
    refined[at] = best;
    costs[at] = best_cost - fast_motion_cost(0, lambda, vector_difference(best, origin));
  }
}

}  // namespace

Status refine_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int subpel,
                     uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined) {
  const unsigned blocks = blocks_for(static_cast<int>(grid.size()), kWarps);
  const auto launch = [&](auto* kernel) {
    kernel<<<blocks, kWarp * kWarps, 0, device.stream()>>>(planes, grid.rows, grid.cols, subpel, lambda,
                                                           costs, vectors, refined);
  };
  switch (grid.log2_block) {
    case 3:
      launch(refine_kernel<8>);
      break;
    case 4:
      launch(refine_kernel<16>);
      break;
    default:
      launch(refine_kernel<32>);
  }
  return device.launched("refine_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Refinement: the eight half-sample neighbours of the best whole vector, then the eight quarter-sample and
// the eight eighth-sample neighbours of the best so far. As it is, 24 predictions of 64 products a sample. A
// block of threads takes one motion block and its surroundings into shared memory; the three candidates of a
// column share the pass along rows (two dp4a, 16 bits), the pass along columns is compared at once and never
// stored, and reads nine rows for the three candidates of a column: two dp4a and five dp2a a candidate.
#include "cuda/motion_refine.cuh"

namespace ctv::cuda {
namespace {

template <int kSize>
__global__ void __launch_bounds__(kThreads<kSize>)
    refine_kernel(const __grid_constant__ SearchPlanes planes, int grid_cols, int subpel, uint32_t lambda,
                  uint32_t* costs, const MotionVector* vectors, MotionVector* refined) {
  __shared__ Window<kSize> window;
  __shared__ RefineMemory<kSize> memory;
  const int thread = static_cast<int>(threadIdx.x);
  const int x0 = static_cast<int>(blockIdx.x) * kSize;
  const int y0 = static_cast<int>(blockIdx.y) * kSize;
  const ptrdiff_t at = static_cast<ptrdiff_t>(blockIdx.y) * grid_cols + static_cast<int>(blockIdx.x);
  MotionVector best = vectors[at];
  const MotionVector origin =
      predicted_vector(vectors, grid_cols, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x));
  uint32_t best_cost = costs[at] + fast_motion_cost(0, lambda, vector_difference(best, origin));
  const WindowPlace place = load_window<kSize>(planes, y0, x0, best, thread, window);
  int current[kPixels<kSize>];
  load_current<kSize>(planes, y0, x0, thread, current);
  for (int step = kVectorUnit / 2; step >= kVectorUnit >> subpel; step /= 2) {
    improve<kSize, false>(memory, window, place, current, thread, step, lambda, origin, best, best_cost);
  }
  if (thread == 0) {
    refined[at] = best;
    costs[at] = best_cost - fast_motion_cost(0, lambda, vector_difference(best, origin));
  }
}

}  // namespace

Status refine_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int subpel,
                     uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined) {
  const dim3 blocks(static_cast<unsigned>(grid.cols), static_cast<unsigned>(grid.rows));
  switch (grid.log2_block) {
    case 3:
      refine_kernel<8><<<blocks, kThreads<8>, 0, device.stream()>>>(planes, grid.cols, subpel, lambda, costs,
                                                                    vectors, refined);
      break;
    case 4:
      refine_kernel<16><<<blocks, kThreads<16>, 0, device.stream()>>>(planes, grid.cols, subpel, lambda,
                                                                      costs, vectors, refined);
      break;
    default:
      refine_kernel<32><<<blocks, kThreads<32>, 0, device.stream()>>>(planes, grid.cols, subpel, lambda,
                                                                      costs, vectors, refined);
  }
  return device.launched("refine_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Split: a block may have four vectors, one for each quarter, where less difference pays for them. A quarter
// tries its block's vector and those of the two blocks beside it, then the four neighbours at a half and a
// quarter of a sample: eleven predictions of 64 products a sample. A block of threads takes one motion block,
// a warp a quarter of it; the warps meet only to sum up. Blocks that move like their neighbours, and those
// whose difference is small beside what a split costs, are left at once. In the end the vectors of blocks, or
// of their quarters, become those of the cells within.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/refine.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCandidates = 3;

// kSize: of a quarter.
template <int kSize>
__global__ void __launch_bounds__(4 * kWarp)
    split_kernel(const __grid_constant__ SearchPlanes planes, int grid_rows, int grid_cols, int subpel,
                 uint32_t lambda, const uint32_t* costs, const MotionVector* vectors, MotionVector* split) {
  using Own = Lane<kSize>;
  __shared__ Window<kSize> windows[4][kCandidates];
  __shared__ RowSums<kSize> sums[4][3];
  __shared__ uint32_t totals[4];
  const int quarter = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int down = quarter >> 1;
  const int right = quarter & 1;
  const int row = static_cast<int>(blockIdx.y);
  const int col = static_cast<int>(blockIdx.x);
  const MotionVector own = vectors[row * grid_cols + col];
  const uint32_t own_cost = costs[row * grid_cols + col];
  MotionVector* out = split + static_cast<ptrdiff_t>(2 * row + down) * 2 * grid_cols + 2 * col + right;
  const auto neighbour = [&](int r, int c) {
    return vectors[clamp_to(r, 0, grid_rows - 1) * grid_cols + clamp_to(c, 0, grid_cols - 1)];
  };
  const MotionVector before = neighbour(row, col - 1);
  const MotionVector behind = neighbour(row, col + 1);
  const MotionVector above = neighbour(row - 1, col);
  const MotionVector below = neighbour(row + 1, col);
  if (lambda * kSplitBits * kSplitWorth >= own_cost || (move_alike(own, before) && move_alike(own, behind) &&
                                                        move_alike(own, above) && move_alike(own, below))) {
    if (lane == 0) *out = own;  // all threads alike
    return;
  }
  const int y0 = (2 * row + down) * kSize;
  const int x0 = (2 * col + right) * kSize;
  const MotionVector candidates[kCandidates] = {own, right != 0 ? behind : before, down != 0 ? below : above};
  WindowPlace places[kCandidates];
#pragma unroll
  for (int i = 0; i < kCandidates; ++i)
    places[i] = load_window(planes, y0, x0, candidates[i], lane, windows[quarter][i]);
  Lane<kSize> current;
  load_current(planes, y0, x0, lane, current);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kCandidates; ++i) {
    filter_rows(windows[quarter][i], 1, places[i].lead + 1, packed_taps(candidates[i].x & (kVectorUnit - 1)),
                lane, sums[quarter][i]);
  }
  __syncwarp();
  MotionVector best = own;
  uint32_t best_cost = 0xFFFFFFFFU;
  WindowPlace place = places[0];
  int used = 0;
#pragma unroll
  for (int i = 0; i < kCandidates; ++i) {
    const PackedTaps taps = packed_taps(candidates[i].y & (kVectorUnit - 1));
    uint32_t sad = 0;
#pragma unroll
    for (int s = 0; s < Own::kStrips; ++s) {
      const SumStrip<Own::kStrip> strip(&sums[quarter][i].pairs[Own::column(lane, s)][Own::row(lane, s) / 2]);
#pragma unroll
      for (int k = 0; k < Own::kStrip; ++k) sad = __sad(current.samples[s][k], strip.filtered(k, taps), sad);
    }
    const uint32_t cost = fast_motion_cost(warp_sum(sad), lambda, vector_difference(candidates[i], own));
    if (i == 0 || cost < best_cost) {
      best = candidates[i];
      best_cost = cost;
      place = places[i];
      used = i;
    }
  }
  const auto sum_up = [&] {
    __syncthreads();  // the sum before has been read
    if (lane == 0) totals[quarter] = best_cost;
    __syncthreads();
    return totals[0] + totals[1] + totals[2] + totals[3];
  };
  uint32_t sum = sum_up();
  for (int step = kVectorUnit / 2; step >= kSplitStep && step >= kVectorUnit >> subpel; step /= 2) {
    if (step < kVectorUnit / 2 && split_is_hopeless(own_cost, sum, lambda)) break;  // all threads alike
    improve<kSize, true>(sums[quarter], windows[quarter][used], place, current, lane, step, lambda, own, best,
                         best_cost);
    sum = sum_up();
  }
  if (lane == 0) *out = lambda * kSplitBits + sum < own_cost ? best : own;
}

constexpr int kSpreadThreads = 256;

// shift: log2 of a block's side in cells.
__global__ void __launch_bounds__(kSpreadThreads)
    spread_kernel(const MotionVector* from, int pitch, int shift, int rows, int cols, MotionVector* vectors) {
  const int at = static_cast<int>(blockIdx.x) * kSpreadThreads + static_cast<int>(threadIdx.x);
  if (at < rows * cols) vectors[at] = from[(at / cols >> shift) * pitch + (at % cols >> shift)];
}

}  // namespace

Status split_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int subpel,
                    uint32_t lambda, const uint32_t* costs, const MotionVector* vectors,
                    MotionVector* split) {
  const dim3 blocks(static_cast<unsigned>(grid.cols), static_cast<unsigned>(grid.rows));
  if (grid.log2_block == 4) {
    split_kernel<8><<<blocks, 4 * kWarp, 0, device.stream()>>>(planes, grid.rows, grid.cols, subpel, lambda,
                                                               costs, vectors, split);
  } else {
    split_kernel<16><<<blocks, 4 * kWarp, 0, device.stream()>>>(planes, grid.rows, grid.cols, subpel, lambda,
                                                                costs, vectors, split);
  }
  return device.launched("split_kernel");
}

Status spread_vectors(Device& device, const MotionGrid& blocks, const MotionVector* from,
                      const MotionGrid& grid, MotionVector* vectors) {
  spread_kernel<<<blocks_for(static_cast<int>(grid.size()), kSpreadThreads), kSpreadThreads, 0,
                  device.stream()>>>(from, blocks.cols, blocks.log2_block - grid.log2_block, grid.rows,
                                     grid.cols, vectors);
  return device.launched("spread_kernel");
}

}  // namespace ctv::cuda

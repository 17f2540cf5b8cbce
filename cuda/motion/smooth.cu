// SPDX-License-Identifier: BSD-3-Clause
// Smoothing: the full search pays for a vector by its length, since all blocks are searched at once; what it
// costs in the stream is its difference to its prediction. Now that the neighbours' vectors are known, each
// block tries them, their median and zero at that price: ten SADs at most, most of them of equal vectors. A
// warp takes a block, four samples a lane, straight from memory: a thirtieth of the search's differences. A
// lane knows a candidate and its price, and the SADs of several are fetched at once, since what takes the
// time is the way to memory.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/cost.cuh"
#include "cuda/motion/search.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;  // blocks of a block of threads
constexpr int kAtOnce = 4;

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
  if (costs[at] == 0) {  // equal or still; whole warps
    if (lane == 0) smoothed[at] = vectors[at];
    return;
  }
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
  // What this lane adds to the SAD of v.
  const auto own_sad = [&](MotionVector v) {
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
    return sad;
  };

  const MotionVector own = vectors[at];
  const MotionVector origin = predicted_vector(vectors, grid_cols, row, col);
  const auto price_of = [&](MotionVector v) {
    return fast_motion_cost(0, lambda, vector_difference(v, origin));
  };
  const uint32_t own_cost = costs[at] + price_of(own);
  // Lane i: candidate i. The first of equal ones stands for all; one whose price alone is too high cannot
  // win.
  const MotionVector v =
      lane < kSmoothCandidates ? smooth_candidate(vectors, grid_rows, grid_cols, row, col, lane) : own;
  const int packed = static_cast<uint16_t>(v.y) | v.x << 16;
  const uint32_t equal = __match_any_sync(kAllLanes, packed);
  const uint32_t price = price_of(v);
  const bool tried = !same_vector(v, own) && __ffs(static_cast<int>(equal)) - 1 == lane && price < own_cost;
  uint32_t cost = 0xFFFFFFFFU;
  for (uint32_t left = __ballot_sync(kAllLanes, tried); left != 0;) {
    int candidates[kAtOnce];
    uint32_t sads[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      candidates[k] = __ffs(static_cast<int>(left)) - 1;  // -1: none
      left &= left - 1;
      const int other = __shfl_sync(kAllLanes, packed, max_of(candidates[k], 0));
      sads[k] =
          candidates[k] < 0 ? 0 : own_sad({static_cast<int16_t>(other), static_cast<int16_t>(other >> 16)});
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const uint32_t sad = warp_sum(sads[k]);
      if (candidates[k] == lane) cost = 16 * sad + price;
    }
  }
  const uint32_t least = warp_min(cost);
  if (least >= own_cost) {
    if (lane == 0) smoothed[at] = own;
    return;  // costs[at] is as it was
  }
  if (__ffs(static_cast<int>(__ballot_sync(kAllLanes, cost == least))) - 1 == lane) {
    smoothed[at] = v;
    costs[at] = least - price;
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

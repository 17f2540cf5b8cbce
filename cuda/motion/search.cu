// SPDX-License-Identifier: BSD-3-Clause
// Full search (Katsigiannis et al., section II): (2 range + 1)^2 SADs per block. At 1080p and range 8 these
// are 604 million differences, and 1.2 GB of samples if each is loaded.
//
// The paper uses a thread per candidate. Here a thread has several vertically adjacent candidates, which
// share rows of the reference: each row is loaded from shared memory and aligned once for all, and vabsdiff4
// compares four samples at a time. A block of threads processes enough adjacent motion blocks for 512 threads
// and loads their common window once. The minimum is by cost, then by rank, so the order of threads does not
// matter.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/block_match.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kMaxThreads = 512;
constexpr int kMaxSide = 8;  // adjacent motion blocks

struct SearchShape {
  int range;
  int lead;    // range rounded up to whole words
  int side;    // motion blocks per block of threads
  int groups;  // of candidates, per motion block
  int pitch;   // words per row of the window
  int rows;    // of the window
};

// kCandidates: per thread.
template <int kSize, int kCandidates>
__global__ void __launch_bounds__(kMaxThreads)
    search_kernel(const __grid_constant__ SearchPlanes planes, const __grid_constant__ SearchShape shape,
                  int grid_cols, int unit, uint32_t lambda, MotionVector* vectors, uint32_t* costs) {
  pdl_begin();
  constexpr int kWords = kSize / 4;
  extern __shared__ uint32_t memory[];
  __shared__ uint32_t best_cost[kMaxSide];
  __shared__ uint32_t best_rank[kMaxSide];
  uint32_t* current = memory;                               // [side][kSize][kWords]
  uint32_t* window = memory + shape.side * kSize * kWords;  // [rows][pitch]
  const int block0 = static_cast<int>(blockIdx.x) * shape.side;
  const int count = min_of(shape.side, grid_cols - block0);
  const int x0 = block0 * kSize;
  const int y0 = static_cast<int>(blockIdx.y) * kSize;
  const int threads = static_cast<int>(blockDim.x);
  const int thread = thread_x();
  const ptrdiff_t first = static_cast<ptrdiff_t>(blockIdx.y) * grid_cols + block0;

  for (int i = thread; i < count * kSize * kWords; i += threads) {
    const int r = i / kWords % kSize;
    const int c = i / (kWords * kSize) * kSize + i % kWords * 4;
    current[i] = *reinterpret_cast<const uint32_t*>(
        planes.current + static_cast<ptrdiff_t>(y0 + r) * planes.current_stride + x0 + c);
  }
  const int used = (count * kSize + 2 * shape.lead) / 4 + 1;
  for (int i = thread; i < shape.rows * used; i += threads) {
    const int r = i / used;
    const int c = i % used;
    window[r * shape.pitch + c] = *reinterpret_cast<const uint32_t*>(
        planes.reference + static_cast<ptrdiff_t>(y0 - shape.range + r) * planes.reference_stride + x0 -
        shape.lead + 4 * c);
  }
  if (thread < kMaxSide) {
    best_cost[thread] = 0xFFFFFFFFU;
    best_rank[thread] = 0xFFFFFFFFU;
  }
  __syncthreads();

  const int width = 2 * shape.range + 1;
  uint32_t own_cost = 0xFFFFFFFFU;
  uint32_t own_rank = 0xFFFFFFFFU;
  int own_block = -1;
  for (int i = thread; i < count * shape.groups; i += threads) {
    const int b = i / shape.groups;
    const int g = i % shape.groups;
    const int dx = g % width - shape.range;
    const int dy0 = g / width * kCandidates - shape.range;
    const int column = b * kSize + shape.lead + dx;
    const uint32_t* line = window + (dy0 + shape.range) * shape.pitch + column / 4;
    const uint32_t shift = static_cast<uint32_t>(column & 3) * 8;
    const uint32_t* block = current + b * kSize * kWords;
    uint32_t sad[kCandidates] = {};
#pragma unroll
    for (int y = 0; y < kSize + kCandidates - 1; ++y, line += shape.pitch) {
      uint32_t words[kWords];
#pragma unroll
      for (int w = 0; w < kWords; ++w) words[w] = __funnelshift_r(line[w], line[w + 1], shift);
#pragma unroll
      for (int k = 0; k < kCandidates; ++k) {
        if (y - k < 0 || y - k >= kSize) continue;
#pragma unroll
        for (int w = 0; w < kWords; ++w)
          sad[k] = add_differences(block[(y - k) * kWords + w], words[w], sad[k]);
      }
    }
#pragma unroll
    for (int k = 0; k < kCandidates; ++k) {
      const int dy = dy0 + k;
      const MotionVector v{static_cast<int16_t>(unit * dy), static_cast<int16_t>(unit * dx)};
      const uint32_t cost = motion_cost(sad[k], lambda, v);
      if (dy > shape.range || cost > own_cost) continue;
      const uint32_t rank = candidate_rank(dy, dx, shape.range);
      if (cost == own_cost && rank > own_rank) continue;
      own_cost = cost;
      own_rank = rank;
    }
    own_block = b;  // constant: there are several rounds only with a single motion block
  }
  if (own_block >= 0) atomicMin(&best_cost[own_block], own_cost);
  __syncthreads();
  if (own_block >= 0 && own_cost == best_cost[own_block]) atomicMin(&best_rank[own_block], own_rank);
  __syncthreads();
  if (thread < count) {
    const int index = static_cast<int>(best_rank[thread] % static_cast<uint32_t>(width * width));
    const MotionVector v{static_cast<int16_t>(unit * (index / width - shape.range)),
                         static_cast<int16_t>(unit * (index % width - shape.range))};
    vectors[first + thread] = v;
    costs[first + thread] = best_cost[thread] - motion_cost(0, lambda, v);
  }
}

constexpr int kStillThreads = 256;

// Whether all cells of a block in the grid are still.
__device__ __forceinline__ bool is_still(const StillCells& still, int row, int col) {
  for (int r = row << still.log2_cells; r < min_of((row + 1) << still.log2_cells, still.rows); ++r) {
    for (int c = col << still.log2_cells; c < min_of((col + 1) << still.log2_cells, still.cols); ++c) {
      if (still.flags[r * still.cols + c] == 0) return false;
    }
  }
  return true;
}

__global__ void __launch_bounds__(kStillThreads)
    leave_out_kernel(int rows, int cols, const __grid_constant__ StillCells still, MotionVector* vectors,
                     uint32_t* costs) {
  pdl_begin();
  const int at = static_cast<int>(blockIdx.x) * kStillThreads + thread_x();
  if (at >= rows * cols || !is_still(still, at / cols, at % cols)) return;
  vectors[at] = {};
  costs[at] = 0;
}

template <int kSize, int kCandidates>
Status launch(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int range, int unit,
              uint32_t lambda, MotionVector* vectors, uint32_t* costs) {
  SearchShape shape{};
  const int width = 2 * range + 1;
  shape.range = range;
  shape.lead = round_up(range, 4);
  shape.groups = width * ceil_div(width, kCandidates);
  shape.side = clamp_to(kMaxThreads / shape.groups, 1, min_of(kMaxSide, grid.cols));
  shape.pitch = (shape.side * kSize + 2 * shape.lead) / 4 + 1;
  shape.rows = kSize + round_up(width, kCandidates) - 1;
  const int threads = min_of(kMaxThreads, round_up(shape.side * shape.groups, 32));
  const size_t bytes =
      sizeof(uint32_t) * static_cast<size_t>(shape.side * kSize * kSize / 4 + shape.rows * shape.pitch);
  const dim3 blocks(blocks_for(grid.cols, shape.side), static_cast<unsigned>(grid.rows));
  launch_kernel(device, search_kernel<kSize, kCandidates>, blocks, static_cast<unsigned>(threads), bytes,
                planes, shape, grid.cols, unit, lambda, vectors, costs);
  return device.launched("search_kernel");
}

// Threads have few candidates if the window is small.
template <int kSize>
Status launch(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int range, int unit,
              uint32_t lambda, MotionVector* vectors, uint32_t* costs) {
  return range < 4 ? launch<kSize, 3>(device, planes, grid, range, unit, lambda, vectors, costs)
                   : launch<kSize, 6>(device, planes, grid, range, unit, lambda, vectors, costs);
}

}  // namespace

Status search_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int range, int unit,
                     uint32_t lambda, MotionVector* vectors, uint32_t* costs) {
  switch (grid.log2_block) {
    case 3:
      return launch<8>(device, planes, grid, range, unit, lambda, vectors, costs);
    case 4:
      return launch<16>(device, planes, grid, range, unit, lambda, vectors, costs);
    default:
      return launch<32>(device, planes, grid, range, unit, lambda, vectors, costs);
  }
}

Status leave_out_still(Device& device, const MotionGrid& grid, const StillCells& still, MotionVector* vectors,
                       uint32_t* costs) {
  launch_kernel(device, leave_out_kernel, blocks_for(static_cast<int>(grid.size()), kStillThreads),
                kStillThreads, 0, grid.rows, grid.cols, still, vectors, costs);
  return device.launched("leave_out_kernel");
}

}  // namespace ctv::cuda

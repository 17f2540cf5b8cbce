// SPDX-License-Identifier: BSD-3-Clause
// The levels of each direction are contiguous within the band's place, so later stages need no change. The
// search transforms a band one tree level at a time and sums the costs of its cells after each.
#include "cuda/transform/directed_bands.hpp"

#include "codec/control/slope_decisions.hpp"
#include "codec/dsp/quantise.hpp"

namespace ctv::cuda {
namespace {

CTV_CONST_TABLE LaplacianCost kCost = kLaplacianCost;

constexpr int kThreadsX = 32;
constexpr int kThreadsY = 8;
constexpr int kCostThreads = 256;

template <typename T>
struct DirectedLevels {
  Extent extent;
  WaveletBand<T> bands[kDirectedBands];
};

// Calls body(sample, level) with the indices of this thread's coefficient in the bands and of its level.
template <typename T, typename Body>
__device__ __forceinline__ void for_own(const DirectedLevels<T>& levels, const int8_t* directions, int band,
                                        Body body) {
  const Extent e = levels.extent;
  const int row = static_cast<int>(blockIdx.y * kThreadsY + threadIdx.y);
  const int col = static_cast<int>(blockIdx.x * kThreadsX + threadIdx.x);
  if (row >= e.rows || col >= e.cols) return;
  const int n = directions[band];
  body((static_cast<ptrdiff_t>(band) * e.rows + row) * e.cols + col,
       static_cast<ptrdiff_t>(directed_row(n, e, row)) * e.cols + directed_col(n, e, row, col));
}

__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    quantise_directed_kernel(const __grid_constant__ DirectedLevels<Level> levels, const int8_t* directions,
                             const Coefficient* bands) {
  const int b = static_cast<int>(blockIdx.z);
  const SubbandQuantiser& q = levels.bands[b].quantiser;
  for_own(levels, directions, b, [&](ptrdiff_t sample, ptrdiff_t level) {
    levels.bands[b].data[level] = quantise(bands[sample], q.multiplier, q.rounding_offset);
  });
}

__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    dequantise_directed_kernel(const __grid_constant__ DirectedLevels<const Level> levels,
                               const int8_t* directions, Coefficient* bands) {
  const int b = static_cast<int>(blockIdx.z);
  const SubbandQuantiser& q = levels.bands[b].quantiser;
  for_own(levels, directions, b, [&](ptrdiff_t sample, ptrdiff_t level) {
    bands[sample] = dequantise(levels.bands[b].data[level], q.step, q.reconstruction_offset);
  });
}

struct DirectedSearch {
  int rows, cols;  // of a band
  int directions_log2;
  uint32_t steps[kDirectedBands];
};

// One thread per cell of a direction.
__global__ void __launch_bounds__(kCostThreads)
    directed_costs_kernel(const __grid_constant__ DirectedSearch of, const Coefficient* bands,
                          unsigned long long* costs) {
  constexpr int kSide = 1 << kLog2DirectedCell;
  __shared__ unsigned long long total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int n = of.directions_log2;
  const int band = static_cast<int>(blockIdx.y);
  const int rows = n < 2 ? of.rows : of.rows / 2;  // of a direction
  const int cols = n < 1 ? of.cols : of.cols / 2;
  const int cell_cols = ceil_div(cols, kSide);
  const int cells = ceil_div(rows, kSide) * cell_cols;
  const int i = static_cast<int>(blockIdx.x * kCostThreads + threadIdx.x);
  if (i < cells << n) {
    const Coefficient* const from = bands + static_cast<ptrdiff_t>(band) * of.rows * of.cols;
    const int direction = i / cells;
    const int row0 = i % cells / cell_cols * kSide;
    const int col0 = i % cells % cell_cols * kSide;
    const int row1 = min_of(row0 + kSide, rows);
    const int col1 = min_of(col0 + kSide, cols);
    uint32_t sum = 0;
    for (int r = row0; r < row1; ++r) {
      const int row = n < 2 ? r : 2 * r + (direction >> 1);
      for (int c = col0; c < col1; ++c) {
        const int col = n < 1 ? c : 2 * c + ((n < 2 ? r + direction : direction) & 1);
        sum += static_cast<uint32_t>(abs_of(from[static_cast<ptrdiff_t>(row) * of.cols + col]));
      }
    }
    const auto count = static_cast<uint32_t>((row1 - row0) * (col1 - col0));
    const unsigned long long cost = slope_cell_cost(kCost, sum, count, slope_scale(count, of.steps[band]));
    atomicAdd(&total, cost);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(costs + band * (kDirectedDepth + 1) + n, total);
}

__global__ void decide_directions_kernel(const unsigned long long* costs, int8_t* directions) {
  const int band = static_cast<int>(threadIdx.x);
  uint64_t own[kDirectedDepth + 1];
  for (int n = 0; n <= kDirectedDepth; ++n) own[n] = costs[band * (kDirectedDepth + 1) + n];
  directions[band] = static_cast<int8_t>(decide_directions(own));
}

template <typename T>
DirectedLevels<T> levels_of(const Bands& bands, const WaveletBand<T>* levels) {
  DirectedLevels<T> all{{bands.rows, bands.cols}, {}};
  for (int b = 0; b < kDirectedBands; ++b) all.bands[b] = levels[b];
  return all;
}

dim3 blocks_of(const Bands& bands) {
  return {blocks_for(bands.cols, kThreadsX), blocks_for(bands.rows, kThreadsY), kDirectedBands};
}

}  // namespace

Status directed_forward(Device& device, const Bands& bands, const int8_t* directions,
                        const WaveletBand<Level>* levels) {
  const DirectionalPlan plan = make_directional_plan(kDirectedDepth);
  CTV_RETURN_IF_ERROR(directional_forward(device, bands, plan, kDirectedTaps, directions));
  quantise_directed_kernel<<<blocks_of(bands), dim3(kThreadsX, kThreadsY), 0, device.stream()>>>(
      levels_of(bands, levels), directions, bands.data);
  return device.launched("quantise_directed_kernel");
}

Status directed_inverse(Device& device, const Bands& bands, const int8_t* directions,
                        const WaveletBand<const Level>* levels) {
  const DirectionalPlan plan = make_directional_plan(kDirectedDepth);
  dequantise_directed_kernel<<<blocks_of(bands), dim3(kThreadsX, kThreadsY), 0, device.stream()>>>(
      levels_of(bands, levels), directions, bands.data);
  CTV_RETURN_IF_ERROR(device.launched("dequantise_directed_kernel"));
  return directional_inverse(device, bands, plan, kDirectedTaps, directions);
}

Status find_directions(Device& device, const Bands& bands, const uint32_t* steps, unsigned long long* costs,
                       int8_t* directions) {
  constexpr int kSide = 1 << kLog2DirectedCell;
  const DirectionalPlan plan = make_directional_plan(kDirectedDepth);
  CTV_CUDA_TRY(device, cudaMemsetAsync(costs, 0, kDirectedBands * (kDirectedDepth + 1) * sizeof *costs,
                                       device.stream()));
  DirectedSearch of{bands.rows, bands.cols, 0, {}};
  for (int b = 0; b < kDirectedBands; ++b) of.steps[b] = steps[b];
  for (int n = 0; n <= kDirectedDepth; ++n) {
    if (n > 0) CTV_RETURN_IF_ERROR(directional_level(device, bands, plan, kDirectedTaps, n));
    of.directions_log2 = n;
    const int rows = n < 2 ? bands.rows : bands.rows / 2;
    const int cols = n < 1 ? bands.cols : bands.cols / 2;
    const int cells = ceil_div(rows, kSide) * ceil_div(cols, kSide) << n;
    directed_costs_kernel<<<dim3(blocks_for(cells, kCostThreads), kDirectedBands), kCostThreads, 0,
                            device.stream()>>>(of, bands.data, costs);
    CTV_RETURN_IF_ERROR(device.launched("directed_costs_kernel"));
  }
  decide_directions_kernel<<<1, kDirectedBands, 0, device.stream()>>>(costs, directions);
  return device.launched("decide_directions_kernel");
}

}  // namespace ctv::cuda

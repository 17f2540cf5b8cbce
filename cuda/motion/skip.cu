// SPDX-License-Identifier: BSD-3-Clause
// Finds units of 2x2 cells that are still or close (codec/control/skip_decisions.hpp), one warp per unit. For
// still units it computes Hadamard transforms of differences by shuffles: a lane has eight samples of a luma
// column, or two of a chroma column.
#include "cuda/motion/skip.hpp"

#include "cuda/motion/predict_unit.cuh"
#include "cuda/motion/skip_unit.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

static_assert(kUnitSide == kSkipUnit * kCell);

// Coefficients of tiles of kCols x kCols samples, in any order. A lane has kCount samples of a column.
template <int kCols, int kCount>
__device__ __forceinline__ void hadamard(int lane, int (&h)[kCount]) {
#pragma unroll
  for (int half = 1; half < kCount; half *= 2) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      if ((k & half) != 0) continue;
      const int sum = h[k] + h[k + half];
      h[k + half] = h[k] - h[k + half];
      h[k] = sum;
    }
  }
  // Lanes up to kCols / 2 apart are in the same rows; the other lanes of a tile are in the same column.
#pragma unroll
  for (int away = 1; away < kCols * kCols / kCount; away *= 2) {
    const int sign = (lane & away) != 0 ? -1 : 1;
#pragma unroll
    for (int k = 0; k < kCount; ++k) h[k] = __shfl_xor_sync(kAllLanes, h[k], away) + sign * h[k];
  }
}

constexpr int kStrip = 2;  // samples per lane, vertically adjacent

// The lane's samples of a cell, and those at the same position in the reference.
template <int kRows, int kCols>
struct Samples {
  static constexpr int kLanes = kRows * kCols / kStrip;  // per cell
  int top, left;                                         // of the cell
  int source[kStrip], reference[kStrip];

  __device__ __forceinline__ Samples(const Comparison& c, const CellUnit& unit, int plane, int cell, int lane)
      : top((unit.row + cell / kSkipUnit) * kRows), left((unit.col + cell % kSkipUnit) * kCols) {
#pragma unroll
    for (int k = 0; k < kStrip; ++k) {
      const int y = top + lane / kCols * kStrip + k;
      const int x = left + lane % kCols;
      source[k] = clamped(c.source[plane], y, x);
      reference[k] = clamped(c.reference[plane], y, x);
    }
  }
};

// Whether a coefficient of the lane is too large for a still unit.
template <int kCols, int kCount>
__device__ __forceinline__ bool changes(const SkipPrices& prices, int lane, const int (&source)[kCount],
                                        const int (&reference)[kCount]) {
  int h[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) h[k] = skip_difference(source[k], reference[k]);
  hadamard<kCols>(lane, h);
  bool changes = false;
#pragma unroll
  for (int k = 0; k < kCount; ++k) changes |= abs_of(h[k]) * (kCell / kCols) > prices.still;
  return changes;
}

// The lane's luma samples, and those at the same position in the reference.
struct UnitSamples {
  int top, left;  // of the unit
  int source[kUnitStrip], reference[kUnitStrip];

  __device__ __forceinline__ UnitSamples(const Comparison& c, const CellUnit& unit, int lane)
      : top(unit.row * kCell), left(unit.col * kCell) {
    load_unit(c.source[0], top, left, lane, source);
    load_unit(c.reference[0], top, left, lane, reference);
  }
};

constexpr int kUnitWarps = 8;  // per block of threads; one unit each

// The unit of a warp; its row may be outside the grid.
__device__ __forceinline__ CellUnit unit_of_warp(const Comparison& c) {
  const int number = static_cast<int>(blockIdx.x * kUnitWarps + threadIdx.x / kWarp);
  const int units = ceil_div(c.grid_cols, kSkipUnit);  // per row
  return {c, number / units, number % units};
}

// Compares luma first, since motion shows there. In chroma, a group of lanes has a cell.
template <int kRows, int kCols>
__device__ __forceinline__ bool changes(const Comparison& c, const CellUnit& unit, int lane) {
  const UnitSamples luma(c, unit, lane);
  bool changed = changes<kCell>(c.prices, lane, luma.source, luma.reference);
  if (__any_sync(kAllLanes, changed) != 0) return true;
  constexpr int kLanes = Samples<kRows, kCols>::kLanes;
  for (int group = lane / kLanes; group < kSkipCells * (c.planes - 1); group += kWarp / kLanes) {
    const Samples<kRows, kCols> samples(c, unit, 1 + group / kSkipCells, group % kSkipCells, lane % kLanes);
    changed |= changes<kCols>(c.prices, lane, samples.source, samples.reference);
  }
  return __any_sync(kAllLanes, changed) != 0;
}

template <int kRows, int kCols>
__global__ void __launch_bounds__(kWarp* kUnitWarps)
    find_still_kernel(const __grid_constant__ Comparison c, uint8_t* still) {
  pdl_begin();
  const CellUnit unit = unit_of_warp(c);
  if (unit.row >= c.grid_rows) return;
  const int lane = thread_x() % kWarp;
  const uint8_t is_still = changes<kRows, kCols>(c, unit, lane) ? 0 : 1;
  if (lane < kSkipCells && unit.inside(lane)) still[unit.at(lane)] = is_still;
}

__global__ void __launch_bounds__(kWarp* kUnitWarps)
    skip_by_ssd_kernel(const __grid_constant__ Comparison c, uint32_t base_step, const MotionVector* vectors,
                       uint8_t* close) {
  pdl_begin();
  const CellUnit unit = unit_of_warp(c);
  if (unit.row >= c.grid_rows) return;
  const int lane = thread_x() % kWarp;
  uint32_t own = 0;
  for (int p = 0; p < c.planes; ++p) {
    const ChromaShift shift = p == 0 ? ChromaShift{} : c.chroma;
    const int log2_cols = kLog2Cell + 1 - shift.x;
    const int top = unit.row * (kCell >> shift.y);
    const int left = unit.col * (kCell >> shift.x);
    for (int i = lane; i < kSkipUnit * (kCell >> shift.y) << log2_cols; i += kWarp) {
      const int y = top + (i >> log2_cols);
      const int x = left + (i & ((1 << log2_cols) - 1));
      const int v = clamped(c.source[p], y, x) - clamped(c.reference[p], y, x);
      own += static_cast<uint32_t>(v * v);
    }
  }
  // The sum of a unit of 12 bits needs 34 bits.
  const uint64_t error = (uint64_t{warp_sum(own >> 16)} << 16) + warp_sum(own & 0xffffU);
  if (lane >= kSkipCells || !unit.inside(lane)) return;
  const MotionVector* vector = vectors == nullptr ? nullptr : vectors + unit.at(0);
  close[unit.at(lane)] = error <= close_error(base_step, vector) ? 1 : 0;
}

constexpr int kMarkThreads = 256;

__global__ void __launch_bounds__(kMarkThreads)
    skip_still_only_kernel(const MotionVector* vectors, int cells, uint8_t* skips) {
  pdl_begin();
  const int i = static_cast<int>(blockIdx.x) * kMarkThreads + thread_x();
  if (i < cells) skips[i] = skips[i] != 0 && same_vector(vectors[i], MotionVector{}) ? 1 : 0;
}

unsigned blocks_of_warps(const MotionGrid& grid) {
  return blocks_for(ceil_div(grid.rows, kSkipUnit) * ceil_div(grid.cols, kSkipUnit), kUnitWarps);
}

}  // namespace

Status find_still(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  uint8_t* still) {
  with_cell(planes.chroma, [&]<int kRows, int kCols>() {
    launch_kernel(device, find_still_kernel<kRows, kCols>, blocks_of_warps(grid), kWarp * kUnitWarps, 0,
                  comparison(planes, grid, base_step << planes.shift), still);
  });
  return device.launched("find_still_kernel");
}

Status skip_by_ssd(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                   const MotionVector* vectors, uint8_t* close) {
  launch_kernel(device, skip_by_ssd_kernel, blocks_of_warps(grid), kWarp * kUnitWarps, 0,
                comparison(planes, grid, base_step), base_step << planes.shift, vectors, close);
  return device.launched("skip_by_ssd_kernel");
}

Status skip_still_only(Device& device, const MotionGrid& grid, const MotionVector* vectors, uint8_t* skips) {
  const auto cells = static_cast<int>(grid.size());
  launch_kernel(device, skip_still_only_kernel, blocks_for(cells, kMarkThreads), kMarkThreads, 0, vectors,
                cells, skips);
  return device.launched("skip_still_only_kernel");
}

}  // namespace ctv::cuda

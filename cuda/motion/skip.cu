// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped (codec/control/skip_decisions.hpp). A block of threads takes a unit of 2x2
// cells, and a group of its lanes a cell of one plane: Hadamard transforms of the difference to the reference
// or to the cell's prediction, by exchange between lanes, and squared differences. The threads of the block
// meet once.
#include "cuda/motion/skip.hpp"

#include "codec/control/skip_decisions.hpp"
#include "cuda/motion/predict.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kMostPlanes = 3;

struct Comparison {
  PlaneView<const Sample> source[kMostPlanes], reference[kMostPlanes];
  int planes, grid_rows, grid_cols;
  ChromaShift chroma;
  SkipPrices prices;
};

// A unit of cells: that of the block of threads.
struct CellUnit {
  int row, col;  // of its first cell
  int grid_rows, grid_cols;

  __device__ __forceinline__ explicit CellUnit(const Comparison& c)
      : row(static_cast<int>(blockIdx.y) * kSkipUnit),
        col(static_cast<int>(blockIdx.x) * kSkipUnit),
        grid_rows(c.grid_rows),
        grid_cols(c.grid_cols) {}
  __device__ __forceinline__ bool inside(int cell) const {
    return row + cell / kSkipUnit < grid_rows && col + cell % kSkipUnit < grid_cols;
  }
  /// Place in arrays of the grid.
  __device__ __forceinline__ int at(int cell) const {
    return (row + cell / kSkipUnit) * grid_cols + col + cell % kSkipUnit;
  }
};

// What a thread takes of a unit. The first four warps take luma, a cell each; the groups of the others the
// cells of the second plane, then of the third. kRows, kCols: of a cell there.
template <int kRows, int kCols>
struct Share {
  static constexpr int kLanes = Piece<kRows, kCols>::kLanes;
  static constexpr int threads(int planes) { return kSkipCells * (kWarp + (planes - 1) * kLanes); }
  int plane, cell, lane;

  __device__ __forceinline__ Share() {
    const int thread = static_cast<int>(threadIdx.x);
    const int group = (thread - kSkipCells * kWarp) / kLanes;
    const bool luma = thread < kSkipCells * kWarp;
    plane = luma ? 0 : 1 + group / kSkipCells;
    cell = luma ? thread / kWarp : group % kSkipCells;
    lane = thread % (luma ? kWarp : kLanes);
  }
};

// What a cell's samples of one plane sum up to.
struct PlaneSums {
  uint32_t own, zero;  // squared differences to the predictions
  uint32_t lost;       // SkipSums
  uint32_t counts;     // SkipSums.coded, and above 16 bits octaves
};

// Over the lanes of a group.
template <int kLanes>
__device__ __forceinline__ uint32_t group_sum(uint32_t v) {
  if constexpr (kLanes == kWarp) {
    return warp_sum(v);
  } else {
#pragma unroll
    for (int offset = kLanes / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(kAllLanes, v, offset);
    return v;
  }
}

// Coefficients of tiles of kCols x kCols samples, in any order.
template <int kCols>
__device__ __forceinline__ void hadamard(int lane, int (&h)[kStrip]) {
  const int sum = h[0] + h[1];
  h[1] = h[0] - h[1];
  h[0] = sum;
  // Lanes up to kCols / 2 away are in the same rows, the others of a tile in the same column.
#pragma unroll
  for (int away = 1; away < kCols * kCols / kStrip; away *= 2) {
    const int sign = (lane & away) != 0 ? -1 : 1;
#pragma unroll
    for (int k = 0; k < kStrip; ++k) h[k] = __shfl_xor_sync(kAllLanes, h[k], away) + sign * h[k];
  }
}

// The lane's samples of a cell, and those at their place in the reference.
template <int kRows, int kCols>
struct Samples {
  int top, left;  // of the cell
  int source[kStrip], reference[kStrip];

  __device__ __forceinline__ Samples(const Comparison& c, const CellUnit& unit, int plane, int cell, int lane)
      : top((unit.row + cell / kSkipUnit) * kRows), left((unit.col + cell % kSkipUnit) * kCols) {
#pragma unroll
    for (int k = 0; k < kStrip; ++k) {
      const int y = top + strip_row<kCols>(lane) + k;
      const int x = left + strip_col<kCols>(lane);
      source[k] = clamped(c.source[plane], y, x);
      reference[k] = clamped(c.reference[plane], y, x);
    }
  }
};

// Whether a coefficient of the lane is too large for a still unit.
template <int kRows, int kCols>
__device__ __forceinline__ bool changes(const Comparison& c, const CellUnit& unit, int plane, int cell,
                                        int lane) {
  const Samples<kRows, kCols> samples(c, unit, plane, cell, lane);
  int h[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) h[k] = skip_difference(samples.source[k], samples.reference[k]);
  hadamard<kCols>(lane, h);
  bool changes = false;
#pragma unroll
  for (int k = 0; k < kStrip; ++k) changes |= abs_of(h[k]) * (kCell / kCols) > c.prices.still;
  return changes;
}

template <int kRows, int kCols>
__global__ void __launch_bounds__(Share<kRows, kCols>::threads(kMostPlanes))
    find_still_kernel(const __grid_constant__ Comparison c, uint8_t* still) {
  follow();
  const CellUnit unit(c);
  const Share<kRows, kCols> share;
  const bool changed = share.plane == 0 ? changes<kCell, kCell>(c, unit, 0, share.cell, share.lane)
                                        : changes<kRows, kCols>(c, unit, share.plane, share.cell, share.lane);
  const bool is_still = __syncthreads_or(changed ? 1 : 0) == 0;
  const int cell = static_cast<int>(threadIdx.x);
  if (cell < kSkipCells && unit.inside(cell)) still[unit.at(cell)] = is_still ? 1 : 0;
}

// The sums of one cell with the vector v are known to all lanes of the group.
template <int kRows, int kCols>
__device__ __forceinline__ PlaneSums compare(const Comparison& c, const CellUnit& unit, int plane, int cell,
                                             MotionVector v, int lane, Piece<kRows, kCols>& piece) {
  static_assert(kCols <= kRows);
  const Samples<kRows, kCols> samples(c, unit, plane, cell, lane);
  int own[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) own[k] = samples.reference[k];
  const bool moves = !same_vector(v, MotionVector{});
  if (__any_sync(kAllLanes, moves) != 0) {
    predict(c.reference[plane], plane == 0 ? ChromaShift{} : c.chroma, v, samples.top, samples.left, lane,
            piece, own);
  }
  PlaneSums sums{};
  int h[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    h[k] = skip_difference(samples.source[k], own[k]);
    const int zero = skip_difference(samples.source[k], samples.reference[k]);
    sums.own += static_cast<uint32_t>(h[k] * h[k]);
    sums.zero += static_cast<uint32_t>(zero * zero);
  }
  hadamard<kCols>(lane, h);
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    const int magnitude = abs_of(h[k]) * (kCell / kCols);
    if (magnitude > c.prices.dead) {
      ++sums.counts;
    } else {
      sums.lost += static_cast<uint32_t>(magnitude * magnitude);
    }
#pragma unroll
    for (int i = 0; i < kSkipOctaves; ++i) sums.counts += magnitude > c.prices.first << i ? 1U << 16 : 0U;
  }
  constexpr int kLanes = Piece<kRows, kCols>::kLanes;
  return {group_sum<kLanes>(sums.own), group_sum<kLanes>(sums.zero), group_sum<kLanes>(sums.lost),
          group_sum<kLanes>(sums.counts)};
}

// Costs of a cell from the sums of its planes.
__device__ __forceinline__ SkipCosts costs_of(const Comparison& c,
                                              const PlaneSums (&sums)[kMostPlanes][kSkipCells], int cell,
                                              MotionVector v) {
  SkipCosts costs;
  SkipSums coded;
  for (int p = 0; p < c.planes; ++p) {
    const PlaneSums& s = sums[p][cell];
    costs.zero += uint64_t{64} * s.zero;
    costs.own += uint64_t{64} * s.own;
    coded.lost += s.lost;
    coded.coded += s.counts & 0xFFFFU;
    coded.octaves += s.counts >> 16;
  }
  costs.code = coded_cost(c.prices, coded, v);
  return costs;
}

template <int kRows, int kCols>
__global__ void __launch_bounds__(Share<kRows, kCols>::threads(kMostPlanes))
    decide_skips_kernel(const __grid_constant__ Comparison c, const uint8_t* still, MotionVector* vectors,
                        uint8_t* skips) {
  follow();
  __shared__ Piece<kCell, kCell> luma[kSkipCells];
  __shared__ Piece<kRows, kCols> chroma[kMostPlanes - 1][kSkipCells];
  __shared__ PlaneSums sums[kMostPlanes][kSkipCells];
  const CellUnit unit(c);
  const Share<kRows, kCols> share;
  const bool is_still = still[unit.at(0)] != 0;  // all threads alike
  if (!is_still) {
    const MotionVector v = vectors[unit.at(unit.inside(share.cell) ? share.cell : 0)];
    const PlaneSums own = share.plane == 0 ? compare(c, unit, 0, share.cell, v, share.lane, luma[share.cell])
                                           : compare(c, unit, share.plane, share.cell, v, share.lane,
                                                     chroma[share.plane - 1][share.cell]);
    if (share.lane == 0) sums[share.plane][share.cell] = own;
  }
  __syncthreads();
  if (threadIdx.x >= kWarp) return;

  // All lanes know the four cells' costs and choose alike; lane k writes cell k.
  SkipChoice choices[kSkipCells] = {};
  if (!is_still) {
    SkipCosts mine;
    if (share.lane < kSkipCells && unit.inside(share.lane))
      mine = costs_of(c, sums, share.lane, vectors[unit.at(share.lane)]);
    SkipCosts costs[kSkipCells];
#pragma unroll
    for (int k = 0; k < kSkipCells; ++k) {
      costs[k] = {__shfl_sync(kAllLanes, mine.zero, k), __shfl_sync(kAllLanes, mine.own, k),
                  __shfl_sync(kAllLanes, mine.code, k)};
    }
    choose_skips(c.prices, costs, choices);
  }
#pragma unroll
  for (int k = 0; k < kSkipCells; ++k) {
    if (share.lane != k || !unit.inside(k)) continue;
    const int at = unit.at(k);
    if (choices[k] == SkipChoice::kZero) vectors[at] = {};
    skips[at] = choices[k] == SkipChoice::kCode ? 0 : 1;
  }
}

// Calls launch with the rows and columns of a cell on planes of chroma, the units, and the threads of each.
template <typename Launch>
void launch_on_units(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step, Launch launch) {
  Comparison c{};
  for (size_t p = 0; p < static_cast<size_t>(planes.planes); ++p) {
    c.source[p] = planes.source[p];
    c.reference[p] = planes.reference[p];
  }
  c.planes = planes.planes;
  c.grid_rows = grid.rows;
  c.grid_cols = grid.cols;
  c.chroma = planes.chroma;
  c.prices = skip_prices(base_step);
  const dim3 units(blocks_for(grid.cols, kSkipUnit), blocks_for(grid.rows, kSkipUnit));
  const auto with_cell = [&]<int kRows, int kCols>() {
    launch.template operator()<kRows, kCols>(
        units, static_cast<unsigned>(Share<kRows, kCols>::threads(planes.planes)), c);
  };
  if (planes.chroma.x == 0) {
    with_cell.template operator()<8, 8>();
  } else if (planes.chroma.y == 0) {
    with_cell.template operator()<8, 4>();
  } else {
    with_cell.template operator()<4, 4>();
  }
}

}  // namespace

Status find_still(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  uint8_t* still) {
  launch_on_units(planes, grid, base_step,
                  [&]<int kRows, int kCols>(dim3 units, unsigned threads, const Comparison& c) {
                    launch_kernel(device, find_still_kernel<kRows, kCols>, units, threads, 0, c, still);
                  });
  return device.launched("find_still_kernel");
}

Status decide_skips(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    const uint8_t* still, const SideInfo& side) {
  launch_on_units(planes, grid, base_step,
                  [&]<int kRows, int kCols>(dim3 units, unsigned threads, const Comparison& c) {
                    launch_kernel(device, decide_skips_kernel<kRows, kCols>, units, threads, 0, c, still,
                                  side.vectors, side.skips);
                  });
  return device.launched("decide_skips_kernel");
}

}  // namespace ctv::cuda

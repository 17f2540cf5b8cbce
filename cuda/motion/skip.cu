// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped (codec/control/skip_decisions.hpp). A block of threads takes a unit of 2x2
// cells: a warp its luma, eight samples of a column a lane, and a group of lanes each cell of another plane.
// They find Hadamard transforms of differences, by exchange between lanes, and squared differences. The
// threads of the block meet once. What is still, or close, is found by a warp for each unit.
#include "cuda/motion/skip.hpp"

#include "codec/control/skip_decisions.hpp"
#include "cuda/motion/predict_unit.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kMostPlanes = 3;
static_assert(kUnitSide == kSkipUnit * kCell);

struct Comparison {
  PlaneView<const Sample> source[kMostPlanes], reference[kMostPlanes];
  int planes, grid_rows, grid_cols;
  ChromaShift chroma;
  SkipPrices prices;
};

// A unit of cells: in most kernels that of the block of threads.
struct CellUnit {
  int row, col;  // of its first cell
  int grid_rows, grid_cols;

  __device__ __forceinline__ CellUnit(const Comparison& c, int unit_row, int unit_col)
      : row(unit_row * kSkipUnit),
        col(unit_col * kSkipUnit),
        grid_rows(c.grid_rows),
        grid_cols(c.grid_cols) {}
  __device__ __forceinline__ explicit CellUnit(const Comparison& c)
      : CellUnit(c, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)) {}
  __device__ __forceinline__ bool inside(int cell) const {
    return row + cell / kSkipUnit < grid_rows && col + cell % kSkipUnit < grid_cols;
  }
  /// Place in arrays of the grid.
  __device__ __forceinline__ int at(int cell) const {
    return (row + cell / kSkipUnit) * grid_cols + col + cell % kSkipUnit;
  }
};

// What a thread takes of a unit. The first warp takes luma, a quarter of its lanes each cell; the groups of
// the others the cells of the second plane, then of the third. kRows, kCols: of a cell there.
template <int kRows, int kCols>
struct Share {
  static constexpr int kLanes = Piece<kRows, kCols>::kLanes;
  static constexpr int threads(int planes) { return kWarp + kSkipCells * (planes - 1) * kLanes; }
  int plane, cell, lane;  // lane: of luma's warp, or of a group

  __device__ __forceinline__ Share() {
    const int thread = static_cast<int>(threadIdx.x);
    const int group = (thread - kWarp) / kLanes;
    const bool luma = thread < kWarp;
    plane = luma ? 0 : 1 + group / kSkipCells;
    cell = luma ? thread / (kWarp / kSkipCells) : group % kSkipCells;
    lane = luma ? thread : thread % kLanes;
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
  // Lanes up to kCols / 2 away are in the same rows, the others of a tile in the same column.
#pragma unroll
  for (int away = 1; away < kCols * kCols / kCount; away *= 2) {
    const int sign = (lane & away) != 0 ? -1 : 1;
#pragma unroll
    for (int k = 0; k < kCount; ++k) h[k] = __shfl_xor_sync(kAllLanes, h[k], away) + sign * h[k];
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

// Luma's samples of the lane, and those at their place in the reference.
struct UnitSamples {
  int top, left;  // of the unit
  int source[kUnitStrip], reference[kUnitStrip];

  __device__ __forceinline__ UnitSamples(const Comparison& c, const CellUnit& unit, int lane)
      : top(unit.row * kCell), left(unit.col * kCell) {
    load_unit(c.source[0], top, left, lane, source);
    load_unit(c.reference[0], top, left, lane, reference);
  }
};

constexpr int kUnitWarps = 8;  // of a block of threads, where each takes a unit

// The unit of a warp; its row may lie beyond the grid.
__device__ __forceinline__ CellUnit unit_of_warp(const Comparison& c) {
  const int number = static_cast<int>(blockIdx.x * kUnitWarps + threadIdx.x / kWarp);
  const int units = ceil_div(c.grid_cols, kSkipUnit);  // of a row
  return {c, number / units, number % units};
}

// Luma first: what moves changes there. A group of lanes takes a cell of another plane.
template <int kRows, int kCols>
__device__ __forceinline__ bool changes(const Comparison& c, const CellUnit& unit, int lane) {
  const UnitSamples luma(c, unit, lane);
  bool changed = changes<kCell>(c.prices, lane, luma.source, luma.reference);
  if (__any_sync(kAllLanes, changed) != 0) return true;
  constexpr int kLanes = Piece<kRows, kCols>::kLanes;
  for (int group = lane / kLanes; group < kSkipCells * (c.planes - 1); group += kWarp / kLanes) {
    const Samples<kRows, kCols> samples(c, unit, 1 + group / kSkipCells, group % kSkipCells, lane % kLanes);
    changed |= changes<kCols>(c.prices, lane, samples.source, samples.reference);
  }
  return __any_sync(kAllLanes, changed) != 0;
}

template <int kRows, int kCols>
__global__ void __launch_bounds__(kWarp* kUnitWarps)
    find_still_kernel(const __grid_constant__ Comparison c, uint8_t* still) {
  follow();
  const CellUnit unit = unit_of_warp(c);
  if (unit.row >= c.grid_rows) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const uint8_t is_still = changes<kRows, kCols>(c, unit, lane) ? 0 : 1;
  if (lane < kSkipCells && unit.inside(lane)) still[unit.at(lane)] = is_still;
}

// The sums of a cell of kCols columns are known to all kLanes lanes that have its samples. own: predicted
// with its vector, zero: the reference's at the same place.
template <int kCols, int kLanes, int kCount>
__device__ __forceinline__ PlaneSums compare(const SkipPrices& prices, int lane, const int (&source)[kCount],
                                             const int (&own)[kCount], const int (&zero)[kCount]) {
  PlaneSums sums{};
  int h[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    h[k] = skip_difference(source[k], own[k]);
    const int d = skip_difference(source[k], zero[k]);
    sums.own += static_cast<uint32_t>(h[k] * h[k]);
    sums.zero += static_cast<uint32_t>(d * d);
  }
  hadamard<kCols>(lane, h);
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    const int magnitude = abs_of(h[k]) * (kCell / kCols);
    if (magnitude > prices.dead) {
      ++sums.counts;
    } else {
      sums.lost += static_cast<uint32_t>(magnitude * magnitude);
    }
    if (magnitude <= prices.first) continue;
#pragma unroll
    for (int i = 0; i < kSkipOctaves; ++i) sums.counts += magnitude > prices.first << i ? 1U << 16 : 0U;
  }
  return {group_sum<kLanes>(sums.own), group_sum<kLanes>(sums.zero), group_sum<kLanes>(sums.lost),
          group_sum<kLanes>(sums.counts)};
}

// v: of the lane's cell.
__device__ __forceinline__ PlaneSums compare_luma(const Comparison& c, const CellUnit& unit, MotionVector v,
                                                  int lane, UnitPatch<>& patch) {
  const UnitSamples luma(c, unit, lane);
  int own[kUnitStrip];
#pragma unroll
  for (int k = 0; k < kUnitStrip; ++k) own[k] = luma.reference[k];
  const uint32_t word = pair_of(v.y, v.x);
  for (uint32_t left = __ballot_sync(kAllLanes, word != 0); left != 0;) {
    const uint32_t next = __shfl_sync(kAllLanes, word, __ffs(static_cast<int>(left)) - 1);
    const MotionVector vector{static_cast<int16_t>(first_of(next)), static_cast<int16_t>(second_of(next))};
    int predicted[kUnitStrip];
    predict_unit(c.reference[0], {}, vector, luma.top, luma.left, lane, patch, predicted);
#pragma unroll
    for (int k = 0; k < kUnitStrip; ++k) own[k] = word == next ? predicted[k] : own[k];
    left &= ~__ballot_sync(kAllLanes, word == next);
  }
  return compare<kCell, kWarp / kSkipCells>(c.prices, lane, luma.source, own, luma.reference);
}

// v: of the group's cell.
template <int kRows, int kCols>
__device__ __forceinline__ PlaneSums compare_chroma(const Comparison& c, const CellUnit& unit,
                                                    const Share<kRows, kCols>& share, MotionVector v,
                                                    Piece<kRows, kCols>& piece) {
  static_assert(kCols <= kRows);
  const Samples<kRows, kCols> samples(c, unit, share.plane, share.cell, share.lane);
  int own[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) own[k] = samples.reference[k];
  if (__any_sync(kAllLanes, !same_vector(v, MotionVector{})) != 0)
    predict(c.reference[share.plane], c.chroma, v, samples.top, samples.left, share.lane, piece, own);
  return compare<kCols, Piece<kRows, kCols>::kLanes>(c.prices, share.lane, samples.source, own,
                                                     samples.reference);
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
  __shared__ UnitPatch<> luma;
  __shared__ Piece<kRows, kCols> chroma[kMostPlanes - 1][kSkipCells];
  __shared__ PlaneSums sums[kMostPlanes][kSkipCells];
  const CellUnit unit(c);
  const Share<kRows, kCols> share;
  const bool is_still = still[unit.at(0)] != 0;  // all threads alike
  if (!is_still) {
    const MotionVector v = vectors[unit.at(unit.inside(share.cell) ? share.cell : 0)];
    const PlaneSums own = share.plane == 0
                              ? compare_luma(c, unit, v, share.lane, luma)
                              : compare_chroma(c, unit, share, v, chroma[share.plane - 1][share.cell]);
    constexpr int kLumaLanes = kWarp / kSkipCells;
    if (share.plane == 0 ? share.lane % kLumaLanes == 0 : share.lane == 0)
      sums[share.plane][share.cell] = own;
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

__global__ void __launch_bounds__(kWarp* kUnitWarps)
    find_close_kernel(const __grid_constant__ Comparison c, uint32_t base_step, const MotionVector* vectors,
                      uint8_t* close) {
  follow();
  const CellUnit unit = unit_of_warp(c);
  if (unit.row >= c.grid_rows) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  uint32_t error = 0;
  for (int p = 0; p < c.planes; ++p) {
    const ChromaShift shift = p == 0 ? ChromaShift{} : c.chroma;
    const int log2_cols = kLog2Cell + 1 - shift.x;
    const int top = unit.row * (kCell >> shift.y);
    const int left = unit.col * (kCell >> shift.x);
    for (int i = lane; i < kSkipUnit * (kCell >> shift.y) << log2_cols; i += kWarp) {
      const int y = top + (i >> log2_cols);
      const int x = left + (i & ((1 << log2_cols) - 1));
      const int v = clamped(c.source[p], y, x) - clamped(c.reference[p], y, x);
      error += static_cast<uint32_t>(v * v);
    }
  }
  error = warp_sum(error);
  if (lane >= kSkipCells || !unit.inside(lane)) return;
  const MotionVector* vector = vectors == nullptr ? nullptr : vectors + unit.at(0);
  close[unit.at(lane)] = error <= close_error(base_step, vector) ? 1 : 0;
}

Comparison comparison(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step) {
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
  return c;
}

unsigned blocks_of_warps(const MotionGrid& grid) {
  return blocks_for(ceil_div(grid.rows, kSkipUnit) * ceil_div(grid.cols, kSkipUnit), kUnitWarps);
}

// Calls launch with the rows and columns of a cell on planes of chroma.
template <typename Launch>
void with_cell(ChromaShift chroma, Launch launch) {
  if (chroma.x == 0) {
    launch.template operator()<8, 8>();
  } else if (chroma.y == 0) {
    launch.template operator()<8, 4>();
  } else {
    launch.template operator()<4, 4>();
  }
}

}  // namespace

Status find_still(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  uint8_t* still) {
  with_cell(planes.chroma, [&]<int kRows, int kCols>() {
    launch_kernel(device, find_still_kernel<kRows, kCols>, blocks_of_warps(grid), kWarp * kUnitWarps, 0,
                  comparison(planes, grid, base_step), still);
  });
  return device.launched("find_still_kernel");
}

Status decide_skips(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    const uint8_t* still, const SideInfo& side) {
  const dim3 units(blocks_for(grid.cols, kSkipUnit), blocks_for(grid.rows, kSkipUnit));
  with_cell(planes.chroma, [&]<int kRows, int kCols>() {
    launch_kernel(device, decide_skips_kernel<kRows, kCols>, units,
                  static_cast<unsigned>(Share<kRows, kCols>::threads(planes.planes)), 0,
                  comparison(planes, grid, base_step), still, side.vectors, side.skips);
  });
  return device.launched("decide_skips_kernel");
}

Status find_close(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  const MotionVector* vectors, uint8_t* close) {
  launch_kernel(device, find_close_kernel, blocks_of_warps(grid), kWarp * kUnitWarps, 0,
                comparison(planes, grid, base_step), base_step, vectors, close);
  return device.launched("find_close_kernel");
}

}  // namespace ctv::cuda

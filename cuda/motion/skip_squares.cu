// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). A block of threads takes a
// region of cells and lists what its squares have to try: each unit of 2x2 cells with each vector, and those
// of its own cells. Its warps take entries of the list in turn, so squares with much to try do not wait for
// their own warps alone. Most squares have nothing to try.
#include "codec/control/skip_squares.hpp"

#include <algorithm>

#include "cuda/motion/predict_unit.cuh"
#include "cuda/motion/skip.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCell = 1 << kLog2Cell;

struct SquarePass {
  PlaneView<const Sample> source, reference;  // luma
  int rows, cols;                             // of the grid
  SkipPrices prices;
  const uint8_t* skips;
  const MotionVector* from;
  MotionVector* to;
};

__device__ __forceinline__ uint32_t word_of(MotionVector v) { return pair_of(v.y, v.x); }
__device__ __forceinline__ MotionVector vector_of(uint32_t word) {
  return {static_cast<int16_t>(first_of(word)), static_cast<int16_t>(second_of(word))};
}

// What a block of threads takes.
template <int kLevel>
struct Region {
  static constexpr int kSquareSide = 1 << kLevel;         // cells
  static constexpr int kSide = std::max(4, kSquareSide);  // cells
  static constexpr int kAcross = kSide / kSquareSide;     // squares
  static constexpr int kSquares = kAcross * kAcross;
  static constexpr int kCells = kSide * kSide;
  static constexpr int kUnitsAcross = kSide / kSkipUnit;
  static constexpr int kUnits = kUnitsAcross * kUnitsAcross;
  static constexpr int kSlots = kMostSquareVectors + kSkipCells;  // a unit's vectors to try, and of its cells
  static constexpr int kWarps = kSide == 4 ? 4 : 16;
  static constexpr int kFirstOwner = std::max(kCells, kWarp);  // threads of squares; those before copy cells
  static_assert(kUnits * kSlots <= kWarps * kWarp && kFirstOwner + kSquares <= kWarps * kWarp);

  static __device__ __forceinline__ int square_of(int row, int col) {  // of a cell
    return row / kSquareSide * kAcross + col / kSquareSide;
  }
};

template <int kLevel>
struct Tried {
  using Own = Region<kLevel>;
  uint32_t cells[Own::kCells];  // their vectors
  uint32_t vectors[Own::kSquares][kMostSquareVectors];
  uint32_t tried[Own::kSquares];  // bits: of these
  uint32_t mixed[Own::kSquares], coded[Own::kSquares];
  uint32_t errors[Own::kSquares][1 + kMostSquareVectors];  // as it is, and with each vector
  uint32_t chosen[Own::kSquares];                          // of vectors; kMostSquareVectors: none
  uint32_t entries;
  uint16_t list[Own::kUnits * Own::kSlots];

  // Cell k of a unit.
  __device__ __forceinline__ uint32_t cell_of(int unit, int k) const {
    const int row = unit / Own::kUnitsAcross * kSkipUnit + k / kSkipUnit;
    const int col = unit % Own::kUnitsAcross * kSkipUnit + k % kSkipUnit;
    return cells[row * Own::kSide + col];
  }
  __device__ __forceinline__ static int square_of(int unit) {
    return Own::square_of(unit / Own::kUnitsAcross * kSkipUnit, unit % Own::kUnitsAcross * kSkipUnit);
  }
  __device__ __forceinline__ uint32_t vector_of(int unit, int slot) const {
    return slot < kMostSquareVectors ? vectors[square_of(unit)][slot]
                                     : cell_of(unit, slot - kMostSquareVectors);
  }
  // Whether no slot before has this vector of a square that has something to try.
  __device__ __forceinline__ bool is_first(int unit, int slot) const {
    const int square = square_of(unit);
    const uint32_t bits = tried[square];
    if (slot < kMostSquareVectors) return (bits >> slot & 1) != 0;
    const uint32_t own = vector_of(unit, slot);
    bool first = bits != 0;
    for (int k = 0; k < kMostSquareVectors; ++k)
      first = first && ((bits >> k & 1) == 0 || vectors[square][k] != own);
    for (int k = kMostSquareVectors; k < slot; ++k) first = first && vector_of(unit, k) != own;
    return first;
  }
};

// The squared error of the lane's samples of the unit at (top, left) with the vector v.
__device__ __forceinline__ uint32_t error_of(const SquarePass& pass, int top, int left, MotionVector v,
                                             int lane, UnitPatch& patch) {
  int samples[kUnitStrip];
  int predicted[kUnitStrip];
  load_unit(pass.source, top, left, lane, samples);
  predict_unit(pass.reference, v, top, left, lane, patch, predicted);
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kUnitStrip; ++k) {
    const int d = skip_difference(samples[k], predicted[k]);
    sum += static_cast<uint32_t>(d * d);
  }
  return sum;
}

template <int kLevel>
__global__ void __launch_bounds__(Region<kLevel>::kWarps* kWarp)
    unite_skips_kernel(const __grid_constant__ SquarePass pass) {
  using Own = Region<kLevel>;
  constexpr int kSide = Own::kSide;
  constexpr int kHalf = Own::kSquareSide / 2;
  __shared__ UnitPatch patches[Own::kWarps];
  __shared__ Tried<kLevel> t;
  const int thread = static_cast<int>(threadIdx.x);
  const int row0 = static_cast<int>(blockIdx.y) * kSide;
  const int col0 = static_cast<int>(blockIdx.x) * kSide;
  if (thread < Own::kSquares) t.mixed[thread] = t.coded[thread] = 0;
  if (thread == 0) t.entries = 0;
  __syncthreads();
  follow();

  // A thread copies a cell, and writes it again if its square gets another vector.
  const int row = row0 + thread / kSide;
  const int col = col0 + thread % kSide;
  const int cell = row * pass.cols + col;
  const bool copies = thread < Own::kCells && row < pass.rows && col < pass.cols;
  const int own_square = Own::square_of(thread / kSide, thread % kSide);
  if (copies) {
    const MotionVector v = pass.from[cell];
    pass.to[cell] = v;
    t.cells[thread] = word_of(v);
    if (!same_vector(v, pass.from[(row & -kHalf) * pass.cols + (col & -kHalf)]))
      atomicOr(&t.mixed[own_square], 1U << (row / kHalf % 2 * 2 + col / kHalf % 2));
    if (pass.skips[cell] == 0) atomicOr(&t.coded[own_square], 1U);
  }
  // And a thread decides for a square.
  SkipSquare square;
  const int decides = thread - Own::kFirstOwner;
  const int top = row0 + decides / Own::kAcross * Own::kSquareSide;
  const int left = col0 + decides % Own::kAcross * Own::kSquareSide;
  const bool whole = decides >= 0 && decides < Own::kSquares && top + Own::kSquareSide <= pass.rows &&
                     left + Own::kSquareSide <= pass.cols;
  if (whole) square = SkipSquare::make(pass.from, pass.rows, pass.cols, top, left, kLevel);
  __syncthreads();
  bool active = false;
  if (decides >= 0 && decides < Own::kSquares) {
    uint32_t tried = 0;
    square.mixed = t.mixed[decides];
    active = whole && t.coded[decides] == 0 && !square.is_cheapest();
    for (int k = 0; active && k < square.count; ++k) {
      t.vectors[decides][k] = word_of(square.vectors[k]);
      if (!square.is_repeated(k)) tried |= 1U << k;
    }
    for (uint32_t& error : t.errors[decides]) error = 0;
    t.tried[decides] = tried;
  }
  if (__syncthreads_or(active ? 1 : 0) == 0) return;

  if (thread < Own::kUnits * Own::kSlots && t.is_first(thread / Own::kSlots, thread % Own::kSlots))
    t.list[atomicAdd(&t.entries, 1U)] = static_cast<uint16_t>(thread);
  __syncthreads();
  const int warp = thread / kWarp;
  const int lane = thread % kWarp;
  for (uint32_t i = static_cast<uint32_t>(warp); i < t.entries; i += Own::kWarps) {
    const int unit = t.list[i] / Own::kSlots;
    const int slot = t.list[i] % Own::kSlots;
    const uint32_t v = t.vector_of(unit, slot);
    const uint32_t error =
        error_of(pass, (row0 + unit / Own::kUnitsAcross * kSkipUnit) * kCell,
                 (col0 + unit % Own::kUnitsAcross * kSkipUnit) * kCell, vector_of(v), lane, patches[warp]);
    const bool own = t.cell_of(unit, unit_row(lane) / kCell * kSkipUnit + unit_col(lane) / kCell) == v;
    const uint32_t own_sum = warp_sum(own ? error : 0);
    const uint32_t sum = warp_sum(error);
    uint32_t* const errors = t.errors[t.square_of(unit)];
    if (lane == 0) {
      atomicAdd(errors, own_sum);
      if (slot < kMostSquareVectors) atomicAdd(errors + 1 + slot, sum);
    }
  }
  __syncthreads();

  if (decides >= 0 && decides < Own::kSquares) {
    const uint32_t* const errors = t.errors[decides];
    uint32_t best = kMostSquareVectors;
    uint64_t least =
        active ? skip_square_cost(pass.prices, uint64_t{64} * errors[0], square.own_bits()) : uint64_t{0};
    for (int k = 0; active && k < square.count; ++k) {
      if ((t.tried[decides] >> k & 1) == 0) continue;
      const uint64_t cost =
          skip_square_cost(pass.prices, uint64_t{64} * errors[1 + k], square.leaf_bits(square.vectors[k]));
      if (cost >= least) continue;
      least = cost;
      best = static_cast<uint32_t>(k);
    }
    t.chosen[decides] = best;
  }
  __syncthreads();
  if (!copies) return;
  const uint32_t best = t.chosen[own_square];
  if (best < kMostSquareVectors) pass.to[cell] = vector_of(t.vectors[own_square][best]);
}

template <int kLevel>
void unite_level(Device& device, const SquarePass& pass) {
  using Own = Region<kLevel>;
  const dim3 regions(blocks_for(pass.cols, Own::kSide), blocks_for(pass.rows, Own::kSide));
  launch_kernel(device, unite_skips_kernel<kLevel>, regions, Own::kWarps * kWarp, 0, pass);
}

}  // namespace

Status unite_skips(Device& device, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                   const MotionGrid& grid, uint32_t base_step, MotionVector* apart, const SideInfo& side) {
  SquarePass pass{source,     reference, grid.rows,   grid.cols, skip_prices(base_step),
                  side.skips, apart,     side.vectors};
  for (const int level : kSkipSquareLevels) {
    level == 1   ? unite_level<1>(device, pass)
    : level == 2 ? unite_level<2>(device, pass)
                 : unite_level<3>(device, pass);
    CTV_RETURN_IF_ERROR(device.launched("unite_skips_kernel"));
    MotionVector* const next = pass.to == apart ? side.vectors : apart;
    pass.from = pass.to;
    pass.to = next;
  }
  return {};
}

}  // namespace ctv::cuda

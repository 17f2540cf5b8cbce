// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). A block of threads takes a
// root. On each level it lists what is not known yet: the errors of units with vectors of their squares. Its
// warps take entries of the list in turn, so squares with much to try do not wait for their own warps alone.
// Most roots have nothing to try.
#include "codec/control/skip_squares.hpp"

#include "cuda/motion/predict_unit.cuh"
#include "cuda/motion/skip.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kWarps = 16;  // of a block of threads
constexpr int kPairs = SkipRoot::kUnits * kSquareVectors;
static_assert(kWarp + SkipRoot::kWindow <= kWarps * kWarp && kPairs <= kWarps * kWarp);

struct UnitedFrame {
  PlaneView<const Sample> source, reference;  // luma
  SkipPrices prices;
  SkipField from;
  MotionVector* to;
};

// What a block of threads shares.
struct UnitedRoot {
  SkipRoot root;
  uint32_t sums[SkipRoot::kUnits][kSquareVectors];  // of the errors of a square's units
  uint32_t entries;
  uint8_t list[kPairs];  // units and vectors
  UnitPatch<> patches[kWarps];
};

// The squared error of the lane's samples of the unit at (top, left) with the vector v.
__device__ __forceinline__ uint32_t error_of(const UnitedFrame& frame, int top, int left, MotionVector v,
                                             int lane, UnitPatch<>& patch) {
  int samples[kUnitStrip];
  int predicted[kUnitStrip];
  load_unit(frame.source, top, left, lane, samples);
  predict_unit(frame.reference, {}, v, top, left, lane, patch, predicted);
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kUnitStrip; ++k) {
    const int d = skip_difference(samples[k], predicted[k]);
    sum += static_cast<uint32_t>(d * d);
  }
  return sum;
}

// All threads of the block call together.
__device__ __forceinline__ void unite_level(const UnitedFrame& frame, int level, int row, int col,
                                            UnitedRoot& t) {
  SkipRoot& root = t.root;
  const int thread = thread_x();
  const int warp = thread / kWarp;
  const int lane = thread % kWarp;
  bool tries = false;
  if (thread == 0) t.entries = 0;
  if (thread < SkipRoot::kUnits / SkipRoot::units(level)) {
    for (uint32_t& sum : t.sums[thread]) sum = 0;
    tries = root.begin_square(level, thread);
  }
  if (__syncthreads_or(tries ? 1 : 0) == 0) return;

  const int units = SkipRoot::units(level);
  if (thread < kPairs) {
    const int unit = thread / kSquareVectors;
    const int k = thread % kSquareVectors;
    const SkipSquare& square = root.square_of(level, unit);
    if (square.tries(k)) {
      const uint32_t error = root.known_error(level, unit, square.vectors[k]);
      if (error == SkipRoot::kUnknown) {
        t.list[atomicAdd(&t.entries, 1U)] = static_cast<uint8_t>(thread);
      } else {
        root.error(level, unit, k) = error;
        atomicAdd(&t.sums[unit / units][k], error);
      }
    }
  }
  __syncthreads();
  for (uint32_t i = static_cast<uint32_t>(warp); i < t.entries; i += kWarps) {
    const int unit = t.list[i] / kSquareVectors;
    const int k = t.list[i] % kSquareVectors;
    const MotionVector v = root.square_of(level, unit).vectors[k];
    const uint32_t error = error_of(frame, (row + SkipRoot::row_of(unit)) * kCell,
                                    (col + SkipRoot::col_of(unit)) * kCell, v, lane, t.patches[warp]);
    const int cell = unit_row(lane) / kCell * kSkipUnit + unit_col(lane) / kCell;
    const uint32_t own = warp_sum(same_vector(root.cell(unit, cell), v) ? error : 0);
    const uint32_t sum = warp_sum(error);
    if (lane != 0) continue;
    root.error(level, unit, k) = sum;
    atomicAdd(&t.sums[unit / units][k], sum);
    if (!root.is_own_known(level, unit)) atomicAdd(&root.own[unit], own);
  }
  __syncthreads();

  // A lane decides for a unit, as those of other units of its square do.
  if (warp == 0) {
    int best = -1;
    if (lane < SkipRoot::kUnits) {
      const SkipSquare square = root.square_of(level, lane);
      const int index = lane / units;
      uint32_t own = 0;
      for (int i = 0; i < units; ++i) own += root.own[index * units + i];
      uint64_t least = skip_square_cost(frame.prices, own, square.own_bits());
#pragma unroll
      for (int k = 0; k < kSquareVectors; ++k) {
        const uint64_t cost =
            skip_square_cost(frame.prices, t.sums[index][k], square.leaf_bits(square.vectors[k]));
        if (!square.tries(k) || cost >= least) continue;
        least = cost;
        best = k;
      }
    }
    __syncwarp();
    if (best >= 0) root.change(level, lane, best);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kWarps* kWarp, 2)
    unite_skips_kernel(const __grid_constant__ UnitedFrame frame) {
  __shared__ UnitedRoot t;
  const int thread = thread_x();
  const int row = static_cast<int>(blockIdx.y) * SkipRoot::kSide;
  const int col = static_cast<int>(blockIdx.x) * SkipRoot::kSide;
  follow();
  bool moves = false;
  if (thread < kWarp) {
    const bool unit = thread < SkipRoot::kUnits;
    if (unit) t.root.own[thread] = 0;
    const uint32_t skipped =
        __ballot_sync(kAllLanes, unit && SkipRoot::is_skipped(frame.from, row, col, thread));
    if (thread == 0) t.root.skipped = skipped;
  } else if (thread < kWarp + SkipRoot::kWindow) {
    moves = t.root.load(frame.from, row, col, thread - kWarp);
  }
  if (__syncthreads_or(moves ? 1 : 0) != 0) {
#pragma unroll 1
    for (int level = 1; level <= kRootLevel; ++level) unite_level(frame, level, row, col, t);
  }
  const int r = thread / SkipRoot::kSide;
  const int c = thread % SkipRoot::kSide;
  const int place = frame.from.place(row + r, col + c);
  if (r < SkipRoot::kSide && place >= 0) frame.to[place] = t.root.at(r, c);
}

}  // namespace

Status unite_skips(Device& device, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                   const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                   const SideInfo& side) {
  const UnitedFrame frame{
      source, reference, skip_prices(base_step), {grid.rows, grid.cols, side.skips, vectors}, side.vectors};
  const dim3 roots(static_cast<unsigned>(grid.root_cols()), static_cast<unsigned>(grid.root_rows()));
  launch_kernel(device, unite_skips_kernel, roots, kWarps * kWarp, 0, frame);
  return device.launched("unite_skips_kernel");
}

}  // namespace ctv::cuda

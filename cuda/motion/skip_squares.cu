// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). A block of threads takes a
// square, and each of its warps some cells, which it predicts with every vector. Most squares have nothing to
// try, and their blocks end early.
#include "codec/control/skip_squares.hpp"

#include <algorithm>

#include "cuda/motion/predict.cuh"
#include "cuda/motion/skip.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kMostWarps = 16;

struct SquarePass {
  PlaneView<const Sample> source, reference;  // luma
  int rows, cols;                             // of the grid
  SkipPrices prices;
  const uint8_t* skips;
  const MotionVector* from;
  MotionVector* to;
};

// The squared error of the cell at (row, col) with the vector v; all lanes know it.
__device__ __forceinline__ uint32_t cell_error(const SquarePass& pass, int row, int col, MotionVector v,
                                               int lane, Piece<kCell, kCell>& piece) {
  const int top = row * kCell;
  const int left = col * kCell;
  int predicted[kStrip];
  predict(pass.reference, ChromaShift{}, v, top, left, lane, piece, predicted);
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    const int sample = clamped(pass.source, top + strip_row<kCell>(lane) + k, left + strip_col<kCell>(lane));
    const int d = skip_difference(sample, predicted[k]);
    sum += static_cast<uint32_t>(d * d);
  }
  return warp_sum(sum);
}

template <int kLevel>
struct SquareShape {
  static constexpr int kSide = 1 << kLevel;  // cells
  static constexpr int kCells = kSide * kSide;
  static constexpr int kWarps = std::min(kCells, kMostWarps);
  static constexpr int kEach = kCells / kWarps;  // cells of a warp
};

template <int kLevel>
__global__ void __launch_bounds__(SquareShape<kLevel>::kWarps* kWarp)
    unite_skips_kernel(const __grid_constant__ SquarePass pass) {
  follow();
  using Shape = SquareShape<kLevel>;
  constexpr int kSide = Shape::kSide;
  __shared__ Piece<kCell, kCell> pieces[Shape::kWarps];
  __shared__ uint32_t errors[1 + kMostSquareVectors];  // as it is, and with each vector
  __shared__ uint32_t mixed;
  const int thread = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kSide;
  const int col = static_cast<int>(blockIdx.x) * kSide;
  if (thread == 0) mixed = 0;
  if (thread <= kMostSquareVectors) errors[thread] = 0;
  __syncthreads();

  // A thread copies a cell, and writes it again if the square gets another vector.
  const int own_row = row + thread / kSide;
  const int own_col = col + thread % kSide;
  const bool copies = thread < Shape::kCells && own_row < pass.rows && own_col < pass.cols;
  const int own_cell = own_row * pass.cols + own_col;
  if (copies) {
    constexpr int kHalf = kSide / 2;
    const int first = (own_row & -kHalf) * pass.cols + (own_col & -kHalf);  // of the quarter
    const MotionVector v = pass.from[own_cell];
    pass.to[own_cell] = v;
    if (!same_vector(v, pass.from[first]))
      atomicOr(&mixed, 1U << ((own_row - row) / kHalf * 2 + (own_col - col) / kHalf));
  }
  const bool whole = row + kSide <= pass.rows && col + kSide <= pass.cols;
  const bool skipped = __syncthreads_and(!copies || pass.skips[own_cell] != 0 ? 1 : 0) != 0;
  if (!whole || !skipped) return;
  SkipSquare square = SkipSquare::make(pass.from, pass.rows, pass.cols, row, col, kLevel);
  square.mixed = mixed;
  if (square.is_cheapest()) return;

  const int warp = thread / kWarp;
  const int lane = thread % kWarp;
  for (int i = 0; i < Shape::kEach; ++i) {
    const int cell = warp * Shape::kEach + i;
    const int r = row + cell / kSide;
    const int c = col + cell % kSide;
    const MotionVector own = pass.from[r * pass.cols + c];
    const uint32_t own_error = cell_error(pass, r, c, own, lane, pieces[warp]);
    if (lane == 0) atomicAdd(errors, own_error);
    for (int k = 0; k < square.count; ++k) {
      const MotionVector v = square.vectors[k];
      if (square.is_repeated(k)) continue;
      const uint32_t error = same_vector(v, own) ? own_error : cell_error(pass, r, c, v, lane, pieces[warp]);
      if (lane == 0) atomicAdd(errors + 1 + k, error);
    }
  }
  __syncthreads();

  if (!copies) return;
  uint64_t least = skip_square_cost(pass.prices, uint64_t{64} * errors[0], square.own_bits());
  int best = -1;
  for (int k = 0; k < square.count; ++k) {
    if (square.is_repeated(k)) continue;
    const uint64_t cost =
        skip_square_cost(pass.prices, uint64_t{64} * errors[1 + k], square.leaf_bits(square.vectors[k]));
    if (cost >= least) continue;
    least = cost;
    best = k;
  }
  if (best >= 0) pass.to[own_cell] = square.vectors[best];
}

template <int kLevel>
void launch(Device& device, const SquarePass& pass) {
  using Shape = SquareShape<kLevel>;
  const dim3 squares(blocks_for(pass.cols, Shape::kSide), blocks_for(pass.rows, Shape::kSide));
  launch_kernel(device, unite_skips_kernel<kLevel>, squares, Shape::kWarps * kWarp, 0, pass);
}

}  // namespace

Status unite_skips(Device& device, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                   const MotionGrid& grid, uint32_t base_step, MotionVector* apart, const SideInfo& side) {
  SquarePass pass{source,     reference, grid.rows,   grid.cols, skip_prices(base_step),
                  side.skips, apart,     side.vectors};
  for (const int level : kSkipSquareLevels) {
    level == 1 ? launch<1>(device, pass) : (level == 2 ? launch<2>(device, pass) : launch<3>(device, pass));
    CTV_RETURN_IF_ERROR(device.launched("unite_skips_kernel"));
    MotionVector* const next = pass.to == apart ? side.vectors : apart;
    pass.from = pass.to;
    pass.to = next;
  }
  return {};
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). A block of threads takes a
// square, some of its units at once; most squares have nothing to try, and their blocks end early.
#include "codec/control/skip_squares.hpp"

#include <algorithm>

#include "cuda/motion/skip.hpp"
#include "cuda/motion/skip_unit.cuh"

namespace ctv::cuda {
namespace {

template <int kLevel, int kRows, int kCols>
struct SquareShape {
  static constexpr int kSide = 1 << kLevel;  // cells
  static constexpr int kCells = kSide * kSide;
  static constexpr int kUnits = kCells / kSkipCells;
  static constexpr int kUnitsOfASide = kSide / kSkipUnit;
  static constexpr int kAtOnce = std::min(kUnits, kRows == 4 ? 4 : 2);
  static constexpr int kRounds = kUnits / kAtOnce;
  static_assert(kUnits % kAtOnce == 0);
  static constexpr int threads(int planes) { return kAtOnce * Share<kRows, kCols>::threads(planes); }
};

// The squared error of a cell on one plane; all lanes of the group know it.
template <int kRows, int kCols>
__device__ __forceinline__ uint32_t cell_error(const Comparison& c, int plane, int row, int col,
                                               MotionVector v, int lane, Piece<kRows, kCols>& piece) {
  const int top = row * kRows;
  const int left = col * kCols;
  int predicted[kStrip];
  predict(c.reference[plane], plane == 0 ? ChromaShift{} : c.chroma, v, top, left, lane, piece, predicted);
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    const int y = top + strip_row<kCols>(lane) + k;
    const int x = left + strip_col<kCols>(lane);
    const int d = skip_difference(clamped(c.source[plane], y, x), predicted[k]);
    sum += static_cast<uint32_t>(d * d);
  }
  return group_sum<Piece<kRows, kCols>::kLanes>(sum);
}

template <int kLevel, int kRows, int kCols>
__global__ void __launch_bounds__(SquareShape<kLevel, kRows, kCols>::threads(kMostPlanes))
    unite_skips_kernel(const __grid_constant__ Comparison c, const uint8_t* skips, const MotionVector* from,
                       MotionVector* to) {
  using Shape = SquareShape<kLevel, kRows, kCols>;
  __shared__ Piece<kCell, kCell> luma[Shape::kAtOnce][kSkipCells];
  __shared__ Piece<kRows, kCols> chroma[Shape::kAtOnce][kMostPlanes - 1][kSkipCells];
  __shared__ uint32_t own_errors[Shape::kUnits], errors[Shape::kUnits];
  __shared__ uint32_t mixed;
  const int thread = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * Shape::kSide;
  const int col = static_cast<int>(blockIdx.x) * Shape::kSide;
  const bool whole = row + Shape::kSide <= c.grid_rows && col + Shape::kSide <= c.grid_cols;
  if (thread == 0) mixed = 0;
  if (thread < Shape::kUnits) own_errors[thread] = 0;
  __syncthreads();

  // A thread copies a cell, and writes it again if the square gets another vector.
  const int own_row = row + thread / Shape::kSide;
  const int own_col = col + thread % Shape::kSide;
  const bool copies = thread < Shape::kCells && own_row < c.grid_rows && own_col < c.grid_cols;
  const int own_cell = own_row * c.grid_cols + own_col;
  if (copies) {
    const MotionVector v = from[own_cell];
    to[own_cell] = v;
    constexpr int kHalf = Shape::kSide / 2;
    const int first = (own_row - (own_row & (kHalf - 1))) * c.grid_cols + own_col - (own_col & (kHalf - 1));
    const int quarter = (own_row - row) / kHalf * 2 + (own_col - col) / kHalf;
    if (!same_vector(v, from[first])) atomicOr(&mixed, 1U << quarter);
  }
  const bool skipped = __syncthreads_and(!copies || skips[own_cell] != 0 ? 1 : 0) != 0;
  if (!whole || !skipped) return;
  SkipSquare square = SkipSquare::make(from, c.grid_rows, c.grid_cols, row, col, kLevel);
  square.mixed = mixed;
  const uint32_t own_bits = square.own_bits();
  if (own_bits == kLeafBits) return;

  const int unit_threads = static_cast<int>(blockDim.x) / Shape::kAtOnce;
  const int slot = thread / unit_threads;
  const Share<kRows, kCols> share(thread % unit_threads);
  const auto add_error = [&](int unit, int cell_row, int cell_col, MotionVector v, uint32_t* sums) {
    const uint32_t error = share.plane == 0
                               ? cell_error(c, 0, cell_row, cell_col, v, share.lane, luma[slot][share.cell])
                               : cell_error(c, share.plane, cell_row, cell_col, v, share.lane,
                                            chroma[slot][share.plane - 1][share.cell]);
    if (share.lane == 0) atomicAdd(sums + unit, error);
  };
  const auto unit_row = [&](int unit) { return row + unit / Shape::kUnitsOfASide * kSkipUnit; };
  const auto unit_col = [&](int unit) { return col + unit % Shape::kUnitsOfASide * kSkipUnit; };
  for (int round = 0; round < Shape::kRounds; ++round) {
    const int unit = round * Shape::kAtOnce + slot;
    const int r = unit_row(unit) + share.cell / kSkipUnit;
    const int x = unit_col(unit) + share.cell % kSkipUnit;
    add_error(unit, r, x, from[r * c.grid_cols + x], own_errors);
  }
  __syncthreads();
  uint64_t error = 0;
  for (int unit = 0; unit < Shape::kUnits; ++unit) error += own_errors[unit];

  // All threads compute the same costs.
  uint64_t least = skip_square_cost(c.prices, 64 * error, own_bits);
  int best = -1;
  for (int k = 0; k < square.count; ++k) {
    const MotionVector v = square.vectors[k];
    if (square.is_repeated(k)) continue;
    uint64_t cost = skip_square_cost(c.prices, 0, square.leaf_bits(v));
    for (int round = 0; round < Shape::kRounds && cost < least; ++round) {
      const int unit = round * Shape::kAtOnce + slot;
      const MotionVector* const cells = from + unit_row(unit) * c.grid_cols + unit_col(unit);
      const bool known = same_vector(cells[0], v) && same_vector(cells[1], v) &&
                         same_vector(cells[c.grid_cols], v) && same_vector(cells[c.grid_cols + 1], v);
      if (thread % unit_threads == 0) errors[unit] = known ? own_errors[unit] : 0;
      __syncthreads();
      if (!known) {  // all threads of a unit alike
        add_error(unit, unit_row(unit) + share.cell / kSkipUnit, unit_col(unit) + share.cell % kSkipUnit, v,
                  errors);
      }
      __syncthreads();
      for (int i = 0; i < Shape::kAtOnce; ++i)
        cost += skip_square_cost(c.prices, uint64_t{64} * errors[round * Shape::kAtOnce + i], 0);
    }
    __syncthreads();  // the errors have been read
    if (cost >= least) continue;
    least = cost;
    best = k;
  }
  if (best >= 0 && copies) to[own_cell] = square.vectors[best];
}

template <int kLevel>
Status unite(Device& device, const SkipPlanes& planes, const MotionGrid& grid, const Comparison& c,
             const uint8_t* skips, const MotionVector* from, MotionVector* to) {
  with_chroma_cell(planes.chroma, [&]<int kRows, int kCols>() {
    using Shape = SquareShape<kLevel, kRows, kCols>;
    const dim3 squares(blocks_for(grid.cols, Shape::kSide), blocks_for(grid.rows, Shape::kSide));
    unite_skips_kernel<kLevel, kRows, kCols>
        <<<squares, static_cast<unsigned>(Shape::threads(planes.planes)), 0, device.stream()>>>(c, skips,
                                                                                                from, to);
  });
  return device.launched("unite_skips_kernel");
}

}  // namespace

Status unite_skips(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                   const SideInfo& side, MotionVector* spare) {
  const Comparison c = compare_planes(planes, grid, base_step);
  const MotionVector* from = side.vectors;
  MotionVector* to = spare;
  for (const int level : kSkipSquareLevels) {
    switch (level) {
      case 1:
        CTV_RETURN_IF_ERROR(unite<1>(device, planes, grid, c, side.skips, from, to));
        break;
      case 2:
        CTV_RETURN_IF_ERROR(unite<2>(device, planes, grid, c, side.skips, from, to));
        break;
      default:
        CTV_RETURN_IF_ERROR(unite<3>(device, planes, grid, c, side.skips, from, to));
    }
    MotionVector* const next = from == side.vectors ? side.vectors : spare;
    from = to;
    to = next;
  }
  return {};
}

}  // namespace ctv::cuda

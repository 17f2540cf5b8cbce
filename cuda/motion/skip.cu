// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped (codec/control/skip_decisions.hpp). A block of threads takes a unit of 2x2
// cells, and a group of its lanes a cell of one plane: squared errors of the predictions with the zero vector
// and with the cell's own, and a Hadamard transform of the difference to the latter by exchange between
// lanes. The threads of the block meet once, then one of them chooses.
#include "cuda/motion/skip.hpp"

#include "codec/control/skip_decisions.hpp"
#include "cuda/motion/predict.cuh"

namespace ctv::cuda {
namespace {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kCells = kSkipUnit * kSkipUnit;
constexpr int kMostPlanes = 3;
static_assert(kSkipUnit == 2);

struct Comparison {
  PlaneView<const Sample> source[kMostPlanes], reference[kMostPlanes];
  int planes, grid_rows, grid_cols;
  ChromaShift chroma;
  SkipPrices prices;
  const MotionVector* searched;
  MotionVector* vectors;
  uint8_t* skips;
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

// Coefficients of tiles of kCols x kCols samples, in any order, as 16-bit numbers.
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
#pragma unroll
  for (int k = 0; k < kStrip; ++k) h[k] = static_cast<int16_t>(h[k]);
}

// Cell (row, col) of plane p, which is kRows x kCols samples there. The sum is known to all lanes of the
// group.
template <int kRows, int kCols>
__device__ __forceinline__ PlaneSums compare(const Comparison& c, int p, int row, int col, MotionVector v,
                                             int lane, Piece<kRows, kCols>& piece) {
  static_assert(kCols <= kRows);
  const int top = row * kRows;
  const int left = col * kCols;
  const PlaneView<const Sample>& reference = c.reference[p];
  int source[kStrip];
  int zero[kStrip];
  int own[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    const int y = top + strip_row<kCols>(lane) + k;
    const int x = left + strip_col<kCols>(lane);
    source[k] = clamped(c.source[p], y, x);
    zero[k] = own[k] = clamped(reference, y, x);
  }
  const bool moves = !same_vector(v, MotionVector{});
  if (__any_sync(kAllLanes, moves) != 0)
    predict(reference, p == 0 ? ChromaShift{} : c.chroma, v, top, left, lane, piece, own);

  PlaneSums sums{};
  int h[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    h[k] = source[k] - own[k];
    const int still = source[k] - zero[k];
    sums.own += static_cast<uint32_t>(h[k] * h[k]);
    sums.zero += static_cast<uint32_t>(still * still);
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
  return {group_sum<Piece<kRows, kCols>::kLanes>(sums.own), group_sum<Piece<kRows, kCols>::kLanes>(sums.zero),
          group_sum<Piece<kRows, kCols>::kLanes>(sums.lost),
          group_sum<Piece<kRows, kCols>::kLanes>(sums.counts)};
}

// kRows, kCols: of a cell on planes of chroma. The first four warps take luma, a cell each; the groups of the
// others the cells of the second plane, then of the third.
template <int kRows, int kCols>
__global__ void __launch_bounds__(kCells* kWarp + (kMostPlanes - 1) * kCells * Piece<kRows, kCols>::kLanes)
    decide_skips_kernel(const __grid_constant__ Comparison c) {
  using Chroma = Piece<kRows, kCols>;
  __shared__ Piece<kCell, kCell> luma[kCells];
  __shared__ Chroma chroma[kMostPlanes - 1][kCells];
  __shared__ PlaneSums sums[kMostPlanes][kCells];
  __shared__ SkipCosts costs[kCells];
  __shared__ SkipChoice choices[kCells];
  const int first_row = static_cast<int>(blockIdx.y) * kSkipUnit;
  const int first_col = static_cast<int>(blockIdx.x) * kSkipUnit;
  const int log2_cols = first_col + 1 < c.grid_cols ? 1 : 0;  // of the unit's cells
  const int count = min_of(kSkipUnit, c.grid_rows - first_row) << log2_cols;
  const auto row_of = [&](int k) { return first_row + (k >> log2_cols); };
  const auto col_of = [&](int k) { return first_col + (k & log2_cols); };
  const auto vector_of = [&](int k) { return c.searched[row_of(k) * c.grid_cols + col_of(k)]; };

  // Groups of cells that the unit lacks repeat the last one.
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kCells * kWarp) {
    const int k = thread / kWarp;
    const int cell = min_of(k, count - 1);
    const int lane = thread % kWarp;
    const PlaneSums own = compare(c, 0, row_of(cell), col_of(cell), vector_of(cell), lane, luma[k]);
    if (lane == 0) sums[0][k] = own;
  } else {
    const int group = (thread - kCells * kWarp) / Chroma::kLanes;
    const int k = group % kCells;
    const int p = group / kCells;
    const int cell = min_of(k, count - 1);
    const int lane = thread % Chroma::kLanes;
    const PlaneSums own = compare(c, p + 1, row_of(cell), col_of(cell), vector_of(cell), lane, chroma[p][k]);
    if (lane == 0) sums[p + 1][k] = own;
  }
  __syncthreads();
  if (thread >= kWarp) return;
  if (thread < count) {
    uint64_t own = 0;
    uint64_t zero = 0;
    SkipSums coded;
    for (int p = 0; p < c.planes; ++p) {
      const PlaneSums& s = sums[p][thread];
      own += s.own;
      zero += s.zero;
      coded.lost += s.lost;
      coded.coded += s.counts & 0xFFFFU;
      coded.octaves += s.counts >> 16;
    }
    costs[thread] = {64 * zero, 64 * own, coded_cost(c.prices, coded)};
  }
  __syncwarp();
  if (thread == 0) {
    const MotionVector* first = c.searched + first_row * c.grid_cols + first_col;
    const MotionVector left = first_col > 0 ? first[-1] : MotionVector{};
    const MotionVector above = first_row > 0 ? first[-c.grid_cols] : MotionVector{};
    choose_skips(c.prices, costs, count, !same_vector(*first, left) && !same_vector(*first, above), choices);
  }
  __syncwarp();
  if (thread < count) {
    const int at = row_of(thread) * c.grid_cols + col_of(thread);
    c.vectors[at] = choices[thread] == SkipChoice::kZero ? MotionVector{} : c.searched[at];
    c.skips[at] = choices[thread] == SkipChoice::kCode ? 0 : 1;
  }
}

}  // namespace

Status decide_skips(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    const MotionVector* searched, const SideInfo& side) {
  if (base_step == 0) {
    CTV_CUDA_TRY(device, cudaMemcpyAsync(side.vectors, searched, grid.size() * sizeof(MotionVector),
                                         cudaMemcpyDeviceToDevice, device.stream()));
    CTV_CUDA_TRY(device, cudaMemsetAsync(side.skips, 0, grid.size(), device.stream()));
    return {};
  }
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
  c.searched = searched;
  c.vectors = side.vectors;
  c.skips = side.skips;
  const dim3 units(blocks_for(grid.cols, kSkipUnit), blocks_for(grid.rows, kSkipUnit));
  const auto launch = [&]<int kRows, int kCols>() {
    const int threads = kCells * (kWarp + (planes.planes - 1) * Piece<kRows, kCols>::kLanes);
    decide_skips_kernel<kRows, kCols><<<units, threads, 0, device.stream()>>>(c);
  };
  if (planes.chroma.x == 0) {
    launch.template operator()<8, 8>();
  } else if (planes.chroma.y == 0) {
    launch.template operator()<8, 4>();
  } else {
    launch.template operator()<4, 4>();
  }
  return device.launched("decide_skips_kernel");
}

}  // namespace ctv::cuda

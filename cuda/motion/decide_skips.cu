// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped (codec/control/skip_decisions.hpp). A warp processes two adjacent units of
// 2x2 cells. Luma is compared as in the passes over the field of vectors: eight tiles at once, each with its
// own vector. In chroma a lane has two rows of a tile. Then all lanes of a cell know its costs, and all lanes
// of a unit make the same choice.
#include "cuda/motion/field_group.cuh"
#include "cuda/motion/skip_unit.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // per block of threads
constexpr int kUnits = 2;  // per warp
constexpr int kCells = kUnits * kSkipCells;
constexpr int kCellLanes = kWarp / kCells;
static_assert(kCells == kTilesAtOnce);

// A cell of the warp's units.
struct UnitCell {
  int row, col;
  bool inside;  // in the grid; otherwise the first cell replaces it

  __device__ __forceinline__ UnitCell(const CellUnit& first, int cell)
      : row(first.row + cell / kSkipUnit % kSkipUnit),
        col(first.col + cell / kSkipCells * kSkipUnit + cell % kSkipUnit),
        inside(row < first.grid_rows && col < first.grid_cols) {
    if (inside) return;
    row = first.row;
    col = first.col;
  }
};

// Sums over the samples of a lane, then of a cell.
struct Sums {
  uint32_t own = 0, zero = 0;  // squared errors of the predictions
  uint32_t lost = 0;           // SkipSums
  uint32_t counts = 0;         // SkipSums.coded; from bit 16 on SkipSums.octaves
};

__device__ __forceinline__ void count_coefficient(const SkipPrices& prices, int magnitude, uint32_t& lost,
                                                  uint32_t& counts) {
  if (magnitude > prices.dead) {
    ++counts;
  } else {
    lost += static_cast<uint32_t>(magnitude * magnitude);
  }
  if (magnitude <= prices.first) return;
#pragma unroll
  for (int i = 0; i < kSkipOctaves; ++i) counts += magnitude > prices.first << i ? 1U << 16 : 0U;
}

__device__ __forceinline__ uint32_t squares(const TileRows& a, const TileRows& b) {
  uint32_t sum = 0;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      const uint32_t d = __vabsdiffu4(a.words[r][w], b.words[r][w]);
      sum = __dp4a(d, d, sum);
    }
  }
  return sum;
}

// Sums over lanes whose indices differ in bits kFirst up to kEnd, exclusive.
template <int kFirst, int kEnd>
__device__ __forceinline__ uint32_t sum_over(uint32_t v) {
#pragma unroll
  for (int away = kFirst; away < kEnd; away *= 2) v += __shfl_xor_sync(kAllLanes, v, away);
  return v;
}

// Sums of the lane's cell, in all of its lanes.
__device__ __forceinline__ Sums compare_luma(const SkipPrices& prices, const SearchPlanes& planes,
                                             const HalfPlanes& halves, const UnitCell& cell, MotionVector v,
                                             int lane) {
  constexpr int kApart = kTile / 2;
  const int y = cell.row * kCell + lane % kCellLanes;
  const int x = cell.col * kCell;
  const TileRows source = source_rows<kApart>(planes, y, x);
  const auto place = static_cast<uint32_t>((x + halves.margin) / 4 * halves.pitch + y + halves.margin);
  const TileRows zero = rows_at<kApart>(halves, place);
  TileRows own = zero;
  if (__any_sync(kAllLanes, !same_vector(v, MotionVector{})) != 0) own = moved_rows<kApart>(halves, place, v);
  Sums sums;
  sums.own = sum_over<1, kCellLanes>(squares(source, own));
  sums.zero = sum_over<1, kCellLanes>(squares(source, zero));

  const HadamardMatrix matrix(lane);
  const TileTransforms a = matrix.transform(source);
  const TileTransforms b = matrix.transform(own);
  uint32_t lost[2] = {};  // of the tiles whose coefficients are in this lane
  uint32_t counts[2] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
#pragma unroll
    for (int n = 0; n < 4; ++n)
      count_coefficient(prices, abs_of(a.values[k][n] - b.values[k][n]), lost[n % 2], counts[n % 2]);
  }
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    lost[n] = sum_over<kCellLanes, kWarp>(lost[n]);
    counts[n] = sum_over<kCellLanes, kWarp>(counts[n]);
  }
  const int tile = lane / kCellLanes;
  const uint32_t even_lost = __shfl_sync(kAllLanes, lost[0], tile / 2);
  const uint32_t odd_lost = __shfl_sync(kAllLanes, lost[1], tile / 2);
  const uint32_t even_counts = __shfl_sync(kAllLanes, counts[0], tile / 2);
  const uint32_t odd_counts = __shfl_sync(kAllLanes, counts[1], tile / 2);
  sums.lost = tile % 2 == 0 ? even_lost : odd_lost;
  sums.counts = tile % 2 == 0 ? even_counts : odd_counts;
  return sums;
}

// Distribution of cells of kRows x kCols chroma samples to lanes. Tiles have kCols samples per side.
template <int kRows, int kCols>
struct ChromaShare {
  static constexpr int kTileLanes = kCols / 2;                   // two rows per lane
  static constexpr int kLanes = kRows / kCols * kTileLanes;      // per cell
  static constexpr int kPlanesAtOnce = kWarp / kLanes / kCells;  // of both
};

// Sums of the lane's two rows of a tile, in a cell of plane p.
template <int kRows, int kCols>
__device__ __forceinline__ Sums compare_chroma(const Comparison& c, int p, const UnitCell& cell,
                                               MotionVector v, int part) {
  using Share = ChromaShare<kRows, kCols>;
  constexpr int kWords = kCols / 2;
  const PlaneView<const Sample>& reference = c.reference[p];
  const int y = cell.row * kRows + 2 * part;
  const int x = cell.col * kCols;
  uint32_t source[2][kWords];
  uint32_t zero[2][kWords];
  load_pairs(c.source[p], y, x, source);
  load_pairs(reference, y, x, zero);
  if (c.shift > 0) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        source[r][w] = eight_bits_of(source[r][w], c.shift);
        zero[r][w] = eight_bits_of(zero[r][w], c.shift);
      }
    }
  }
  int own[2][kCols];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      own[r][2 * w] = first_of(zero[r][w]);
      own[r][2 * w + 1] = second_of(zero[r][w]);
    }
  }
  if (__any_sync(kAllLanes, !same_vector(v, MotionVector{})) != 0) {
    // between_columns(), then between_rows(): two products per instruction.
    const Displacement dy = displacement(v.y, c.chroma.y);
    const Displacement dx = displacement(v.x, c.chroma.x);
    const int left = x + dx.whole;
    uint32_t patch[3][kWords + 1];
    load_pairs(reference, y + dy.whole, left & ~1, patch);
    const uint32_t shift = static_cast<uint32_t>(left & 1) * 16;
    const int weights = 8 - dx.eighth + (dx.eighth << 8);
    int along[3][kCols];
#pragma unroll
    for (int r = 0; r < 3; ++r) {
#pragma unroll
      for (int w = 0; w < kWords; ++w) patch[r][w] = __funnelshift_r(patch[r][w], patch[r][w + 1], shift);
      patch[r][kWords] >>= shift;
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        const uint32_t next = __funnelshift_r(patch[r][w], patch[r][w + 1], 16);
        along[r][2 * w] = __dp2a_lo(static_cast<int>(patch[r][w]), weights, 0) >> c.shift;
        along[r][2 * w + 1] = __dp2a_lo(static_cast<int>(next), weights, 0) >> c.shift;
      }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int k = 0; k < kCols; ++k)
        own[r][k] = ((8 - dy.eighth) * along[r][k] + dy.eighth * along[r + 1][k] + 32) >> 6;
    }
  }
  Sums sums;
  int h[2][kCols];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int k = 0; k < kCols; ++k) {
      const int sample = k % 2 == 0 ? first_of(source[r][k / 2]) : second_of(source[r][k / 2]);
      const int at_zero = k % 2 == 0 ? first_of(zero[r][k / 2]) : second_of(zero[r][k / 2]);
      h[r][k] = skip_difference(sample, own[r][k]);
      const int d = skip_difference(sample, at_zero);
      sums.own += static_cast<uint32_t>(h[r][k] * h[r][k]);
      sums.zero += static_cast<uint32_t>(d * d);
    }
  }
  // Hadamard transform: along rows, across the lane's two rows, then across lanes.
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int half = 1; half < kCols; half *= 2) {
#pragma unroll
      for (int k = 0; k < kCols; ++k) {
        if ((k & half) != 0) continue;
        const int sum = h[r][k] + h[r][k + half];
        h[r][k + half] = h[r][k] - h[r][k + half];
        h[r][k] = sum;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < kCols; ++k) {
    const int sum = h[0][k] + h[1][k];
    h[1][k] = h[0][k] - h[1][k];
    h[0][k] = sum;
  }
#pragma unroll
  for (int away = 1; away < Share::kTileLanes; away *= 2) {
    const int sign = (part & away) != 0 ? -1 : 1;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int k = 0; k < kCols; ++k) h[r][k] = __shfl_xor_sync(kAllLanes, h[r][k], away) + sign * h[r][k];
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int k = 0; k < kCols; ++k)
      count_coefficient(c.prices, abs_of(h[r][k]) * (kCell / kCols), sums.lost, sums.counts);
  }
  return sums;
}

// Adds the sums over chroma planes, in all lanes of the luma cells.
template <int kRows, int kCols>
__device__ __forceinline__ void add_chroma(const Comparison& c, const CellUnit& first,
                                           const MotionVector* vectors, int lane, Sums& sums) {
  using Share = ChromaShare<kRows, kCols>;
  const int number = lane / Share::kLanes % kCells;
  const UnitCell cell(first, number);
  const MotionVector v = cell.inside ? vectors[cell.row * c.grid_cols + cell.col] : MotionVector{};
  Sums chroma;
#pragma unroll
  for (int round = 0; round < 2 / Share::kPlanesAtOnce; ++round) {
    const int plane = 1 + round + lane / (kCells * Share::kLanes);
    const Sums s = compare_chroma<kRows, kCols>(c, plane, cell, v, lane % Share::kLanes);
    chroma.own += s.own;
    chroma.zero += s.zero;
    chroma.lost += s.lost;
    chroma.counts += s.counts;
  }
  const auto add = [&](uint32_t v_of_lane, uint32_t& sum) {
    uint32_t of_cell = sum_over<1, Share::kLanes>(v_of_lane);
    if constexpr (Share::kPlanesAtOnce == 2) {
      of_cell = sum_over<kWarp / 2, kWarp>(of_cell);
      of_cell = __shfl_sync(kAllLanes, of_cell, lane / kCellLanes * Share::kLanes);
    } else {
      static_assert(Share::kLanes == kCellLanes);
    }
    sum += of_cell;
  };
  add(chroma.own, sums.own);
  add(chroma.zero, sums.zero);
  add(chroma.lost, sums.lost);
  add(chroma.counts, sums.counts);
}

template <int kRows, int kCols>
__global__ void __launch_bounds__(kWarp* kWarps)
    decide_skips_kernel(const __grid_constant__ Comparison c, const __grid_constant__ SearchPlanes luma,
                        const __grid_constant__ HalfPlanes halves, const uint8_t* still,
                        MotionVector* vectors, uint8_t* skips) {
  pdl_begin();
  const int lane = thread_x() % kWarp;
  const int number = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / kWarp);
  const int across = ceil_div(c.grid_cols, kUnits * kSkipUnit);
  const CellUnit first(c, number / across, number % across * kUnits);
  if (first.row >= c.grid_rows) return;  // the same for a whole warp
  const UnitCell cell(first, lane / kCellLanes);
  const int at = cell.row * c.grid_cols + cell.col;
  const int unit_col = min_of(first.col + lane / (kWarp / kUnits) * kSkipUnit, c.grid_cols - 1);
  const bool is_still = still[first.row * c.grid_cols + unit_col] != 0;
  SkipChoice choices[kSkipCells] = {};
  if (__any_sync(kAllLanes, cell.inside && !is_still) != 0) {
    const MotionVector v = cell.inside ? vectors[at] : MotionVector{};
    Sums sums = compare_luma(c.prices, luma, halves, cell, v, lane);
    if (c.planes > 1) add_chroma<kRows, kCols>(c, first, vectors, lane, sums);
    SkipCosts mine;
    if (cell.inside) {
      mine.zero = uint64_t{64} * sums.zero;
      mine.own = uint64_t{64} * sums.own;
      mine.code = coded_cost(c.prices, {sums.lost, sums.counts & 0xFFFFU, sums.counts >> 16}, v);
    }
    SkipCosts costs[kSkipCells];
#pragma unroll
    for (int k = 0; k < kSkipCells; ++k) {
      const int from = lane / (kWarp / kUnits) * (kWarp / kUnits) + k * kCellLanes;
      costs[k] = {__shfl_sync(kAllLanes, mine.zero, from), __shfl_sync(kAllLanes, mine.own, from),
                  __shfl_sync(kAllLanes, mine.code, from)};
    }
    if (!is_still) choose_skips(c.prices, costs, choices);
  }
  if (!cell.inside || lane % kCellLanes != 0) return;
  SkipChoice choice = choices[0];
#pragma unroll
  for (int k = 1; k < kSkipCells; ++k) choice = lane / kCellLanes % kSkipCells == k ? choices[k] : choice;
  if (choice == SkipChoice::kZero) vectors[at] = {};
  skips[at] = choice == SkipChoice::kCode ? 0 : 1;
}

}  // namespace

Status decide_skips(Device& device, const SkipPlanes& planes, const SearchPlanes& luma,
                    const HalfPlanes& halves, const MotionGrid& grid, uint32_t base_step,
                    const uint8_t* still, const SideInfo& side) {
  const int warps = ceil_div(grid.rows, kSkipUnit) * ceil_div(grid.cols, kUnits * kSkipUnit);
  with_cell(planes.chroma, [&]<int kRows, int kCols>() {
    launch_kernel(device, decide_skips_kernel<kRows, kCols>, blocks_for(warps, kWarps), kWarp * kWarps, 0,
                  comparison(planes, grid, base_step), luma, halves, still, side.vectors, side.skips);
  });
  return device.launched("decide_skips_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Directional filter bank by direct convolution: integer shears on the pixel lattice, nothing is resampled.
//
// Each split rotates two cosets with three shears, coset += round(c K other coset), where K has (2k)^2 taps:
// 144 loads per sample for 12 taps. But K is separable along the lattice vectors b1 and b2.
// With u, v counting along b1, b2: q = p + (b1 + b2) / 2 is a sample of the other coset and
//   t(u, v) = sum_k a_k (x(u + k - 1, v) - x(u - k, v)),   K x[p] = sum_k a_k (t(u, v + k - 1) - t(u, v - k))
//   at q; the sums are exact, so b1 and b2 may be exchanged.
//
// A block of threads computes 32x32 targets. It loads their sources into shared memory row by row, each row
// shifted by the grid's skew, so that one lattice vector is a column and the other leads one column right and
// `slope` rows down. The first pass follows the latter: eight sums per thread from a run of samples in
// registers, two products at a time (dp2a). With a slope these sums belong to eight rows, but are stored in
// the row of their run: two stores of four instead of eight checked ones. The second pass goes down columns,
// from a row that depends on the column. A shear is limited by instructions, so a thread computes eight
// targets there: with 12 taps it loads 19 sums for them, while four targets take 15.
//
// Most blocks lie inside the band, where positions have equal distances. Near borders, steps are added modulo
// the extents, because divisions would cost more than both passes. A shear reads one coset and writes the
// other, so it works in place. A launch has all splits of a tree depth and all bands of a scale.
#include "cuda/transform/directional.hpp"

#include "codec/dsp/directional.hpp"
#include "codec/dsp/mirror.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/shear_grids.hpp"

namespace ctv::cuda {
namespace {

constexpr int kWarp = kShearWarp;
constexpr int kWarps = kShearWarps;
constexpr int kThreads = kWarp * kWarps;
constexpr int kTileCols = kWarp;  // targets per block
constexpr int kColumnRun = 8;     // consecutive targets in a column per thread
constexpr int kTileRows = kColumnRun * kWarps;
constexpr int kRun = 8;  // sums of the first pass per thread
constexpr int kMaxSlope = 3;

// Skips the shears of a tree level for bands with fewer levels.
struct Gate {
  const int8_t* directions;  // log2, per band; null: all bands have this level
  int depth;
};

template <int kHalf>
struct Tile {
  static constexpr int kReach = 2 * kHalf - 1;
  static constexpr int kSumRows = kTileRows + kReach;
  static constexpr int kCols = kTileCols + kReach;
  // Runs begin and end up to (kRun - 1) slopes outside; the sums that use samples there are discarded.
  static constexpr int kRows = kSumRows + kMaxSlope * (kReach + 2 * (kRun - 1));
  // An odd number of words, so that lanes reading a column use different banks.
  static constexpr int kPitch = ((kCols + 1) / 2 | 1) * 2;
  alignas(4) int16_t source[kRows][kPitch];
  // Sums along the slope, in 64ths, in the rows of their runs. No bank conflicts occur between lanes that
  // write four sums each in consecutive rows, or lanes that read columns of any slope.
  alignas(16) int32_t sums[kSumRows + kMaxSlope * (kRun - 1)][kTileCols + 4];
};

// Taps 2 pair and 2 pair + 1 of -a_K, ..., -a_1, a_1, ..., a_K, packed for dp2a.
template <int kHalf>
CTV_HOST_DEVICE constexpr uint32_t tap_pair(int pair) {
  uint32_t packed = 0;
  for (int i = 0; i < 2; ++i) {
    const int at = 2 * pair + i;
    const int tap =
        at < kHalf ? -directional_tap(2 * kHalf, kHalf - at) : directional_tap(2 * kHalf, at - kHalf + 1);
    packed |= (static_cast<uint32_t>(tap) & 255U) << (8 * i);
  }
  return packed;
}

// kRun sums along the slope of the samples from[0], from[stride], ...; the first sum uses the first 2 kHalf
// samples. kAligned: stride is 1 and `from` has an even index.
template <int kHalf, bool kAligned>
__device__ __forceinline__ void sum_run(const int16_t* from, int stride, int (&sums)[kRun]) {
  constexpr int kPairs = kRun + 2 * kHalf - 2;
  uint32_t pairs[kPairs];  // each sample with its successor
  if constexpr (kAligned) {
    const auto* words = reinterpret_cast<const uint32_t*>(from);
    uint32_t word = words[0];
#pragma unroll
    for (int k = 0; k < kPairs; k += 2) {
      const uint32_t next = words[k / 2 + 1];
      pairs[k] = word;
      pairs[k + 1] = __funnelshift_r(word, next, 16);
      word = next;
    }
  } else {
    uint32_t sample = static_cast<uint16_t>(*from);
#pragma unroll
    for (int k = 0; k < kPairs; ++k) {
      from += stride;
      const uint32_t next = static_cast<uint16_t>(*from);
      pairs[k] = __byte_perm(sample, next, 0x5410);
      sample = next;
    }
  }
#pragma unroll
  for (int i = 0; i < kRun; ++i) {
    sums[i] = 0;
#pragma unroll
    for (int k = 0; k < kHalf; ++k) {
      sums[i] = __dp2a_lo(static_cast<int>(pairs[i + 2 * k]), static_cast<int>(tap_pair<kHalf>(k)), sums[i]);
    }
  }
}

// The samples that a block of threads loads: from source row `top` and column `start` on.
struct Patch {
  int top, start;  // of the first source; `start` is within the period
  int rows;
  bool inside;  // no target or source of the block lies across a border
};

// Whether the columns of `rows` rows, the first from `start` on, stay within the period.
__device__ __forceinline__ bool stays(const ShearGrid& g, int start, int rows, int cols) {
  const int drift = g.skew * (rows - 1);
  return start + min_of(drift, 0) >= 0 && start + max_of(drift, 0) + (cols - 1) * g.col_step < g.cols;
}

// Loads the patch into rows of `tile`, in units of 16 bits per lane. A warp takes every kWarps-th row.
template <int kHalf>
__device__ __forceinline__ void load_patch(const ShearGrid& g, const Patch& patch, const Coefficient* picture,
                                           int lane, int warp, int16_t (*tile)[Tile<kHalf>::kPitch]) {
  using Shape = Tile<kHalf>;
  const bool beside = lane < Shape::kReach;
  if (patch.inside) {
    constexpr int kSure = Shape::kSumRows / kWarps;
    constexpr int kBatch = kSure + 1;  // rows loaded at once: all, unless there is a slope
    const Coefficient* from = picture + (g.source_row + (patch.top + warp) * g.row_step) * g.row_pitch +
                              (patch.start + warp * g.skew + lane * g.col_step) * g.col_pitch;
    const Coefficient* from_beside = from + kWarp * g.col_step * g.col_pitch;
    int16_t samples[kBatch][2];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      if (k >= kSure && warp + k * kWarps >= patch.rows) break;
      samples[k][0] = from[k * g.warps_on];
      if (beside) samples[k][1] = from_beside[k * g.warps_on];
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      if (k >= kSure && warp + k * kWarps >= patch.rows) break;
      tile[warp + k * kWarps][lane] = samples[k][0];
      if (beside) tile[warp + k * kWarps][kWarp + lane] = samples[k][1];
    }
#pragma unroll 1
    for (int k = kBatch; warp + k * kWarps < patch.rows; ++k) {
      tile[warp + k * kWarps][lane] = from[k * g.warps_on];
      if (beside) tile[warp + k * kWarps][kWarp + lane] = from_beside[k * g.warps_on];
    }
  } else {
    int row = wrap(g.source_row + (patch.top + warp) * g.row_step, g.rows);
    int start = wrapped_col(g, patch.start + warp * g.skew);
    const int near = lane * g.col_step % g.cols;
    const int far = advanced(near, g.lanes_on, g.cols);
#pragma unroll 1
    for (int r = warp; r < patch.rows; r += kWarps) {
      const Coefficient* line = picture + row * g.row_pitch;
      tile[r][lane] = line[advanced(start, near, g.cols) * g.col_pitch];
      if (beside) tile[r][kWarp + lane] = line[advanced(start, far, g.cols) * g.col_pitch];
      row = advanced(row, g.rows_on, g.rows);
      start = advanced(start, g.cols_on, g.cols);
    }
  }
}

// p += sign * round(tan K), or with kSine p += sign * round(sin K).
template <int kHalf, bool kSine>
__global__ void __launch_bounds__(kThreads, 8)
    shear_kernel(Bands bands, const __grid_constant__ ShearGrids grids, int sign, Gate gate) {
  using Shape = Tile<kHalf>;
  __shared__ Shape tile;
  if (gate.directions != nullptr) {
    pdl_begin();
    if (gate.directions[blockIdx.z >> grids.count_log2] < gate.depth) return;
  }
  const ShearGrid& g = grids.of[blockIdx.z & ((1U << grids.count_log2) - 1)];
  Coefficient* band =
      bands.data + static_cast<ptrdiff_t>(blockIdx.z >> grids.count_log2) * bands.rows * bands.cols;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  if (row0 >= g.count_rows || col0 >= g.count_cols) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;

  // Sources: for all rows of sums, along the slope.
  const int steepness = abs_of(g.slope);
  const int sums_top = g.upward != 0 ? 1 - kHalf : -kHalf;
  const int lowest = g.slope >= 0 ? -kHalf * g.slope : (kHalf - 1) * g.slope;
  const int outside = (kRun - 1) * steepness;
  Patch patch;
  patch.top = row0 + sums_top + lowest;
  patch.start = wrapped_col(g, g.source_col + patch.top * g.skew + (col0 - kHalf) * g.col_step);
  patch.rows = Shape::kSumRows + Shape::kReach * steepness;
  // Column of the block's first target, in the same period.
  const int target_start =
      patch.start + g.target_col - g.source_col - (sums_top + lowest) * g.skew + kHalf * g.col_step;
  const int source_row = g.source_row + patch.top * g.row_step;
  patch.inside = row0 + kTileRows <= g.count_rows && col0 + kTileCols <= g.count_cols && source_row >= 0 &&
                 source_row + (patch.rows - 1) * g.row_step < g.rows &&
                 stays(g, patch.start, patch.rows, Shape::kCols) &&
                 stays(g, target_start, kTileRows, kTileCols);

  pdl_begin();
  Coefficient* const targets = band + g.target_base;
  const int first_row = row0 + warp * kColumnRun;
  const int own_rows = col0 + lane < g.count_cols ? min_of(g.count_rows - first_row, kColumnRun) : 0;
  int places[kColumnRun];
  int own[kColumnRun];
  int target_col = target_start + warp * kColumnRun * g.skew + lane * g.col_step;
  if (!patch.inside) target_col = wrapped_col(g, target_col);
  places[0] = (g.target_row + first_row * g.row_step) * g.row_pitch + target_col * g.col_pitch;
  if (patch.inside) {
#pragma unroll
    for (int k = 0; k < kColumnRun; ++k) {
      places[k] = places[0] + k * g.row_on;
      own[k] = targets[places[k]];
    }
  } else {
#pragma unroll
    for (int k = 0; k < kColumnRun; ++k) {
      places[k] = (g.target_row + (first_row + k) * g.row_step) * g.row_pitch + target_col * g.col_pitch;
      target_col = advanced(target_col, g.col_on, g.cols);
      if (k < own_rows) own[k] = targets[places[k]];
    }
  }
  load_patch<kHalf>(g, patch, band + g.source_base, lane, warp, tile.source + outside);
  __syncthreads();

  // First pass along the slope, by all threads.
  const int runs = Shape::kSumRows + outside;
  for (int i = static_cast<int>(threadIdx.x); i < runs * (kTileCols / kRun); i += kThreads) {
    int col = 0;
    int begin = i;
    for (; begin >= runs; begin -= runs) col += kRun;
    int sums[kRun];
    if (g.slope == 0) {
      sum_run<kHalf, true>(&tile.source[begin][col], 1, sums);
    } else {
      const int down = g.slope > 0 ? 0 : outside - Shape::kReach * g.slope;
      sum_run<kHalf, false>(&tile.source[begin + down][col], g.slope * Shape::kPitch + 1, sums);
    }
    auto* const to = reinterpret_cast<int4*>(&tile.sums[begin][col]);
    to[0] = {sums[0], sums[1], sums[2], sums[3]};
    to[1] = {sums[4], sums[5], sums[6], sums[7]};
  }
  __syncthreads();

  // Second pass down the columns.
  int t[kColumnRun + Shape::kReach];
  const int first_sum = warp * kColumnRun + (g.slope > 0 ? kRun - 1 - lane % kRun : -(lane % kRun)) * g.slope;
#pragma unroll
  for (int k = 0; k < kColumnRun + Shape::kReach; ++k) t[k] = tile.sums[first_sum + k][lane];
  const int towards = g.upward != 0 ? -1 : 1;
#pragma unroll
  for (int k = 0; k < kColumnRun; ++k) {
    int sum = 0;
#pragma unroll
    for (int a = 1; a <= kHalf; ++a)
      sum += directional_tap(2 * kHalf, a) * (t[k + kHalf + a - 1] - t[k + kHalf - a]);
    sum *= towards;
    own[k] += sign * (kSine ? shear_sin(sum) : shear_tan(sum));
    if (k < own_rows) targets[places[k]] = static_cast<Coefficient>(own[k]);
  }
}

// Target 1 is sheared by sines, target 0 by tangents.
template <int kHalf, int kTarget>
Status shear(Device& device, const Bands& bands, const DirectionalPlan& plan, int depth, int sign,
             const int8_t* directions) {
  const ShearGrids grids = shear_grids(bands, plan, depth, kTarget);
  const int count = 1 << grids.count_log2;
  int rows = 0;
  int cols = 0;
  for (int i = 0; i < count; ++i) {
    rows = max_of(rows, grids.of[i].count_rows);
    cols = max_of(cols, grids.of[i].count_cols);
  }
  const dim3 blocks(blocks_for(cols, kTileCols), blocks_for(rows, kTileRows),
                    static_cast<unsigned>(count * bands.count));
  launch_single_frame(device, device.stream(), shear_kernel<kHalf, kTarget == 1>, blocks, kThreads, bands,
                      grids, sign, Gate{directions, depth});
  return device.launched("shear_kernel");
}

// Levels first .. last of the tree.
struct Levels {
  int first, last;
  bool inverse;
};

template <int kHalf>
Status run(Device& device, const Bands& bands, const DirectionalPlan& plan, const Levels& levels,
           const int8_t* directions) {
  const int sign = levels.inverse ? -1 : 1;
  for (int i = levels.first; i <= levels.last; ++i) {
    const int depth = levels.inverse ? levels.first + levels.last - i : i;
    CTV_RETURN_IF_ERROR((shear<kHalf, 0>(device, bands, plan, depth, -sign, directions)));
    CTV_RETURN_IF_ERROR((shear<kHalf, 1>(device, bands, plan, depth, sign, directions)));
    CTV_RETURN_IF_ERROR((shear<kHalf, 0>(device, bands, plan, depth, -sign, directions)));
  }
  return {};
}

Status run_taps(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                const Levels& levels, const int8_t* directions) {
  auto* kernels = taps == 6 ? run<3> : run<6>;
  return kernels(device, bands, plan, levels, directions);
}

}  // namespace

Status directional_forward(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                           const int8_t* directions) {
  return run_taps(device, bands, plan, taps, {1, plan.directions_log2, false}, directions);
}

Status directional_inverse(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                           const int8_t* directions) {
  return run_taps(device, bands, plan, taps, {1, plan.directions_log2, true}, directions);
}

Status directional_level(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps,
                         int depth) {
  return run_taps(device, bands, plan, taps, {depth, depth, false}, nullptr);
}

}  // namespace ctv::cuda

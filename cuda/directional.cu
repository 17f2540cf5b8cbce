// SPDX-License-Identifier: BSD-3-Clause
// Directional filter bank by direct convolution: integer shears on the pixel lattice, nothing is resampled.
//
// Each split rotates two cosets with three shears, coset += round(c K other coset), where K has (2k)^2 taps;
// taken as it is that is 144 loads a sample for 12 taps. K is separable along the lattice vectors b1 and b2.
// With u, v counting along b1, b2: q = p + (b1 + b2) / 2 is a sample of the other coset and
//   t(u, v) = sum_k a_k (x(u + k - 1, v) - x(u - k, v)),   K x[p] = sum_k a_k (t(u, v + k - 1) - t(u, v - k))
//   at q; the sums are exact, so b1 and b2 may change places.
//
// A block of threads makes 32x32 targets. It lays the sources around them into shared memory row by row as
// they lie in memory, but each row shifted by the grid's skew, so that one lattice vector is a column and the
// other goes one column right and `slope` rows down. The first pass follows the latter, eight sums a thread
// from a run of samples in registers, two products at a time (dp2a); the second pass goes down columns. Where
// samples beyond the border lie is found by additions: steps are kept modulo the extents. A shear reads one
// coset and writes the other, so it works in place; all splits of a tree level and all bands of a pyramid
// level go in one launch.
#include "cuda/directional.hpp"

#include "codec/math/directional.hpp"
#include "codec/math/mirror.hpp"
#include "cuda/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarp * kWarps;
constexpr int kTileCols = kWarp;  // targets of a block
constexpr int kColumnRun = 4;     // targets of a column that a thread makes
constexpr int kTileRows = kColumnRun * kWarps;
constexpr int kRun = 8;  // sums of the first pass that a thread makes
constexpr int kMaxSlope = 3;

// Where the targets of a shear and their sources lie: of target (i, j) at row row + i * row_step, column
// col + i * skew + j * col_step of a picture that is periodic.
struct ShearGrid {
  int target_base, source_base;  // elements of the picture's first sample
  int row_pitch, col_pitch;      // elements from row to row, column to column
  int rows, cols;                // periods
  int count_rows, count_cols;    // of the targets
  int row_step, col_step, skew;
  int target_row, target_col, source_row, source_col;  // of (0, 0)
  int slope;                                           // b1 or b2 is one column right and so many rows down,
  int upward;                                          // and the other one row up or down
  // What a step of kWarps rows, of kWarp columns, of one row adds, modulo the periods.
  int rows_on, cols_on, lanes_on, col_on;
};
struct ShearGrids {
  int count = 0;
  ShearGrid of[kMaxSplits];
};

// 0: p += sign * round(tan K), 1: p += sign * round(sin K).
struct Step {
  int sine;
  int sign;
};

template <int kHalf>
struct Tile {
  static constexpr int kReach = 2 * kHalf - 1;
  static constexpr int kSumRows = kTileRows + kReach;
  static constexpr int kCols = kTileCols + kReach;
  // Runs begin and end up to (kRun - 1) slopes outside; what they read there goes into no sum that is kept.
  static constexpr int kRows = kSumRows + kMaxSlope * (kReach + 2 * (kRun - 1));
  static constexpr int kPitch = (kCols + 1) / 2 % 2 == 0 ? (kCols + 1) / 2 * 2 + 2 : (kCols + 1) / 2 * 2;
  static_assert(kPitch / 2 % 2 == 1, "lanes that read a column find their words in different banks");
  alignas(4) int16_t source[kRows][kPitch];
  int32_t sums[kSumRows][kTileCols + 1];  // along the slope, 64ths
};

// n + step, both in 0..period - 1, modulo the period.
__device__ __forceinline__ int advanced(int n, int step, int period) {
  n += step;
  return n < period ? n : n - period;
}

// The taps of two neighbours, the first at position 2 pair of -a_K, ..., -a_1, a_1, ..., a_K, as dp2a takes
// them.
template <int kHalf>
CTV_FN constexpr uint32_t tap_pair(int pair) {
  uint32_t packed = 0;
  for (int i = 0; i < 2; ++i) {
    const int at = 2 * pair + i;
    const int tap =
        at < kHalf ? -directional_tap(2 * kHalf, kHalf - at) : directional_tap(2 * kHalf, at - kHalf + 1);
    packed |= (static_cast<uint32_t>(tap) & 255U) << (8 * i);
  }
  return packed;
}

// kRun sums along the slope: of the samples from[0], from[stride], ..., the first 2 kHalf of them for the
// first. level: stride is 1 and from is at a multiple of two.
template <int kHalf>
__device__ __forceinline__ void sum_run(const int16_t* from, int stride, bool level, int (&sums)[kRun]) {
  constexpr int kPairs = kRun + 2 * kHalf - 2;
  uint32_t pairs[kPairs];  // neighbours from each sample on
  if (level) {
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

template <int kHalf>
__global__ void __launch_bounds__(kThreads, 5)
    shear_kernel(Bands bands, const __grid_constant__ ShearGrids grids, Step step) {
  using Shape = Tile<kHalf>;
  __shared__ Shape tile;
  const ShearGrid& g = grids.of[static_cast<int>(blockIdx.z) % grids.count];
  Coefficient* band = bands.data + static_cast<ptrdiff_t>(static_cast<int>(blockIdx.z) / grids.count) *
                                       bands.rows * bands.cols;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  if (row0 >= g.count_rows || col0 >= g.count_cols) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;

  // Targets.
  const int first_row = row0 + warp * kColumnRun;
  const int own_rows = col0 + lane < g.count_cols ? min_of(g.count_rows - first_row, kColumnRun) : 0;
  const int target_col = wrap(g.target_col + first_row * g.skew + (col0 + lane) * g.col_step, g.cols);
  const auto each_target = [&](auto&& body) {
    int place = g.target_base + (g.target_row + first_row * g.row_step) * g.row_pitch;
    int col = target_col;
#pragma unroll
    for (int k = 0; k < kColumnRun; ++k) {
      if (k < own_rows) body(k, band[place + col * g.col_pitch]);
      place += g.row_step * g.row_pitch;
      col = advanced(col, g.col_on, g.cols);
    }
  };
  int own[kColumnRun];
  each_target([&](int k, const Coefficient& x) { own[k] = x; });

  // Sources: of all rows of sums, along the slope.
  const int steepness = abs_of(g.slope);
  const int sums_top = g.upward != 0 ? 1 - kHalf : -kHalf;
  const int lowest = g.slope >= 0 ? -kHalf * g.slope : (kHalf - 1) * g.slope;
  const int outside = (kRun - 1) * steepness;
  const int loaded = Shape::kSumRows + Shape::kReach * steepness;
  const int top = row0 + sums_top + lowest + warp;
  int row = wrap(g.source_row + top * g.row_step, g.rows);
  int start = wrap(g.source_col + top * g.skew + (col0 - kHalf) * g.col_step, g.cols);
  const int near = lane * g.col_step % g.cols;
  const int far = advanced(near, g.lanes_on, g.cols);
  constexpr int kBatch = 4;
  for (int r = warp; r < loaded; r += kBatch * kWarps) {
    int16_t samples[kBatch][2];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const Coefficient* line = band + g.source_base + row * g.row_pitch;
      if (r + k * kWarps < loaded) {
        samples[k][0] = line[advanced(start, near, g.cols) * g.col_pitch];
        if (lane < Shape::kReach) samples[k][1] = line[advanced(start, far, g.cols) * g.col_pitch];
      }
      row = advanced(row, g.rows_on, g.rows);
      start = advanced(start, g.cols_on, g.cols);
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      if (r + k * kWarps < loaded) {
        tile.source[outside + r + k * kWarps][lane] = samples[k][0];
        if (lane < Shape::kReach) tile.source[outside + r + k * kWarps][kWarp + lane] = samples[k][1];
      }
    }
  }
  __syncthreads();

  // Along the slope: each group of threads has kRun columns.
  constexpr int kGroup = kThreads / (kTileCols / kRun);
  const int col = static_cast<int>(threadIdx.x) / kGroup * kRun;
  for (int i = static_cast<int>(threadIdx.x) % kGroup; i < Shape::kSumRows + outside; i += kGroup) {
    const int begin = g.slope > 0 ? i - outside : i;
    int sums[kRun];
    sum_run<kHalf>(&tile.source[outside + begin - kHalf * g.slope - lowest][col], g.slope * Shape::kPitch + 1,
                   g.slope == 0, sums);
#pragma unroll
    for (int k = 0; k < kRun; ++k) {
      const int r = begin + k * g.slope;
      if (r >= 0 && r < Shape::kSumRows) tile.sums[r][col + k] = sums[k];
    }
  }
  __syncthreads();

  // Down the columns.
  int t[kColumnRun + Shape::kReach];
#pragma unroll
  for (int k = 0; k < kColumnRun + Shape::kReach; ++k) t[k] = tile.sums[warp * kColumnRun + k][lane];
  each_target([&](int k, Coefficient& x) {
    int sum = 0;
#pragma unroll
    for (int a = 1; a <= kHalf; ++a)
      sum += directional_tap(2 * kHalf, a) * (t[k + kHalf + a - 1] - t[k + kHalf - a]);
    if (g.upward != 0) sum = -sum;
    const int s = step.sine != 0 ? shear_sin(sum) : shear_tan(sum);
    x = static_cast<Coefficient>(own[k] + step.sign * s);
  });
}

ShearGrid with_steps(ShearGrid g) {
  g.rows_on = wrap(kWarps * g.row_step, g.rows);
  g.cols_on = wrap(kWarps * g.skew, g.cols);
  g.lanes_on = wrap(kWarp * g.col_step, g.cols);
  g.col_on = wrap(g.skew, g.cols);
  return g;
}

// Tree level 1, the checkerboard: b1 = (1, 1) is the slope, b2 = (-1, 1), in pixels. Columns are those of
// row + column, so that b2 stays in one.
ShearGrid quincunx_grid(const Bands& bands, int target) {
  ShearGrid g{};
  g.row_pitch = bands.cols;
  g.col_pitch = 1;
  g.rows = bands.rows;
  g.cols = bands.cols;
  g.count_rows = bands.rows;
  g.count_cols = bands.cols / 2;
  g.row_step = 1;
  g.col_step = 2;
  g.skew = -1;
  g.target_col = target;
  g.source_col = target + 1;
  g.slope = 1;
  g.upward = 1;
  return with_steps(g);
}

// Within or between phases: rows along b1, columns along b2 = (0, 1); transposed, rows along b2, and b1 is
// the slope.
ShearGrid lattice_grid(const LatticeShear& s) {
  ShearGrid g{};
  g.target_base = s.target_base;
  g.source_base = s.source_base;
  if (s.transposed == 0) {
    g.row_pitch = s.row_pitch;
    g.col_pitch = s.col_pitch;
    g.rows = s.rows;
    g.cols = s.cols;
    g.count_rows = s.rows / s.stride;
    g.count_cols = s.cols;
    g.row_step = s.stride;
    g.col_step = 1;
    g.skew = s.shear;
    g.target_row = s.target_row;
    g.source_row = s.source_row;
    g.source_col = s.source_col;
  } else {
    g.row_pitch = s.col_pitch;
    g.col_pitch = s.row_pitch;
    g.rows = s.cols;
    g.cols = s.rows;
    g.count_rows = s.cols;
    g.count_cols = s.rows / s.stride;
    g.row_step = 1;
    g.col_step = s.stride;
    g.target_col = s.target_row;
    g.source_row = s.source_col;
    g.source_col = s.source_row;
    g.slope = s.shear;
  }
  return with_steps(g);
}

ShearGrids shear_grids(const Bands& bands, const DirectionalPlan& plan, int level, int target) {
  ShearGrids grids;
  if (level == 1) {
    grids.of[grids.count++] = quincunx_grid(bands, target);
    return grids;
  }
  const LatticeShears shears = lattice_shears(bands.rows, bands.cols, plan, level, target);
  for (int i = 0; i < shears.count; ++i) grids.of[grids.count++] = lattice_grid(shears.of[i]);
  return grids;
}

template <int kHalf>
Status shear(Device& device, const Bands& bands, const DirectionalPlan& plan, int level, int target,
             Step step) {
  const ShearGrids grids = shear_grids(bands, plan, level, target);
  int rows = 0;
  int cols = 0;
  for (int i = 0; i < grids.count; ++i) {
    rows = max_of(rows, grids.of[i].count_rows);
    cols = max_of(cols, grids.of[i].count_cols);
  }
  const dim3 blocks(blocks_for(cols, kTileCols), blocks_for(rows, kTileRows),
                    static_cast<unsigned>(grids.count * bands.count));
  shear_kernel<kHalf><<<blocks, kThreads, 0, device.stream()>>>(bands, grids, step);
  return device.launched("shear_kernel");
}

template <int kHalf>
Status run(Device& device, const Bands& bands, const DirectionalPlan& plan, bool inverse) {
  const int sign = inverse ? -1 : 1;
  for (int i = 1; i <= plan.directions_log2; ++i) {
    const int level = inverse ? plan.directions_log2 + 1 - i : i;
    CTV_RETURN_IF_ERROR(shear<kHalf>(device, bands, plan, level, 0, {0, -sign}));
    CTV_RETURN_IF_ERROR(shear<kHalf>(device, bands, plan, level, 1, {1, sign}));
    CTV_RETURN_IF_ERROR(shear<kHalf>(device, bands, plan, level, 0, {0, -sign}));
  }
  return {};
}

Status run_taps(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps, bool inverse) {
  switch (taps) {
    case 2:
      return run<1>(device, bands, plan, inverse);
    case 4:
      return run<2>(device, bands, plan, inverse);
    case 6:
      return run<3>(device, bands, plan, inverse);
    case 8:
      return run<4>(device, bands, plan, inverse);
    default:
      return run<6>(device, bands, plan, inverse);
  }
}

}  // namespace

Status directional_forward(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps) {
  return run_taps(device, bands, plan, taps, false);
}

Status directional_inverse(Device& device, const Bands& bands, const DirectionalPlan& plan, int taps) {
  return run_taps(device, bands, plan, taps, true);
}

}  // namespace ctv::cuda

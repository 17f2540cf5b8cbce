// SPDX-License-Identifier: BSD-3-Clause
// Laplacian pyramid with the 9-7 pair (Do and Vetterli 2005) by direct convolution.
//
// By definition a lowpass sample takes 81 products, and an interpolated one 12 on average. Both filters are
// separable and their sums exact, so they are summed along rows, then along columns, and rounded once: 9 + 9
// products. Sums wrap modulo 2^32, as on the CPU. Borders are mirrored in coordinates of the full plane.
//
// Lowpass: a thread sums along a run of one row, from words of two samples in registers, with products in
// pairs (dp2a). The sums pass through shared memory once, and a thread then takes a run of one column.
// Interpolation: a tile of the lowpass is in shared memory, and a thread computes a run of two columns. A
// merge by projection computes that tile itself, a fifth of it twice, so that the corrected lowpass is never
// stored. Subtracting the prediction from samples on input, and adding it on output, needs no separate pass.
#include "cuda/transform/laplacian.hpp"

#include "codec/dsp/laplacian.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/mirrored.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {
namespace {

constexpr int kTile = 32;      // lowpass samples per block in each dimension
constexpr int kRowRun = 8;     // lowpass samples of a row that a thread sums
constexpr int kColumnRun = 4;  // lowpass samples of a column that a thread computes
constexpr int kColumnThreads = kTile / kColumnRun * kTile;
static_assert(kTile == kWarp);

__device__ __forceinline__ uint32_t product(int tap, uint32_t x) { return static_cast<uint32_t>(tap) * x; }

// source.at(row, col) and that of the next column; one word if col is even.
__device__ __forceinline__ uint32_t pair_at(const PlaneSource& source, int row, int col) {
  const uint32_t samples = *reinterpret_cast<const uint32_t*>(source.data + row * source.stride + col);
  if (source.prediction == nullptr && source.dc_offset == 0 && source.fraction_bits == 0) return samples;
  const uint32_t predicted =
      source.prediction == nullptr
          ? pair_of(source.dc_offset, source.dc_offset)
          : *reinterpret_cast<const uint32_t*>(source.prediction + row * source.prediction_stride + col);
  if (source.skipped.holds(row, col)) return 0;
  return pair_of(source.residual(first_of(samples), first_of(predicted)),
                 source.residual(second_of(samples), second_of(predicted)));
}

constexpr int kLowSums = 2 * kTile - 1 + 2 * kLowpassReach;  // rows of sums that a tile's lowpass needs
constexpr int kLowThreads = (kLowSums * (kTile / kRowRun) + kWarp - 1) / kWarp * kWarp;
static_assert(kLowThreads >= kColumnThreads);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kLowBlocks = 3;  // per multiprocessor, with 1024 threads
#else
constexpr int kLowBlocks = 5;
#endif

// Two taps as signed bytes, packed for dp2a.
CTV_HOST_DEVICE constexpr int tap_pair(int first, int second) {
  return static_cast<int>((static_cast<uint32_t>(first) & 255U) | (static_cast<uint32_t>(second) & 255U)
                                                                      << 8);
}

// Sums along a row of kRun lowpass samples, the first of them at x[2].
template <int kRun>
__device__ __forceinline__ void sum_row(const uint32_t (&x)[kRun + kLowpassReach], uint32_t* sums) {
#pragma unroll
  for (int k = 0; k < kRun; ++k) {
    // Distances -4..4; the centre tap has nine bits, so 256 of it are added separately.
    constexpr int kCentre = 256;
    int sum = first_of(x[k + 2]) * kCentre;
    sum = __dp2a_lo(static_cast<int>(x[k]), tap_pair(lowpass_tap(4), lowpass_tap(3)), sum);
    sum = __dp2a_lo(static_cast<int>(x[k + 1]), tap_pair(lowpass_tap(2), lowpass_tap(1)), sum);
    sum = __dp2a_lo(static_cast<int>(x[k + 2]), tap_pair(lowpass_tap(0) - kCentre, lowpass_tap(1)), sum);
    sum = __dp2a_lo(static_cast<int>(x[k + 3]), tap_pair(lowpass_tap(2), lowpass_tap(3)), sum);
    sum = __dp2a_lo(static_cast<int>(x[k + 4]), tap_pair(lowpass_tap(4), 0), sum);
    sums[k] = static_cast<uint32_t>(sum);
  }
}

// The lowpass from sums of the surrounding rows.
__device__ __forceinline__ int sum_column(const uint32_t* centre) {
  uint32_t sum = product(lowpass_tap(0), centre[0]);
#pragma unroll
  for (int d = 1; d <= kLowpassReach; ++d) sum += product(lowpass_tap(d), centre[-d] + centre[d]);
  return round_laplacian(static_cast<int32_t>(sum));
}

__global__ void __launch_bounds__(kLowThreads, kLowBlocks)
    laplacian_lowpass_kernel(const __grid_constant__ PlaneSource source, int rows, int cols,
                             Coefficient* target) {
  __shared__ uint32_t sums[kLowSums][kTile + 1];  // along rows, 256ths
  const int row0 = static_cast<int>(blockIdx.y) * kTile;
  const int col0 = static_cast<int>(blockIdx.x) * kTile;
  const int thread = static_cast<int>(threadIdx.x);
  pdl_begin();
  if (const int r = thread / (kTile / kRowRun); r < kLowSums) {
    constexpr int kWords = kRowRun + kLowpassReach;
    const int low = thread % (kTile / kRowRun) * kRowRun;
    const int row = mirrored<kLowpassReach>(2 * row0 - kLowpassReach + r, rows);
    const int first = 2 * (col0 + low) - kLowpassReach;
    uint32_t x[kWords];
    if (first >= 0 && first + 2 * kWords <= cols && has_pairs(source)) {
#pragma unroll
      for (int k = 0; k < kWords; ++k) x[k] = pair_at(source, row, first + 2 * k);
    } else {
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        x[k] = pair_of(source.at(row, mirrored<kLowpassReach>(first + 2 * k, cols)),
                       source.at(row, mirrored<kLowpassReach>(first + 2 * k + 1, cols)));
      }
    }
    sum_row<kRowRun>(x, &sums[r][low]);
  }
  __syncthreads();

  const int c = thread % kTile;
  const int r = thread / kTile * kColumnRun;
  if (thread >= kColumnThreads || col0 + c >= cols / 2) return;
  uint32_t x[2 * kColumnRun - 1 + 2 * kLowpassReach];
#pragma unroll
  for (int k = 0; k < 2 * kColumnRun - 1 + 2 * kLowpassReach; ++k) x[k] = sums[2 * r + k][c];
#pragma unroll
  for (int k = 0; k < kColumnRun; ++k) {
    if (row0 + r + k >= rows / 2) break;
    target[static_cast<ptrdiff_t>(row0 + r + k) * (cols / 2) + col0 + c] =
        static_cast<Coefficient>(sum_column(x + 2 * k + kLowpassReach));
  }
}

// Twice two positions of a line: from samples i - 1, i, i + 1, i + 2 (i at the even position), the even and
// the odd sum.
struct EvenOdd {
  uint32_t even, odd;
};
__device__ __forceinline__ EvenOdd interpolate(uint32_t before, uint32_t here, uint32_t next,
                                               uint32_t after) {
  return {product(interpolation_tap(0), here) + product(interpolation_tap(2), before + next),
          product(interpolation_tap(1), here + next) + product(interpolation_tap(3), before + after)};
}

// A tile of the lowpass with the border for its interpolation: one sample before, two after.
constexpr int kSide = kTile + 3;
using LowTile = int16_t[kSide][kSide + 1];

// The interpolation of kColumnRun lowpass samples of a column, from row r of the tile on.
struct Interpolated {
  EvenOdd left[kColumnRun], right[kColumnRun];  // of the even and the odd column: even and odd row
};
__device__ __forceinline__ Interpolated interpolate_tile(const LowTile& x, int r, int lane) {
  EvenOdd sums[kColumnRun + 3];
#pragma unroll
  for (int k = 0; k < kColumnRun + 3; ++k) {
    const int16_t* s = &x[r + k][lane];
    sums[k] = interpolate(static_cast<uint32_t>(s[0]), static_cast<uint32_t>(s[1]),
                          static_cast<uint32_t>(s[2]), static_cast<uint32_t>(s[3]));
  }
  Interpolated all;
#pragma unroll
  for (int k = 0; k < kColumnRun; ++k) {
    all.left[k] = interpolate(sums[k].even, sums[k + 1].even, sums[k + 2].even, sums[k + 3].even);
    all.right[k] = interpolate(sums[k].odd, sums[k + 1].odd, sums[k + 2].odd, sums[k + 3].odd);
  }
  return all;
}
__device__ __forceinline__ int rounded(const EvenOdd& sums, int parity) {
  return round_laplacian(static_cast<int32_t>(parity == 0 ? sums.even : sums.odd));
}

// Two columns of kColumnRun row pairs, computed by one thread.
struct OwnSamples {
  int first_low;  // row of the tile
  int pairs;      // row pairs inside the plane
  int first, col;
};
__device__ __forceinline__ OwnSamples own_samples(int row0, int col0, int rows, int cols) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int tile_row = static_cast<int>(threadIdx.x) / kWarp * kColumnRun;
  const int low = row0 + tile_row;
  return {tile_row, col0 + lane < cols / 2 ? min_of(rows / 2 - low, kColumnRun) : 0, 2 * low,
          2 * (col0 + lane)};
}

__global__ void __launch_bounds__(kColumnThreads)
    laplacian_detail_kernel(const Coefficient* low, int rows, int cols,
                            const __grid_constant__ PlaneSource source, Coefficient* detail) {
  __shared__ LowTile x;
  const int row0 = static_cast<int>(blockIdx.y) * kTile;
  const int col0 = static_cast<int>(blockIdx.x) * kTile;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int place = mirrored<kLowpassReach>(2 * (col0 - 1 + lane), cols) >> 1;
  const int last_place = mirrored<kLowpassReach>(2 * (col0 - 1 + kWarp + lane), cols) >> 1;
  pdl_begin();
#pragma unroll
  for (int r = static_cast<int>(threadIdx.x) / kWarp; r < kSide; r += kColumnThreads / kWarp) {
    const int row = mirrored<kLowpassReach>(2 * (row0 - 1 + r), rows) >> 1;
    const Coefficient* line = low + static_cast<ptrdiff_t>(row) * (cols / 2);
    x[r][lane] = line[place];
    if (lane < kSide - kWarp) x[r][kWarp + lane] = line[last_place];
  }
  const OwnSamples own = own_samples(row0, col0, rows, cols);
  const bool pairs = has_pairs(source);
  uint32_t from[2 * kColumnRun];
#pragma unroll
  for (int k = 0; k < 2 * kColumnRun && k / 2 < own.pairs; ++k) {
    from[k] = pairs ? pair_at(source, own.first + k, own.col)
                    : pair_of(source.at(own.first + k, own.col), source.at(own.first + k, own.col + 1));
  }
  __syncthreads();
  const Interpolated sums = interpolate_tile(x, own.first_low, lane);
#pragma unroll
  for (int k = 0; k < 2 * kColumnRun && k / 2 < own.pairs; ++k) {
    *reinterpret_cast<uint32_t*>(detail + static_cast<ptrdiff_t>(own.first + k) * cols + own.col) =
        pair_of(first_of(from[k]) - rounded(sums.left[k / 2], k % 2),
                second_of(from[k]) - rounded(sums.right[k / 2], k % 2));
  }
}

// Input of the synthesis of a plane.
struct Merge {
  const Coefficient* low;     // [rows / 2][cols / 2]
  const Coefficient* detail;  // [rows][cols]
  int rows, cols;
  bool projection;  // interpolates low minus the lowpass of the detail instead of low
};
constexpr int kMergeBorder = 2 * 2 - 1 + kLowpassReach;        // samples read beyond the last one
constexpr int kMergeSums = 2 * kSide - 1 + 2 * kLowpassReach;  // rows of sums for the tile
constexpr int kMergeRun = 12;  // lowpass samples of a row that a thread sums: every thread has one run
constexpr int kMergeRuns = (kSide + kMergeRun - 1) / kMergeRun;
constexpr int kMergeColumn = 5;  // lowpass samples of a column
static_assert(kMergeSums * kMergeRuns <= kColumnThreads && kSide * (kSide / kMergeColumn) <= kColumnThreads);
static_assert(kSide % kMergeColumn == 0);

// Sums along row r of the detail around the tile. The lowpass of a symmetric extension is symmetric, so
// positions beyond a border need no special case.
__device__ __forceinline__ void sum_detail(const Merge& m, int row0, int col0, int r, int run,
                                           uint32_t* sums) {
  constexpr int kWords = kMergeRun + kLowpassReach;
  const int row = mirrored<kMergeBorder>(2 * (row0 - 1) - kLowpassReach + r, m.rows);
  const Coefficient* const line = m.detail + static_cast<ptrdiff_t>(row) * m.cols;
  const int first = 2 * (col0 - 1 + run) - kLowpassReach;
  uint32_t x[kWords];
  if (first >= 0 && first + 2 * kWords <= m.cols) {
#pragma unroll
    for (int k = 0; k < kWords; ++k) x[k] = reinterpret_cast<const uint32_t*>(line + first)[k];
  } else {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      x[k] = pair_of(line[mirrored<kMergeBorder>(first + 2 * k, m.cols)],
                     line[mirrored<kMergeBorder>(first + 2 * k + 1, m.cols)]);
    }
  }
  sum_row<kMergeRun>(x, sums);
}

__device__ __forceinline__ void make_tile(const Merge& m, int row0, int col0, LowTile& x) {
  __shared__ uint32_t sums[kMergeSums][kMergeRuns * kMergeRun + 1];  // along rows, 256ths
  const int thread = static_cast<int>(threadIdx.x);
  const int c = thread % kSide;
  const int r = thread / kSide * kMergeColumn;
  const bool own = r < kSide;
  int low[kMergeColumn];
  const int place = mirrored<kMergeBorder>(2 * (col0 - 1 + c), m.cols) >> 1;
#pragma unroll
  for (int k = 0; k < kMergeColumn && own; ++k) {
    const int row = mirrored<kMergeBorder>(2 * (row0 - 1 + r + k), m.rows) >> 1;
    low[k] = m.low[static_cast<ptrdiff_t>(row) * (m.cols / 2) + place];
  }
  if (m.projection) {
    if (const int row = thread / kMergeRuns; row < kMergeSums) {
      const int run = thread % kMergeRuns * kMergeRun;
      sum_detail(m, row0, col0, row, run, &sums[row][run]);
    }
    __syncthreads();
    if (own) {
      uint32_t column[2 * kMergeColumn - 1 + 2 * kLowpassReach];
#pragma unroll
      for (int k = 0; k < 2 * kMergeColumn - 1 + 2 * kLowpassReach; ++k) column[k] = sums[2 * r + k][c];
#pragma unroll
      for (int k = 0; k < kMergeColumn; ++k) low[k] -= sum_column(column + 2 * k + kLowpassReach);
    }
  }
#pragma unroll
  for (int k = 0; k < kMergeColumn && own; ++k) x[r + k][c] = static_cast<int16_t>(low[k]);
  __syncthreads();
}

// Whether put_pair<true> can be used.
bool is_plain(const PlaneTarget& target) {
  return target.samples != 0 && target.prediction == nullptr && target.skipped.skips == nullptr &&
         target.scale == kUnitScale;
}

// The prediction that target.put() adds at (row, col), col even, and in the next column.
__device__ __forceinline__ uint32_t predicted_pair(const PlaneTarget& target, bool pairs, int row, int col) {
  if (target.samples == 0 || target.prediction == nullptr) return pair_of(target.dc_offset, target.dc_offset);
  const Sample* from = target.prediction + row * target.prediction_stride + col;
  return pairs ? *reinterpret_cast<const uint32_t*>(from) : pair_of(from[0], from[1]);
}

// target.put() with that prediction. kPlain: samples without prediction, skipped cells and scaling.
template <bool kPlain>
__device__ __forceinline__ void put_pair(const PlaneTarget& target, bool pairs, int row, int col, int first,
                                         int second, uint32_t predicted) {
  if constexpr (kPlain) {
    first = target.sample_of_scaled(static_cast<Coefficient>(first), target.dc_offset);
    second = target.sample_of_scaled(static_cast<Coefficient>(second), target.dc_offset);
  } else if (target.samples != 0) {
    first = target.sample(static_cast<Coefficient>(first), first_of(predicted));
    second = target.sample(static_cast<Coefficient>(second), second_of(predicted));
  }
  int16_t* to = target.data + row * target.stride + col;
  if (pairs) {
    *reinterpret_cast<uint32_t*>(to) = pair_of(first, second);
  } else {
    to[0] = static_cast<int16_t>(first);
    to[1] = static_cast<int16_t>(second);
  }
}

template <bool kPlain>
__global__ void __launch_bounds__(kColumnThreads, 4)
    laplacian_merge_kernel(Merge m, const __grid_constant__ PlaneTarget target) {
  __shared__ LowTile x;
  const int row0 = static_cast<int>(blockIdx.y) * kTile;
  const int col0 = static_cast<int>(blockIdx.x) * kTile;
  const OwnSamples own = own_samples(row0, col0, m.rows, m.cols);
  const bool pairs = has_pairs(target);
  pdl_begin();
  make_tile(m, row0, col0, x);
  // Loads of the prediction begin here: the target may be the prediction, so they cannot be moved across a
  // store.
  uint32_t from[2 * kColumnRun];
  uint32_t predicted[2 * kColumnRun];
  bool skipped[2 * kColumnRun][2];
#pragma unroll
  for (int k = 0; k < 2 * kColumnRun && k / 2 < own.pairs; ++k) {
    const int row = own.first + k;
    from[k] = *reinterpret_cast<const uint32_t*>(m.detail + static_cast<ptrdiff_t>(row) * m.cols + own.col);
    predicted[k] = kPlain ? 0 : predicted_pair(target, pairs, row, own.col);
    for (int i = 0; i < 2; ++i) skipped[k][i] = !kPlain && target.skipped.holds(row, own.col + i);
  }
  const Interpolated sums = interpolate_tile(x, own.first_low, static_cast<int>(threadIdx.x) % kWarp);
#pragma unroll
  for (int k = 0; k < 2 * kColumnRun && k / 2 < own.pairs; ++k) {
    put_pair<kPlain>(target, pairs, own.first + k, own.col,
                     skipped[k][0] ? 0 : first_of(from[k]) + rounded(sums.left[k / 2], k % 2),
                     skipped[k][1] ? 0 : second_of(from[k]) + rounded(sums.right[k / 2], k % 2),
                     predicted[k]);
  }
}

dim3 tiles(Extent extent) { return {blocks_for(extent.cols / 2, kTile), blocks_for(extent.rows / 2, kTile)}; }

}  // namespace

Status laplacian_lowpass(Device& device, const PlaneSource& source, Extent extent, Coefficient* target) {
  launch_single_frame(device, device.stream(), laplacian_lowpass_kernel, tiles(extent), kLowThreads, source,
                      extent.rows, extent.cols, target);
  return device.launched("laplacian_lowpass_kernel");
}

Status laplacian_detail(Device& device, const Coefficient* low, Extent extent, const PlaneSource& source,
                        Coefficient* detail) {
  launch_single_frame(device, device.stream(), laplacian_detail_kernel, tiles(extent), kColumnThreads, low,
                      extent.rows, extent.cols, source, detail);
  return device.launched("laplacian_detail_kernel");
}

Status laplacian_merge(Device& device, const Coefficient* low, Extent extent, const Coefficient* detail,
                       bool projection, const PlaneTarget& target) {
  auto* const kernel = is_plain(target) ? laplacian_merge_kernel<true> : laplacian_merge_kernel<false>;
  launch_single_frame(device, device.stream(), kernel, tiles(extent), kColumnThreads,
                      Merge{low, detail, extent.rows, extent.cols, projection}, target);
  return device.launched("laplacian_merge_kernel");
}

}  // namespace ctv::cuda

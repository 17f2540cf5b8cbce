// SPDX-License-Identifier: BSD-3-Clause
// Laplacian pyramid with the 9-7 pair (Do and Vetterli 2005) by direct convolution.
//
// By definition every lowpass sample is 81 products and every interpolated one 12 on average. Both filters
// are separable and their sums exact, so they are summed along rows, then along columns, and rounded once: 9
// + 9 products. Sums wrap modulo 2^32 like everybody's. Borders are mirrored in coordinates of the full
// plane.
//
// Lowpass: a thread sums along a run of one row, from words of two samples in registers, products in pairs
// (dp2a); the sums pass through shared memory once, and a thread then has a run of one column. Interpolation:
// a tile of the lowpass in shared memory, of which a thread makes a run of two columns. Samples minus
// prediction on the way in, and their sum on the way out, cost no pass of their own.
#include "cuda/transform/laplacian.hpp"

#include "codec/dsp/laplacian.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/mirrored.cuh"
#include "cuda/runtime/warp.cuh"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {
namespace {

constexpr int kTile = 32;      // lowpass samples of a block, rows and columns
constexpr int kRowRun = 8;     // lowpass samples of a row that a thread sums
constexpr int kColumnRun = 4;  // of a column that a thread makes
constexpr int kColumnThreads = kTile / kColumnRun * kTile;
static_assert(kTile == kWarp);

__device__ __forceinline__ uint32_t product(int tap, uint32_t x) { return static_cast<uint32_t>(tap) * x; }

// source.at(row, col) and of the next column; both in one word if col is even.
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

// Two taps as dp2a takes them, signed bytes.
CTV_HOST_DEVICE constexpr int tap_pair(int first, int second) {
  return static_cast<int>((static_cast<uint32_t>(first) & 255U) | (static_cast<uint32_t>(second) & 255U)
                                                                      << 8);
}

__global__ void __launch_bounds__(kLowThreads)
    laplacian_lowpass_kernel(const __grid_constant__ PlaneSource source, int rows, int cols,
                             const Coefficient* from, Coefficient* target) {
  __shared__ uint32_t sums[kLowSums][kTile + 1];  // along rows, 256ths
  const int row0 = static_cast<int>(blockIdx.y) * kTile;
  const int col0 = static_cast<int>(blockIdx.x) * kTile;
  const int thread = static_cast<int>(threadIdx.x);
  follow();
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
#pragma unroll
    for (int k = 0; k < kRowRun; ++k) {
      // Distances -4..4; the tap of the centre has nine bits, of which 256 are added apart.
      constexpr int kCentre = 256;
      int sum = first_of(x[k + 2]) * kCentre;
      sum = __dp2a_lo(static_cast<int>(x[k]), tap_pair(lowpass_tap(4), lowpass_tap(3)), sum);
      sum = __dp2a_lo(static_cast<int>(x[k + 1]), tap_pair(lowpass_tap(2), lowpass_tap(1)), sum);
      sum = __dp2a_lo(static_cast<int>(x[k + 2]), tap_pair(lowpass_tap(0) - kCentre, lowpass_tap(1)), sum);
      sum = __dp2a_lo(static_cast<int>(x[k + 3]), tap_pair(lowpass_tap(2), lowpass_tap(3)), sum);
      sum = __dp2a_lo(static_cast<int>(x[k + 4]), tap_pair(lowpass_tap(4), 0), sum);
      sums[r][low + k] = static_cast<uint32_t>(sum);
    }
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
    const uint32_t* const centre = x + 2 * k + kLowpassReach;
    uint32_t sum = product(lowpass_tap(0), centre[0]);
#pragma unroll
    for (int d = 1; d <= kLowpassReach; ++d) sum += product(lowpass_tap(d), centre[-d] + centre[d]);
    const int low = round_laplacian(static_cast<int32_t>(sum));
    const ptrdiff_t at = static_cast<ptrdiff_t>(row0 + r + k) * (cols / 2) + col0 + c;
    target[at] = static_cast<Coefficient>(from == nullptr ? low : from[at] - low);
  }
}

// Twice two positions of a line: samples i - 1, i, i + 1, i + 2 (i at the even position) give the even and
// odd sums.
struct EvenOdd {
  uint32_t even, odd;
};
__device__ __forceinline__ EvenOdd interpolate(uint32_t before, uint32_t here, uint32_t next,
                                               uint32_t after) {
  return {product(interpolation_tap(0), here) + product(interpolation_tap(2), before + next),
          product(interpolation_tap(1), here + next) + product(interpolation_tap(3), before + after)};
}

// What target.put() adds at (row, col), col even, and the next column.
__device__ __forceinline__ uint32_t predicted_pair(const PlaneTarget& target, bool pairs, int row, int col) {
  if (target.samples == 0 || target.prediction == nullptr) return pair_of(target.dc_offset, target.dc_offset);
  const Sample* from = target.prediction + row * target.prediction_stride + col;
  return pairs ? *reinterpret_cast<const uint32_t*>(from) : pair_of(from[0], from[1]);
}

// target.put() there with it.
__device__ __forceinline__ void put_pair(const PlaneTarget& target, bool pairs, int row, int col, int first,
                                         int second, uint32_t predicted) {
  if (target.samples != 0) {
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

constexpr int kDetailSign = -1;
constexpr int kMergeSign = 1;

template <int kSign>
__global__ void __launch_bounds__(kColumnThreads)
    laplacian_interpolate_kernel(const Coefficient* low, int rows, int cols,
                                 const __grid_constant__ PlaneSource other,
                                 const __grid_constant__ PlaneTarget target) {
  constexpr int kSide = kTile + 3;  // one before, two after
  __shared__ int16_t x[kSide][kSide + 1];
  const int row0 = static_cast<int>(blockIdx.y) * kTile;
  const int col0 = static_cast<int>(blockIdx.x) * kTile;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int place = mirrored<kLowpassReach>(2 * (col0 - 1 + lane), cols) >> 1;
  const int last_place = mirrored<kLowpassReach>(2 * (col0 - 1 + kWarp + lane), cols) >> 1;
  follow();
#pragma unroll
  for (int r = warp; r < kSide; r += kColumnThreads / kWarp) {
    const int row = mirrored<kLowpassReach>(2 * (row0 - 1 + r), rows) >> 1;
    const Coefficient* line = low + static_cast<ptrdiff_t>(row) * (cols / 2);
    x[r][lane] = line[place];
    if (lane < kSide - kWarp) x[r][kWarp + lane] = line[last_place];
  }
  // Loads that wait for nothing begin here: the target may be what others read, so none passes a store.
  const int first = row0 + warp * kColumnRun;
  const int own_rows = col0 + lane < cols / 2 ? min_of(rows / 2 - first, kColumnRun) : 0;
  const int col = 2 * (col0 + lane);
  const bool other_pairs = has_pairs(other);
  const bool target_pairs = has_pairs(target);
  uint32_t from[2 * kColumnRun];
  uint32_t predicted[2 * kColumnRun];
  bool skipped[2 * kColumnRun][2];
#pragma unroll
  for (int k = 0; k < 2 * kColumnRun; ++k) {
    const int row = 2 * first + k;
    if (k / 2 >= own_rows) break;
    from[k] = other_pairs ? pair_at(other, row, col) : pair_of(other.at(row, col), other.at(row, col + 1));
    predicted[k] = predicted_pair(target, target_pairs, row, col);
    for (int i = 0; i < 2; ++i) skipped[k][i] = target.skipped.holds(row, col + i);
  }
  __syncthreads();

  EvenOdd sums[kColumnRun + 3];
#pragma unroll
  for (int k = 0; k < kColumnRun + 3; ++k) {
    const int16_t* s = &x[warp * kColumnRun + k][lane];
    sums[k] = interpolate(static_cast<uint32_t>(s[0]), static_cast<uint32_t>(s[1]),
                          static_cast<uint32_t>(s[2]), static_cast<uint32_t>(s[3]));
  }
#pragma unroll
  for (int k = 0; k < kColumnRun; ++k) {
    if (k >= own_rows) break;
    const EvenOdd left = interpolate(sums[k].even, sums[k + 1].even, sums[k + 2].even, sums[k + 3].even);
    const EvenOdd right = interpolate(sums[k].odd, sums[k + 1].odd, sums[k + 2].odd, sums[k + 3].odd);
#pragma unroll
    for (int parity = 0; parity < 2; ++parity) {
      const auto sum = [&](const EvenOdd& pair) {
        return kSign * round_laplacian(static_cast<int32_t>(parity == 0 ? pair.even : pair.odd));
      };
      const int at = 2 * k + parity;
      put_pair(target, target_pairs, 2 * first + at, col, skipped[at][0] ? 0 : first_of(from[at]) + sum(left),
               skipped[at][1] ? 0 : second_of(from[at]) + sum(right), predicted[at]);
    }
  }
}

dim3 tiles(Extent extent) { return {blocks_for(extent.cols / 2, kTile), blocks_for(extent.rows / 2, kTile)}; }

}  // namespace

Status laplacian_lowpass(Device& device, const PlaneSource& source, Extent extent, const Coefficient* from,
                         Coefficient* target) {
  launch_alone(device, device.stream(), laplacian_lowpass_kernel, tiles(extent), kLowThreads, source,
               extent.rows, extent.cols, from, target);
  return device.launched("laplacian_lowpass_kernel");
}

Status laplacian_detail(Device& device, const Coefficient* low, Extent extent, const PlaneSource& source,
                        Coefficient* detail) {
  launch_alone(device, device.stream(), laplacian_interpolate_kernel<kDetailSign>, tiles(extent),
               kColumnThreads, low, extent.rows, extent.cols, source,
               coefficient_target(detail, extent.cols));
  return device.launched("laplacian_interpolate_kernel");
}

Status laplacian_merge(Device& device, const Coefficient* low, Extent extent, const Coefficient* detail,
                       const PlaneTarget& target) {
  launch_alone(device, device.stream(), laplacian_interpolate_kernel<kMergeSign>, tiles(extent),
               kColumnThreads, low, extent.rows, extent.cols, coefficient_source(detail, extent.cols),
               target);
  return device.launched("laplacian_interpolate_kernel");
}

}  // namespace ctv::cuda

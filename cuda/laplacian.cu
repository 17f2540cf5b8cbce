// SPDX-License-Identifier: BSD-3-Clause
// Laplacian pyramid with the 9-7 pair (Do and Vetterli 2005) by direct convolution.
//
// By definition every lowpass sample is 81 products and every interpolated one 12 on average. Both filters
// are separable and their sums exact, so a block of threads loads a tile with its border into shared memory,
// sums along rows at the positions that are kept, then along columns, and rounds once: 9 + 9 products and one
// load. Sums wrap modulo 2^32 like everybody's. Borders are mirrored in coordinates of the full plane.
#include "codec/math/laplacian.hpp"
#include "codec/math/mirror.hpp"
#include "cuda/laplacian.hpp"

namespace ctv::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kLowRows = 16;  // lowpass samples of a tile
constexpr int kLowCols = 32;

__device__ __forceinline__ uint32_t product(int tap, uint32_t x) { return static_cast<uint32_t>(tap) * x; }

__global__ void __launch_bounds__(kThreads)
    laplacian_lowpass_kernel(const Coefficient* source, int rows, int cols, const Coefficient* from,
                             Coefficient* target) {
  constexpr int kRows = 2 * kLowRows - 1 + 2 * kLowpassReach;
  constexpr int kCols = 2 * kLowCols - 1 + 2 * kLowpassReach;
  __shared__ int16_t x[kRows][kCols];
  __shared__ uint32_t line[kRows][kLowCols];  // summed along rows, 256ths
  const int row0 = static_cast<int>(blockIdx.y) * kLowRows;
  const int col0 = static_cast<int>(blockIdx.x) * kLowCols;
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kCols; i += kThreads) {
    const int r = mirror(2 * row0 - kLowpassReach + i / kCols, rows);
    const int c = mirror(2 * col0 - kLowpassReach + i % kCols, cols);
    x[i / kCols][i % kCols] = source[static_cast<ptrdiff_t>(r) * cols + c];
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kLowCols; i += kThreads) {
    const int r = i / kLowCols;
    const int c = 2 * (i % kLowCols) + kLowpassReach;
    int sum = lowpass_tap(0) * x[r][c];
#pragma unroll
    for (int k = 1; k <= kLowpassReach; ++k) sum += lowpass_tap(k) * (x[r][c - k] + x[r][c + k]);
    line[r][i % kLowCols] = static_cast<uint32_t>(sum);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kLowRows * kLowCols; i += kThreads) {
    const int r = 2 * (i / kLowCols) + kLowpassReach;
    const int c = i % kLowCols;
    const int row = row0 + i / kLowCols;
    const int col = col0 + c;
    if (row >= rows / 2 || col >= cols / 2) continue;
    uint32_t sum = product(lowpass_tap(0), line[r][c]);
#pragma unroll
    for (int k = 1; k <= kLowpassReach; ++k) sum += product(lowpass_tap(k), line[r - k][c] + line[r + k][c]);
    const int low = round_laplacian(static_cast<int32_t>(sum));
    const ptrdiff_t at = static_cast<ptrdiff_t>(row) * (cols / 2) + col;
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

constexpr int kDetailSign = -1;
constexpr int kMergeSign = 1;

template <int kSign>
__global__ void __launch_bounds__(kThreads)
    laplacian_interpolate_kernel(const Coefficient* low, int rows, int cols, const Coefficient* other,
                                 const __grid_constant__ PlaneTarget target) {
  constexpr int kRows = kLowRows + 3;  // one before, two after
  constexpr int kCols = kLowCols + 3;
  __shared__ int16_t x[kRows][kCols];
  __shared__ uint32_t line[kRows][2 * kLowCols];
  const int row0 = static_cast<int>(blockIdx.y) * kLowRows;
  const int col0 = static_cast<int>(blockIdx.x) * kLowCols;
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kCols; i += kThreads) {
    const int r = mirror(2 * (row0 - 1 + i / kCols), rows) >> 1;
    const int c = mirror(2 * (col0 - 1 + i % kCols), cols) >> 1;
    x[i / kCols][i % kCols] = low[static_cast<ptrdiff_t>(r) * (cols / 2) + c];
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kLowCols; i += kThreads) {
    const int r = i / kLowCols;
    const int c = i % kLowCols;
    const EvenOdd pair = interpolate(static_cast<uint32_t>(x[r][c]), static_cast<uint32_t>(x[r][c + 1]),
                                     static_cast<uint32_t>(x[r][c + 2]), static_cast<uint32_t>(x[r][c + 3]));
    line[r][2 * c] = pair.even;
    line[r][2 * c + 1] = pair.odd;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kLowRows * 2 * kLowCols; i += kThreads) {
    const int r = i / (2 * kLowCols);
    const int c = i % (2 * kLowCols);
    const int col = 2 * col0 + c;
    if (row0 + r >= rows / 2 || col >= cols) continue;
    const EvenOdd pair = interpolate(line[r][c], line[r + 1][c], line[r + 2][c], line[r + 3][c]);
#pragma unroll
    for (int parity = 0; parity < 2; ++parity) {
      const int row = 2 * (row0 + r) + parity;
      const int sum = round_laplacian(static_cast<int32_t>(parity == 0 ? pair.even : pair.odd));
      target.put(row, col,
                 static_cast<Coefficient>(other[static_cast<ptrdiff_t>(row) * cols + col] + kSign * sum));
    }
  }
}

dim3 tiles(Extent extent) {
  return {blocks_for(extent.cols / 2, kLowCols), blocks_for(extent.rows / 2, kLowRows)};
}

}  // namespace

Status laplacian_lowpass(Device& device, const Coefficient* source, Extent extent, const Coefficient* from,
                         Coefficient* target) {
  laplacian_lowpass_kernel<<<tiles(extent), kThreads, 0, device.stream()>>>(source, extent.rows, extent.cols,
                                                                            from, target);
  return device.launched("laplacian_lowpass_kernel");
}

Status laplacian_detail(Device& device, const Coefficient* low, Extent extent, const Coefficient* source,
                        Coefficient* detail) {
  laplacian_interpolate_kernel<kDetailSign><<<tiles(extent), kThreads, 0, device.stream()>>>(
      low, extent.rows, extent.cols, source, coefficient_target(detail, extent.cols));
  return device.launched("laplacian_interpolate_kernel");
}

Status laplacian_merge(Device& device, const Coefficient* low, Extent extent, const Coefficient* detail,
                       const PlaneTarget& target) {
  laplacian_interpolate_kernel<kMergeSign>
      <<<tiles(extent), kThreads, 0, device.stream()>>>(low, extent.rows, extent.cols, detail, target);
  return device.launched("laplacian_interpolate_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// One level of the reversible 5/3 or 13/7 wavelet (lifting; Calderbank et al. 1998), forward or inverse, in
// one launch.
//
// Step by step it is four passes over device memory and back. Here a block of threads takes a tile of 32x64
// samples with a border of 6 (5/3: 2) into shared memory and does all four lifting steps there: the plane is
// read once and written once. Samples beyond the plane are the mirrored ones; since the steps are symmetric,
// lifting the extended signal is extending the lifted one, so tiles need no border cases. The first step of
// the transform (samples minus prediction) and the last (quantiser; inverse: prediction added, clamped)
// happen on the way in and out.
#include "codec/math/lifting.hpp"
#include "codec/math/mirror.hpp"
#include "cuda/wavelet.hpp"

namespace ctv::cuda {
namespace {

constexpr int kTileRows = 32;
constexpr int kTileCols = 64;
constexpr int kThreadsX = 32;
constexpr int kThreadsY = 8;

// kReach: samples of the other parity that a step needs to either side, in full positions: 3 (13/7) or 1
// (5/3).
template <int kReach>
struct Tile {
  static constexpr int kBorder = 2 * kReach;
  static constexpr int kRows = kTileRows + 2 * kBorder;
  static constexpr int kCols = kTileCols + 2 * kBorder;
  static constexpr int kStride = kCols + 2;
  int16_t data[kRows][kStride];  // local (r, c) is sample (row0 - kBorder + r, col0 - kBorder + c)
};

// The sum that a predict (odd sample from even ones) or update step takes, around x; `step` elements apart.
template <int kReach>
__device__ __forceinline__ int predict_sum(const int16_t* x, int step) {
  if constexpr (kReach == 1) return predict_5_3(x[-step], x[step]);
  return predict_13_7(x[-3 * step], x[-step], x[step], x[3 * step]);
}
template <int kReach>
__device__ __forceinline__ int update_sum(const int16_t* x, int step) {
  if constexpr (kReach == 1) return update_5_3(x[-step], x[step]);
  return update_13_7(x[-3 * step], x[-step], x[step], x[3 * step]);
}

// In every row of [r0, r1): column c0, c0 + 2, ... < c1 gets sign * step.
template <int kReach, bool kPredict, int kSign>
__device__ __forceinline__ void lift_rows(Tile<kReach>& tile, int r0, int r1, int c0, int c1) {
  for (int r = r0 + static_cast<int>(threadIdx.y); r < r1; r += kThreadsY) {
    for (int c = c0 + 2 * static_cast<int>(threadIdx.x); c < c1; c += 2 * kThreadsX) {
      int16_t* x = &tile.data[r][c];
      const int sum = kPredict ? predict_sum<kReach>(x, 1) : update_sum<kReach>(x, 1);
      *x = static_cast<int16_t>(*x + kSign * sum);
    }
  }
  __syncthreads();
}

// In every column of [c0, c1): row r0, r0 + 2, ... < r1.
template <int kReach, bool kPredict, int kSign>
__device__ __forceinline__ void lift_columns(Tile<kReach>& tile, int r0, int r1, int c0, int c1) {
  constexpr int kStride = Tile<kReach>::kStride;
  for (int r = r0 + 2 * static_cast<int>(threadIdx.y); r < r1; r += 2 * kThreadsY) {
    for (int c = c0 + static_cast<int>(threadIdx.x); c < c1; c += kThreadsX) {
      int16_t* x = &tile.data[r][c];
      const int sum = kPredict ? predict_sum<kReach>(x, kStride) : update_sum<kReach>(x, kStride);
      *x = static_cast<int16_t>(*x + kSign * sum);
    }
  }
  __syncthreads();
}

template <int kReach>
__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    wavelet_forward_kernel(const __grid_constant__ WaveletLevel level,
                           const __grid_constant__ PlaneSource source) {
  constexpr int kBorder = Tile<kReach>::kBorder;
  __shared__ Tile<kReach> tile;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  constexpr int kColumns = (Tile<kReach>::kCols + kThreadsX - 1) / kThreadsX;  // of a thread
  int columns[kColumns];
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    columns[i] = mirror(col0 - kBorder + static_cast<int>(threadIdx.x) + i * kThreadsX, level.cols);
  }
  for (int r = static_cast<int>(threadIdx.y); r < tile.kRows; r += kThreadsY) {
    const int row = mirror(row0 - kBorder + r, level.rows);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const int c = static_cast<int>(threadIdx.x) + i * kThreadsX;
      if (c < tile.kCols) tile.data[r][c] = source.at(row, columns[i]);
    }
  }
  __syncthreads();
  // Odd local positions are odd samples: kBorder, row0 and col0 are even.
  constexpr int kFirst = kBorder - kReach;  // odd
  lift_rows<kReach, true, -1>(tile, 0, tile.kRows, kFirst, kBorder + kTileCols + kReach);
  lift_rows<kReach, false, 1>(tile, 0, tile.kRows, kBorder, kBorder + kTileCols);
  lift_columns<kReach, true, -1>(tile, kFirst, kBorder + kTileRows + kReach, kBorder, kBorder + kTileCols);
  lift_columns<kReach, false, 1>(tile, kBorder, kBorder + kTileRows, kBorder, kBorder + kTileCols);

  const int rows = level.rows / 2;
  const int cols = level.cols / 2;
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const WaveletBand& band = level.bands[b];
    for (int r = static_cast<int>(threadIdx.y); r < kTileRows / 2; r += kThreadsY) {
      const int row = row0 / 2 + r;
      const int col = col0 / 2 + static_cast<int>(threadIdx.x);
      if (row >= rows || col >= cols) continue;
      const int16_t x =
          tile.data[kBorder + 2 * r + (b >> 1)][kBorder + 2 * static_cast<int>(threadIdx.x) + (b & 1)];
      band.data[static_cast<ptrdiff_t>(row) * cols + col] =
          band.quantised != 0 ? quantise(x, band.quantiser.multiplier, band.quantiser.offset) : x;
    }
  }
}

template <int kReach>
__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    wavelet_inverse_kernel(const __grid_constant__ WaveletLevel level,
                           const __grid_constant__ PlaneTarget target) {
  constexpr int kBorder = Tile<kReach>::kBorder;
  __shared__ Tile<kReach> tile;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  const int cols = level.cols / 2;
  // Mirroring keeps parity (the extents are even), so whole half-rows come from one band.
  constexpr int kColumns =
      (Tile<kReach>::kCols + 2 * kThreadsX - 1) / (2 * kThreadsX);  // of a thread and parity
  int columns[kColumns][2];
#pragma unroll
  for (int i = 0; i < 2 * kColumns; ++i) {
    const int c = 2 * (static_cast<int>(threadIdx.x) + i / 2 * kThreadsX) + i % 2;
    columns[i / 2][i % 2] = mirror(col0 - kBorder + c, level.cols) >> 1;
  }
  for (int r = static_cast<int>(threadIdx.y); r < tile.kRows; r += kThreadsY) {
    const int row = mirror(row0 - kBorder + r, level.rows);
#pragma unroll
    for (int parity = 0; parity < 2; ++parity) {
      const WaveletBand& band = level.bands[(row & 1) * 2 + parity];
      const int16_t* line = band.data + static_cast<ptrdiff_t>(row >> 1) * cols;
#pragma unroll
      for (int i = 0; i < kColumns; ++i) {
        const int c = parity + 2 * (static_cast<int>(threadIdx.x) + i * kThreadsX);
        if (c >= tile.kCols) continue;
        const int16_t x = line[columns[i][parity]];
        tile.data[r][c] = band.quantised != 0 ? dequantise(x, band.quantiser.step, band.quantiser.bias) : x;
      }
    }
  }
  __syncthreads();
  constexpr int kFirst = kBorder - kReach + 1;  // even
  lift_columns<kReach, false, -1>(tile, kFirst, kBorder + kTileRows + kReach, 0, tile.kCols);
  lift_columns<kReach, true, 1>(tile, kBorder + 1, kBorder + kTileRows, 0, tile.kCols);
  lift_rows<kReach, false, -1>(tile, kBorder, kBorder + kTileRows, kFirst, kBorder + kTileCols + kReach);
  lift_rows<kReach, true, 1>(tile, kBorder, kBorder + kTileRows, kBorder + 1, kBorder + kTileCols);
  for (int r = static_cast<int>(threadIdx.y); r < kTileRows; r += kThreadsY) {
    const int row = row0 + r;
    if (row >= level.rows) break;
    for (int c = static_cast<int>(threadIdx.x); c < kTileCols; c += kThreadsX) {
      if (col0 + c < level.cols) target.put(row, col0 + c, tile.data[kBorder + r][kBorder + c]);
    }
  }
}

dim3 tiles(const WaveletLevel& level) {
  return {blocks_for(level.cols, kTileCols), blocks_for(level.rows, kTileRows)};
}

}  // namespace

Status wavelet_forward(Device& device, Pyramid kind, const WaveletLevel& level, const PlaneSource& source) {
  const dim3 threads(kThreadsX, kThreadsY);
  if (kind == Pyramid::kWavelet5_3) {
    wavelet_forward_kernel<1><<<tiles(level), threads, 0, device.stream()>>>(level, source);
  } else {
    wavelet_forward_kernel<3><<<tiles(level), threads, 0, device.stream()>>>(level, source);
  }
  return device.launched("wavelet_forward_kernel");
}

Status wavelet_inverse(Device& device, Pyramid kind, const WaveletLevel& level, const PlaneTarget& target) {
  const dim3 threads(kThreadsX, kThreadsY);
  if (kind == Pyramid::kWavelet5_3) {
    wavelet_inverse_kernel<1><<<tiles(level), threads, 0, device.stream()>>>(level, target);
  } else {
    wavelet_inverse_kernel<3><<<tiles(level), threads, 0, device.stream()>>>(level, target);
  }
  return device.launched("wavelet_inverse_kernel");
}

}  // namespace ctv::cuda

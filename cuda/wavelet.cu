// SPDX-License-Identifier: BSD-3-Clause
// One level of the reversible 5/3, 13/7 or 9/7 wavelet (lifting; Calderbank et al. 1998), forward or inverse,
// in one launch.
//
// Step by step it is four passes (9/7: eight) over device memory and back. Here a block of threads takes a
// tile of 32x64 samples with a border of 6 (5/3: 2; 9/7: 4) into shared memory and does all lifting steps
// there: the plane is read once and written once. Samples beyond the plane are the mirrored ones; since the
// steps are symmetric, lifting the extended signal is extending the lifted one, so tiles need no border
// cases. The first step of the transform (samples minus prediction) and the last (quantiser; inverse:
// prediction added, clamped) happen on the way in and out.
#include "codec/math/lifting.hpp"
#include "codec/math/mirror.hpp"
#include "cuda/wavelet.hpp"

namespace ctv::cuda {
namespace {

constexpr int kTileRows = 32;
constexpr int kTileCols = 64;
constexpr int kThreadsX = 32;

// Rows of threads. A level of few tiles leaves most of the device idle, so only its latency counts: the most
// threads a block may have take a tile through its steps in a quarter of the turns. A level of many tiles
// fills the device, and smaller blocks wait less for each other.
constexpr int kThreadsY = 8;
constexpr int kMostThreadsY = 32;
constexpr unsigned kFewTiles = 264;

// A wavelet: how many lifting steps, the samples of the other parity that a step needs to either side, in
// full positions, and what each step (1, 2, ...) adds at x, neighbours `d` elements apart. Odd steps change
// odd samples.
struct Wavelet5_3 {
  static constexpr int kSteps = 2, kReach = 1;
  template <int kStep>
  static __device__ __forceinline__ int added(const int16_t* x, int d) {
    return kStep == 1 ? -predict_5_3(x[-d], x[d]) : update_5_3(x[-d], x[d]);
  }
};
struct Wavelet13_7 {
  static constexpr int kSteps = 2, kReach = 3;
  template <int kStep>
  static __device__ __forceinline__ int added(const int16_t* x, int d) {
    return kStep == 1 ? -predict_13_7(x[-3 * d], x[-d], x[d], x[3 * d])
                      : update_13_7(x[-3 * d], x[-d], x[d], x[3 * d]);
  }
};
struct Wavelet9_7 {
  static constexpr int kSteps = 4, kReach = 1;
  template <int kStep>
  static __device__ __forceinline__ int added(const int16_t* x, int d) {
    if constexpr (kStep == 1) return predict_9_7_first(x[-d], x[d]);
    if constexpr (kStep == 2) return update_9_7_first(x[-d], x[d]);
    if constexpr (kStep == 3) return predict_9_7_second(x[-d], x[d]);
    return update_9_7_second(x[-d], x[d]);
  }
};

template <class Lifting, int kRowsOfThreads>
struct Blocked : Lifting {
  static constexpr int kY = kRowsOfThreads;
};

template <class Wavelet>
struct Tile {
  static constexpr int kBorder = Wavelet::kSteps * Wavelet::kReach;
  static constexpr int kRows = kTileRows + 2 * kBorder;
  static constexpr int kCols = kTileCols + 2 * kBorder;
  static constexpr int kStride = kCols + 2;
  int16_t data[kRows][kStride];  // local (r, c) is sample (row0 - kBorder + r, col0 - kBorder + c)
};

// In every row of [r0, r1): column c0, c0 + 2, ... < c1 gets sign * step.
template <class Wavelet, int kStep, int kSign>
__device__ __forceinline__ void lift_rows(Tile<Wavelet>& tile, int r0, int r1, int c0, int c1) {
  for (int r = r0 + static_cast<int>(threadIdx.y); r < r1; r += Wavelet::kY) {
    for (int c = c0 + 2 * static_cast<int>(threadIdx.x); c < c1; c += 2 * kThreadsX) {
      int16_t* x = &tile.data[r][c];
      *x = static_cast<int16_t>(*x + kSign * Wavelet::template added<kStep>(x, 1));
    }
  }
  __syncthreads();
}

// In every column of [c0, c1): row r0, r0 + 2, ... < r1.
template <class Wavelet, int kStep, int kSign>
__device__ __forceinline__ void lift_columns(Tile<Wavelet>& tile, int r0, int r1, int c0, int c1) {
  for (int r = r0 + 2 * static_cast<int>(threadIdx.y); r < r1; r += 2 * Wavelet::kY) {
    for (int c = c0 + static_cast<int>(threadIdx.x); c < c1; c += kThreadsX) {
      int16_t* x = &tile.data[r][c];
      *x = static_cast<int16_t>(*x + kSign * Wavelet::template added<kStep>(x, Tile<Wavelet>::kStride));
    }
  }
  __syncthreads();
}

// All steps from kStep on, forward: each on what the later ones need. kBorder and the tiles' origins are
// even, so odd local positions are odd samples, and every first position below has its step's parity.
template <class Wavelet, int kStep = 1>
__device__ __forceinline__ void forward_steps(Tile<Wavelet>& tile, bool rows) {
  constexpr int kBorder = Tile<Wavelet>::kBorder;
  constexpr int kMargin = (Wavelet::kSteps - kStep) * Wavelet::kReach;
  constexpr int kFirst = kBorder - kMargin;
  if (rows) {
    lift_rows<Wavelet, kStep, 1>(tile, 0, Tile<Wavelet>::kRows, kFirst, kBorder + kTileCols + kMargin);
  } else {
    lift_columns<Wavelet, kStep, 1>(tile, kFirst, kBorder + kTileRows + kMargin, kBorder,
                                    kBorder + kTileCols);
  }
  if constexpr (kStep < Wavelet::kSteps) forward_steps<Wavelet, kStep + 1>(tile, rows);
}

// All steps from kStep down.
template <class Wavelet, int kStep = Wavelet::kSteps>
__device__ __forceinline__ void inverse_steps(Tile<Wavelet>& tile, bool rows) {
  constexpr int kBorder = Tile<Wavelet>::kBorder;
  constexpr int kMargin = (kStep - 1) * Wavelet::kReach;
  constexpr int kFirst = kBorder + 1 - kMargin;
  if (rows) {
    lift_rows<Wavelet, kStep, -1>(tile, kBorder, kBorder + kTileRows, kFirst, kBorder + kTileCols + kMargin);
  } else {
    lift_columns<Wavelet, kStep, -1>(tile, kFirst, kBorder + kTileRows + kMargin, 0, Tile<Wavelet>::kCols);
  }
  if constexpr (kStep > 1) inverse_steps<Wavelet, kStep - 1>(tile, rows);
}

template <class Wavelet>
__global__ void __launch_bounds__(kThreadsX* Wavelet::kY)
    wavelet_forward_kernel(const __grid_constant__ WaveletLevel level,
                           const __grid_constant__ PlaneSource source) {
  constexpr int kBorder = Tile<Wavelet>::kBorder;
  __shared__ Tile<Wavelet> tile;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  constexpr int kColumns = (Tile<Wavelet>::kCols + kThreadsX - 1) / kThreadsX;  // of a thread
  int columns[kColumns];
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    columns[i] = mirror(col0 - kBorder + static_cast<int>(threadIdx.x) + i * kThreadsX, level.cols);
  }
  for (int r = static_cast<int>(threadIdx.y); r < tile.kRows; r += Wavelet::kY) {
    const int row = mirror(row0 - kBorder + r, level.rows);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const int c = static_cast<int>(threadIdx.x) + i * kThreadsX;
      if (c < tile.kCols) tile.data[r][c] = source.at(row, columns[i]);
    }
  }
  __syncthreads();
  forward_steps<Wavelet>(tile, true);
  forward_steps<Wavelet>(tile, false);

  const int rows = level.rows / 2;
  const int cols = level.cols / 2;
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const WaveletBand& band = level.bands[b];
    for (int r = static_cast<int>(threadIdx.y); r < kTileRows / 2; r += Wavelet::kY) {
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

template <class Wavelet>
__global__ void __launch_bounds__(kThreadsX* Wavelet::kY)
    wavelet_inverse_kernel(const __grid_constant__ WaveletLevel level,
                           const __grid_constant__ PlaneTarget target) {
  constexpr int kBorder = Tile<Wavelet>::kBorder;
  __shared__ Tile<Wavelet> tile;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  const int cols = level.cols / 2;
  // Mirroring keeps parity (the extents are even), so whole half-rows come from one band.
  constexpr int kColumns =
      (Tile<Wavelet>::kCols + 2 * kThreadsX - 1) / (2 * kThreadsX);  // of a thread and parity
  int columns[kColumns][2];
#pragma unroll
  for (int i = 0; i < 2 * kColumns; ++i) {
    const int c = 2 * (static_cast<int>(threadIdx.x) + i / 2 * kThreadsX) + i % 2;
    columns[i / 2][i % 2] = mirror(col0 - kBorder + c, level.cols) >> 1;
  }
  for (int r = static_cast<int>(threadIdx.y); r < tile.kRows; r += Wavelet::kY) {
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
  inverse_steps<Wavelet>(tile, false);
  inverse_steps<Wavelet>(tile, true);
  for (int r = static_cast<int>(threadIdx.y); r < kTileRows; r += Wavelet::kY) {
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

/// launch(wavelet, threads) with the kind's type and the block for so many tiles.
template <typename Launch>
void with_wavelet(Pyramid kind, dim3 grid, Launch launch) {
  const auto with_block = [&]<class Lifting>(Lifting) {
    if (grid.x * grid.y <= kFewTiles) {
      launch(Blocked<Lifting, kMostThreadsY>{}, dim3(kThreadsX, kMostThreadsY));
    } else {
      launch(Blocked<Lifting, kThreadsY>{}, dim3(kThreadsX, kThreadsY));
    }
  };
  if (kind == Pyramid::kWavelet5_3) {
    with_block(Wavelet5_3{});
  } else if (kind == Pyramid::kWavelet13_7) {
    with_block(Wavelet13_7{});
  } else {
    with_block(Wavelet9_7{});
  }
}

}  // namespace

Status wavelet_forward(Device& device, Pyramid kind, const WaveletLevel& level, const PlaneSource& source) {
  const dim3 grid = tiles(level);
  with_wavelet(kind, grid, [&]<class Wavelet>(Wavelet, dim3 threads) {
    wavelet_forward_kernel<Wavelet><<<grid, threads, 0, device.stream()>>>(level, source);
  });
  return device.launched("wavelet_forward_kernel");
}

Status wavelet_inverse(Device& device, Pyramid kind, const WaveletLevel& level, const PlaneTarget& target) {
  const dim3 grid = tiles(level);
  with_wavelet(kind, grid, [&]<class Wavelet>(Wavelet, dim3 threads) {
    wavelet_inverse_kernel<Wavelet><<<grid, threads, 0, device.stream()>>>(level, target);
  });
  return device.launched("wavelet_inverse_kernel");
}

}  // namespace ctv::cuda

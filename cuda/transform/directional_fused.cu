// SPDX-License-Identifier: BSD-3-Clause
// The directional bank with two taps and its quantiser in one launch.
//
// With two taps a shear reads four neighbours: left + right - up - down (tree level 1), or the diagonal ones
// (level 2). With one launch per shear, the bank of four directions is six passes over device memory, and a
// seventh quantises. Here a block of threads takes a tile of 32x64 samples with a border of one sample per
// shear into shared memory (periodic), does all shears there, in place, each on a region one sample smaller
// than the last, and quantises on output. The inverse dequantises on input.
#include "codec/dsp/directional.hpp"
#include "codec/dsp/mirror.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/directional_fused.hpp"

namespace ctv::cuda {
namespace {

constexpr int kTileRows = 32;
constexpr int kTileCols = 64;
constexpr int kThreadsX = 32;
constexpr int kThreadsY = 8;

// kDepth: tree levels, 1 or 2.
template <int kDepth>
struct Tile {
  static constexpr int kBorder = 3 * kDepth;
  static constexpr int kRows = kTileRows + 2 * kBorder;
  static constexpr int kCols = kTileCols + 2 * kBorder;
  int16_t data[kRows][kCols + 2];  // local (r, c) is sample (row0 - kBorder + r, col0 - kBorder + c)
};

// Arguments of the kernels besides the level: the direction of each phase of 2x2 samples.
struct FusedLevel {
  int rows, cols;             // of a band
  int direction_of_phase[4];  // kDepth 2
};

template <bool kSine, int kSign>
__device__ __forceinline__ int16_t sheared(int x, int difference) {
  constexpr int kProduct = 32 * 32;  // of the taps
  const int sum = kProduct * difference;
  return static_cast<int16_t>(x + kSign * (kSine ? shear_sin(sum) : shear_tan(sum)));
}

// One shear of coset kTarget on the samples at least `margin` from the tile's edge.
template <int kDepth, int kLevel, int kTarget, int kSign>
__device__ __forceinline__ void shear(Tile<kDepth>& tile, int margin) {
  constexpr bool kSine = kTarget == 1;
  if constexpr (kLevel == 1) {
    // Local parity equals that of the plane: the border is the same in rows and columns.
    for (int r = margin + static_cast<int>(threadIdx.y); r < tile.kRows - margin; r += kThreadsY) {
      for (int c = 2 * static_cast<int>(threadIdx.x) + ((r + kTarget) & 1); c < tile.kCols - margin;
           c += 2 * kThreadsX) {
        if (c < margin) continue;
        int16_t& x = tile.data[r][c];
        x = sheared<kSine, kSign>(
            x, tile.data[r][c - 1] + tile.data[r][c + 1] - tile.data[r - 1][c] - tile.data[r + 1][c]);
      }
    }
  } else {
    // Rows of one parity; the border is even.
    const int first = margin + ((margin + kTarget) & 1);
    for (int r = first + 2 * static_cast<int>(threadIdx.y); r < tile.kRows - margin; r += 2 * kThreadsY) {
      for (int c = margin + static_cast<int>(threadIdx.x); c < tile.kCols - margin; c += kThreadsX) {
        int16_t& x = tile.data[r][c];
        x = sheared<kSine, kSign>(x, tile.data[r + 1][c + 1] + tile.data[r - 1][c - 1] -
                                         tile.data[r + 1][c - 1] - tile.data[r - 1][c + 1]);
      }
    }
  }
  __syncthreads();
}

// The three shears of a tree level, the first on samples `margin` from the tile's edge. kSign: 1 forward, -1
// inverse.
template <int kDepth, int kLevel, int kSign>
__device__ __forceinline__ void split(Tile<kDepth>& tile, int margin) {
  shear<kDepth, kLevel, 0, -kSign>(tile, margin);
  shear<kDepth, kLevel, 1, kSign>(tile, margin + 1);
  shear<kDepth, kLevel, 0, -kSign>(tile, margin + 2);
}

template <int kDepth>
__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    directional_quantise_kernel(const __grid_constant__ GatheredScale level,
                                const __grid_constant__ LevelQuantisers quantisers,
                                const __grid_constant__ FusedLevel fused, const Coefficient* bands,
                                Level* levels) {
  constexpr int kBorder = Tile<kDepth>::kBorder;
  constexpr int kDirections = 1 << kDepth;
  __shared__ Tile<kDepth> tile;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  pdl_begin();
  const Coefficient* band = bands + static_cast<ptrdiff_t>(blockIdx.z) * fused.rows * fused.cols;
  for (int r = static_cast<int>(threadIdx.y); r < tile.kRows; r += kThreadsY) {
    const Coefficient* line =
        band + static_cast<ptrdiff_t>(wrap(row0 - kBorder + r, fused.rows)) * fused.cols;
    for (int c = static_cast<int>(threadIdx.x); c < tile.kCols; c += kThreadsX) {
      tile.data[r][c] = line[wrap(col0 - kBorder + c, fused.cols)];
    }
  }
  __syncthreads();
  split<kDepth, 1, 1>(tile, 1);
  if constexpr (kDepth == 2) split<kDepth, 2, 1>(tile, 4);

#pragma unroll
  for (int k = 0; k < kDirections; ++k) {
    const int index = static_cast<int>(blockIdx.z) * kDirections + k;
    const GatheredSubband& s = level.subbands[index];
    const SubbandQuantiser& q = quantisers.of[index];
    constexpr int kRowStep = kDepth == 1 ? 1 : 2;
    const int j = static_cast<int>(threadIdx.x);
    const int col = col0 / 2 + j;
    for (int i = static_cast<int>(threadIdx.y); i < kTileRows / kRowStep; i += kThreadsY) {
      const int row = row0 / kRowStep + i;
      if (row >= s.rows || col >= s.cols) continue;
      const int local_row = kDepth == 1 ? i : s.row + 2 * i;
      const int local_col = 2 * j + (kDepth == 1 ? s.col ^ (i & 1) : s.col);
      levels[s.offset + row * s.cols + col] =
          quantise(tile.data[kBorder + local_row][kBorder + local_col], q.multiplier, q.rounding_offset);
    }
  }
}

template <int kDepth>
__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    dequantise_directional_kernel(const __grid_constant__ GatheredScale level,
                                  const __grid_constant__ LevelQuantisers quantisers,
                                  const __grid_constant__ FusedLevel fused, const Level* levels,
                                  Coefficient* bands) {
  constexpr int kBorder = Tile<kDepth>::kBorder;
  constexpr int kDirections = 1 << kDepth;
  __shared__ Tile<kDepth> tile;
  const int row0 = static_cast<int>(blockIdx.y) * kTileRows;
  const int col0 = static_cast<int>(blockIdx.x) * kTileCols;
  pdl_begin();
  for (int r = static_cast<int>(threadIdx.y); r < tile.kRows; r += kThreadsY) {
    const int row = wrap(row0 - kBorder + r, fused.rows);
    for (int c = static_cast<int>(threadIdx.x); c < tile.kCols; c += kThreadsX) {
      const int col = wrap(col0 - kBorder + c, fused.cols);
      const int k = kDepth == 1 ? (row + col) & 1 : fused.direction_of_phase[(row & 1) * 2 + (col & 1)];
      const int index = static_cast<int>(blockIdx.z) * kDirections + k;
      const GatheredSubband& s = level.subbands[index];
      const SubbandQuantiser& q = quantisers.of[index];
      const Level x = levels[s.offset + (kDepth == 1 ? row : row >> 1) * s.cols + (col >> 1)];
      tile.data[r][c] = dequantise(x, q.step, q.reconstruction_offset);
    }
  }
  __syncthreads();
  if constexpr (kDepth == 2) split<kDepth, 2, -1>(tile, 1);
  split<kDepth, 1, -1>(tile, kBorder - 2);
  Coefficient* band = bands + static_cast<ptrdiff_t>(blockIdx.z) * fused.rows * fused.cols;
  for (int r = static_cast<int>(threadIdx.y); r < kTileRows; r += kThreadsY) {
    if (row0 + r >= fused.rows) break;
    for (int c = static_cast<int>(threadIdx.x); c < kTileCols; c += kThreadsX) {
      if (col0 + c < fused.cols) {
        band[static_cast<ptrdiff_t>(row0 + r) * fused.cols + col0 + c] = tile.data[kBorder + r][kBorder + c];
      }
    }
  }
}

FusedLevel fused_level(const DirectionalPlan& plan, const Bands& bands) {
  FusedLevel fused{bands.rows, bands.cols, {}};
  for (size_t k = 0; k < plan.leaves.size(); ++k) {
    fused.direction_of_phase[plan.leaves[k].row * 2 + plan.leaves[k].col] = static_cast<int>(k);
  }
  return fused;
}

dim3 tiles(const Bands& bands) {
  return {blocks_for(bands.cols, kTileCols), blocks_for(bands.rows, kTileRows),
          static_cast<unsigned>(bands.count)};
}

}  // namespace

bool fuses_directions(int directions_log2, int taps) {
  return taps == 2 && (directions_log2 == 1 || directions_log2 == 2);
}

Status directional_quantise(Device& device, const GatheredScale& level, const DirectionalPlan& plan,
                            std::span<const SubbandQuantiser> quantisers, const Bands& bands, Level* levels) {
  const dim3 threads(kThreadsX, kThreadsY);
  const FusedLevel fused = fused_level(plan, bands);
  if (plan.directions_log2 == 1) {
    launch_single_frame(device, device.stream(), directional_quantise_kernel<1>, tiles(bands), threads, level,
                        as_parameter(quantisers), fused, bands.data, levels);
  } else {
    launch_single_frame(device, device.stream(), directional_quantise_kernel<2>, tiles(bands), threads, level,
                        as_parameter(quantisers), fused, bands.data, levels);
  }
  return device.launched("directional_quantise_kernel");
}

Status dequantise_directional(Device& device, const GatheredScale& level, const DirectionalPlan& plan,
                              std::span<const SubbandQuantiser> quantisers, const Level* levels,
                              const Bands& bands) {
  const dim3 threads(kThreadsX, kThreadsY);
  const FusedLevel fused = fused_level(plan, bands);
  if (plan.directions_log2 == 1) {
    launch_single_frame(device, device.stream(), dequantise_directional_kernel<1>, tiles(bands), threads,
                        level, as_parameter(quantisers), fused, levels, bands.data);
  } else {
    launch_single_frame(device, device.stream(), dequantise_directional_kernel<2>, tiles(bands), threads,
                        level, as_parameter(quantisers), fused, levels, bands.data);
  }
  return device.launched("dequantise_directional_kernel");
}

}  // namespace ctv::cuda

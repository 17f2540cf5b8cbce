// SPDX-License-Identifier: BSD-3-Clause
// The 9/7 of a tile in shared memory, vertically along slopes (directional lifting). Slopes differ between
// blocks, so a thread cannot keep a run of samples in registers as in wavelet.cu: each step is a pass over
// the tile. Only samples of the plane are lifted, and neighbours beyond its border are mirrored when they are
// read: lifting the mirrored samples would need mirrored slopes.
#pragma once

#include "codec/dsp/lifting.hpp"
#include "codec/format/slope_grid.hpp"
#include "cuda/runtime/mirrored.cuh"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {

constexpr int kSlopeTileRows = 32;  // samples that a tile computes
constexpr int kSlopeTileCols = 64;
constexpr int kSlopeThreads = 256;

struct SlopeTile {
  static constexpr int kSteps = 4;
  static constexpr int kRowBorder = kSteps;
  static constexpr int kColBorder = kSteps + kSlopeReach * kSteps;
  static constexpr int kRows = kSlopeTileRows + 2 * kRowBorder;
  static constexpr int kCols = kSlopeTileCols + 2 * kColBorder;
  static constexpr int kBlockRows = kRows / (1 << kLog2SlopeBlock) + 2;
  static constexpr int kBlockCols = kCols / (1 << kLog2SlopeBlock) + 2;

  int16_t samples[kRows][kCols];
  int8_t slopes[kBlockRows][kBlockCols];
};

template <int kStep>
__device__ __forceinline__ int lifted_9_7(int a, int b) {
  if constexpr (kStep == 1) return predict_9_7_first(a, b);
  if constexpr (kStep == 2) return update_9_7_first(a, b);
  if constexpr (kStep == 3) return predict_9_7_second(a, b);
  return update_9_7_second(a, b);
}

/// The work of a block of threads on a tile whose first sample is (row0, col0) of a plane of rows x cols.
class SlopeTileWork {
 public:
  __device__ SlopeTileWork(SlopeTile& tile, int rows, int cols)
      : tile_(tile),
        rows_(rows),
        cols_(cols),
        row0_(static_cast<int>(blockIdx.y) * kSlopeTileRows),
        col0_(static_cast<int>(blockIdx.x) * kSlopeTileCols) {}

  __device__ int row0() const { return row0_; }
  __device__ int col0() const { return col0_; }
  __device__ int16_t& at(int row, int col) const {
    return tile_.samples[row - row0_ + SlopeTile::kRowBorder][col - col0_ + SlopeTile::kColBorder];
  }

  /// Calls body(row, col) for the samples of the tile and its borders that lie in the plane.
  template <int kRowBorder, int kColBorder, class Body>
  __device__ __forceinline__ void for_samples(Body body) const {
    constexpr int kWidth = kSlopeTileCols + 2 * kColBorder;
    constexpr int kSize = (kSlopeTileRows + 2 * kRowBorder) * kWidth;
    for (int i = thread_x(); i < kSize; i += kSlopeThreads) {
      const int row = row0_ - kRowBorder + i / kWidth;
      const int col = col0_ - kColBorder + i % kWidth;
      if (row >= 0 && row < rows_ && col >= 0 && col < cols_) body(row, col);
    }
  }

  /// Sets the slopes of the tile. slope_at(block row, block column).
  template <class SlopeAt>
  __device__ __forceinline__ void load_slopes(SlopeAt slope_at) const {
    const int last_row = (rows_ - 1) >> kLog2SlopeBlock;
    const int last_col = (cols_ - 1) >> kLog2SlopeBlock;
    for (int i = thread_x(); i < SlopeTile::kBlockRows * SlopeTile::kBlockCols; i += kSlopeThreads) {
      const int row = i / SlopeTile::kBlockCols;
      const int col = i % SlopeTile::kBlockCols;
      tile_.slopes[row][col] =
          static_cast<int8_t>(slope_at(min_of(first_block(row0_, SlopeTile::kRowBorder) + row, last_row),
                                       min_of(first_block(col0_, SlopeTile::kColBorder) + col, last_col)));
    }
  }

  /// Lifts a loaded tile, including its border. Called by all threads; ends with a barrier.
  __device__ __forceinline__ void forward() const {
    vertical<1, 1, 3, 4 + 3 * kSlopeReach>();
    vertical<2, 1, 2, 4 + 2 * kSlopeReach>();
    vertical<3, 1, 1, 4 + kSlopeReach>();
    vertical<4, 1, 0, 4>();
    horizontal<1, 1, 0, 3>();
    horizontal<2, 1, 0, 2>();
    horizontal<3, 1, 0, 1>();
    horizontal<4, 1, 0, 0>();
  }
  __device__ __forceinline__ void inverse() const {
    horizontal<4, -1, 4, 4 * kSlopeReach + 3>();
    horizontal<3, -1, 4, 4 * kSlopeReach + 2>();
    horizontal<2, -1, 4, 4 * kSlopeReach + 1>();
    horizontal<1, -1, 4, 4 * kSlopeReach>();
    vertical<4, -1, 3, 3 * kSlopeReach>();
    vertical<3, -1, 2, 2 * kSlopeReach>();
    vertical<2, -1, 1, kSlopeReach>();
    vertical<1, -1, 0, 0>();
  }

 private:
  /// The interpolated value at a half column, mirrored at the borders.
  __device__ __forceinline__ int between(int row, int half_column) const {
    row = mirrored<1>(row, rows_);
    const int col = half_column >> 1;
    const auto x = [&](int k) { return at(row, mirrored<kSlopeReach>(col + k, cols_)); };
    return half_column % 2 == 0 ? x(0) : half_sample(x(-2), x(-1), x(0), x(1), x(2), x(3));
  }
  static __device__ int first_block(int first, int border) {
    return max_of(first - border, 0) >> kLog2SlopeBlock;
  }
  template <int kStep, int kSign>
  static __device__ __forceinline__ void add(int16_t& x, int a, int b) {
    x = static_cast<int16_t>(x + kSign * lifted_9_7<kStep>(a, b));
  }
  template <int kStep, int kSign, int kRowBorder, int kColBorder>
  __device__ __forceinline__ void vertical() const {
    const int block_row = first_block(row0_, SlopeTile::kRowBorder);
    const int block_col = first_block(col0_, SlopeTile::kColBorder);
    __syncthreads();
    for_samples<kRowBorder, kColBorder>([&](int row, int col) {
      if ((row & 1) != (kStep & 1)) return;
      const int lean = half_columns(
          tile_.slopes[(row >> kLog2SlopeBlock) - block_row][(col >> kLog2SlopeBlock) - block_col]);
      add<kStep, kSign>(at(row, col), between(row - 1, 2 * col - lean), between(row + 1, 2 * col + lean));
    });
  }
  template <int kStep, int kSign, int kRowBorder, int kColBorder>
  __device__ __forceinline__ void horizontal() const {
    __syncthreads();
    for_samples<kRowBorder, kColBorder>([&](int row, int col) {
      if ((col & 1) != (kStep & 1)) return;
      add<kStep, kSign>(at(row, col), at(row, mirrored<1>(col - 1, cols_)),
                        at(row, mirrored<1>(col + 1, cols_)));
    });
  }

  SlopeTile& tile_;
  const int rows_, cols_, row0_, col0_;
};

}  // namespace ctv::cuda

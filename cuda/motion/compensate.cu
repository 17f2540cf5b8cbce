// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping cells. By definition each sample is a weighted
// mean of four predictions of 64 products each. Between the centres of four neighbouring cells, in a piece,
// the same four vectors hold everywhere. A warp takes 8x8 samples, one piece or several smaller ones, and
// follows each vector that is different once for all of them (predict.cuh). Pieces with less than four
// samples on a side take a thread a sample.
#include "cuda/motion/compensate.hpp"

#include "cuda/motion/predict.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;   // of a block of threads
constexpr int kRegion = 8;  // samples on a side of what a warp takes
constexpr int kTaps = kInterpolationTaps;

struct Cells {
  const MotionVector* vectors;
  const uint8_t* skips;  // or null
  CompensationGeometry g;

  /// Whether a cell's samples take its own vector alone.
  __device__ __forceinline__ bool alone(int cell) const {
    return !g.overlap || (skips != nullptr && skips[cell] != 0);
  }
  __device__ __forceinline__ BlockPair row_pair(int sample) const {
    return block_pair(max_of(sample, 0), g.row_shift, kLog2Cell, g.grid.rows);
  }
  __device__ __forceinline__ BlockPair col_pair(int sample) const {
    return block_pair(max_of(sample, 0), g.col_shift, kLog2Cell, g.grid.cols);
  }
};

// Of the second cell of a pair, in 32nds, at sample i of a piece.
template <int kSize>
__device__ __forceinline__ int weight_at(int i) {
  return overlap_weight(kSize == 8 ? 3 : 2, i);
}

// kRows, kCols: of a piece. The first piece begins half a piece before the plane. across: regions in a row.
template <int kRows, int kCols>
__global__ void __launch_bounds__(kWarp* kWarps)
    compensate_pieces_kernel(PlaneView<const Sample> reference, const __grid_constant__ Cells cells,
                             int region_rows, int across, PlaneView<Sample> prediction) {
  follow();
  __shared__ Piece<kRegion, kRegion> memory[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int index = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (index >= region_rows * across) return;  // whole warps
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int top = index / across * kRegion - kRows / 2;
  const int left = index % across * kRegion - kCols / 2;

  // The vectors of the four cells around the lane's piece: upper left, upper right, lower left, lower right.
  // Its samples lie in one quarter of the piece, thus in one cell.
  const int row = strip_row<kRegion>(lane);
  const int col = strip_col<kRegion>(lane);
  const BlockPair rows = cells.row_pair(top + row / kRows * kRows);
  const BlockPair cols = cells.col_pair(left + col / kCols * kCols);
  const auto cell_at = [&](bool lower, bool right) {
    return (lower ? rows.second : rows.first) * cells.g.grid.cols + (right ? cols.second : cols.first);
  };
  const int own = cell_at(row % kRows >= kRows / 2, col % kCols >= kCols / 2);
  const bool alone = cells.alone(own);
  uint32_t vectors[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const MotionVector v = cells.vectors[alone ? own : cell_at((i & 2) != 0, (i & 1) != 0)];
    vectors[i] = pair_of(v.y, v.x);
  }

  const int right = weight_at<kCols>(col % kCols);
  int sums[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) sums[k] = 512;
  for (uint32_t left_out = 15;;) {  // bit i: vector i of the lane has not been followed
    const uint32_t lanes = __ballot_sync(kAllLanes, left_out != 0);
    if (lanes == 0) break;
    uint32_t word = vectors[3];
#pragma unroll
    for (int i = 2; i >= 0; --i) word = (left_out >> i & 1U) != 0 ? vectors[i] : word;
    word = __shfl_sync(kAllLanes, word, __ffs(static_cast<int>(lanes)) - 1);
    const MotionVector v{static_cast<int16_t>(first_of(word)), static_cast<int16_t>(second_of(word))};
    int values[kStrip];
    predict(reference, {cells.g.row_shift, cells.g.col_shift}, v, top, left, lane, memory[warp], values);
    // The weights along the row of the equal vectors above, and of those below.
    const int above = (vectors[0] == word ? 32 - right : 0) + (vectors[1] == word ? right : 0);
    const int below = (vectors[2] == word ? 32 - right : 0) + (vectors[3] == word ? right : 0);
#pragma unroll
    for (int k = 0; k < kStrip; ++k) {
      const int lower = weight_at<kRows>(row % kRows + k);
      sums[k] += ((32 - lower) * above + lower * below) * values[k];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) left_out &= vectors[i] == word ? ~(1U << i) : ~0U;
  }
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    const int r = top + row + k;
    const int c = left + col;
    if (r >= 0 && c >= 0 && r < prediction.rows && c < prediction.cols)
      prediction.row(r)[c] = static_cast<Sample>(sums[k] >> 10);
  }
}

// Sample (r, c) of the reference moved by v.
__device__ __forceinline__ int predicted(const PlaneView<const Sample>& reference, ChromaShift shift,
                                         MotionVector v, int r, int c) {
  const Displacement dy = displacement(v.y, shift.y);
  const Displacement dx = displacement(v.x, shift.x);
  r += dy.whole;
  c += dx.whole;
  if (dx.eighth == 0 && dy.eighth == 0) return clamped(reference, r, c);
  const PackedTaps row_taps = packed_taps(dx.eighth);
  const PackedTaps col_taps = packed_taps(dy.eighth);
  int sum = 0;
#pragma unroll 1
  for (int y = 0; y < kTaps; ++y) {
    int along_row = 0;
#pragma unroll
    for (int x = 0; x < kTaps; ++x) {
      along_row += tap_weight(row_taps, x) *
                   clamped(reference, r + y - kInterpolationBefore, c + x - kInterpolationBefore);
    }
    sum += tap_weight(col_taps, y) * along_row;
  }
  return round_interpolated(sum);
}

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

// Small pieces: decoders at reduced resolutions.
__global__ void __launch_bounds__(kBlockX* kBlockY)
    compensate_samples_kernel(PlaneView<const Sample> reference, const __grid_constant__ Cells cells,
                              PlaneView<Sample> prediction) {
  follow();
  const int r = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlockX + threadIdx.x);
  if (r >= prediction.rows || c >= prediction.cols) return;
  const CompensationGeometry& g = cells.g;
  BlockPair rows = cells.row_pair(r);
  BlockPair cols = cells.col_pair(c);
  const int row = block_of(r, g.row_shift, kLog2Cell, g.grid.rows);
  const int col = block_of(c, g.col_shift, kLog2Cell, g.grid.cols);
  if (cells.alone(row * g.grid.cols + col)) {
    rows = {row, row, 0};
    cols = {col, col, 0};
  }
  int sum = 512;
  int value = 0;
  MotionVector known;  // what value belongs to
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    const bool lower = (i & 2) != 0;
    const bool right = (i & 1) != 0;
    const int weight = (lower ? rows.weight : 32 - rows.weight) * (right ? cols.weight : 32 - cols.weight);
    if (weight == 0) continue;  // never the first
    const MotionVector v =
        cells.vectors[(lower ? rows.second : rows.first) * g.grid.cols + (right ? cols.second : cols.first)];
    if (i == 0 || !same_vector(v, known)) value = predicted(reference, {g.row_shift, g.col_shift}, v, r, c);
    known = v;
    sum += weight * value;
  }
  prediction.row(r)[c] = static_cast<Sample>(sum >> 10);
}

}  // namespace

Status compensate_plane(Device& device, PlaneView<const Sample> reference, const ConstSideInfo& side,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const Cells cells{side.vectors, side.skips, geometry};
  const auto launch = [&]<int kRows, int kCols>() {
    const int rows = ceil_div(prediction.rows + kRows / 2, kRegion);
    const int across = ceil_div(prediction.cols + kCols / 2, kRegion);
    launch_kernel(device, compensate_pieces_kernel<kRows, kCols>, blocks_for(rows * across, kWarps),
                  kWarp * kWarps, 0, reference, cells, rows, across, prediction);
  };
  if (geometry.row_shift == 0 && geometry.col_shift == 0) {
    launch.template operator()<8, 8>();
  } else if (geometry.row_shift == 0 && geometry.col_shift == 1) {
    launch.template operator()<8, 4>();
  } else if (geometry.row_shift == 1 && geometry.col_shift == 1) {
    launch.template operator()<4, 4>();
  } else {
    const dim3 blocks(blocks_for(prediction.cols, kBlockX), blocks_for(prediction.rows, kBlockY));
    launch_kernel(device, compensate_samples_kernel, blocks, dim3(kBlockX, kBlockY), 0, reference, cells,
                  prediction);
  }
  return device.launched("compensate_kernel");
}

}  // namespace ctv::cuda

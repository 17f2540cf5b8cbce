// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping cells. By definition each sample is a weighted
// mean of four predictions of 64 products each. Between the centres of four neighbouring cells the same four
// vectors hold everywhere, so a group of lanes takes such a piece and follows equal vectors once
// (predict.cuh). A warp takes 8x8 samples: one piece, or several smaller ones, together where all their
// vectors are equal. Pieces with less than four samples on a side take a thread a sample.
#include "cuda/motion/compensate.hpp"

#include "cuda/motion/predict.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

// Warps of a block of threads: fewer where pieces are small, since their warps end at different times.
template <int kCols>
constexpr int kWarps = kCols == 8 ? 4 : 2;
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

// Of the second cell of a pair, in 32nds, at sample i of a piece. alone: the sample's cell is the only one.
template <int kSize>
__device__ __forceinline__ int weight_at(int i, bool alone) {
  if (alone) return i < kSize / 2 ? 0 : 32;
  return overlap_weight(kSize == 8 ? 3 : 2, i);
}

template <int kCols>
__device__ __forceinline__ void write(const PlaneView<Sample>& prediction, int top, int left, int lane,
                                      const int (&values)[kStrip]) {
  const int c = left + strip_col<kCols>(lane);
#pragma unroll
  for (int k = 0; k < kStrip; ++k) {
    const int r = top + strip_row<kCols>(lane) + k;
    if (r >= 0 && c >= 0 && r < prediction.rows && c < prediction.cols)
      prediction.row(r)[c] = static_cast<Sample>(values[k]);
  }
}

// kRows, kCols: of a piece. The first piece begins half a piece before the plane. across: regions in a row.
template <int kRows, int kCols>
__global__ void __launch_bounds__(kWarp* kWarps<kCols>)
    compensate_pieces_kernel(PlaneView<const Sample> reference, const __grid_constant__ Cells cells,
                             int region_rows, int across, PlaneView<Sample> prediction) {
  follow();
  using Own = Piece<kRows, kCols>;
  constexpr int kPieces = kWarp / Own::kLanes;
  union Memory {
    Own pieces[kPieces];
    Piece<kRegion, kRegion> whole;
  };
  __shared__ Memory memory[kWarps<kCols>];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int index = static_cast<int>(blockIdx.x) * kWarps<kCols> + warp;
  if (index >= region_rows * across) return;  // whole warps
  const int warp_lane = static_cast<int>(threadIdx.x) % kWarp;
  const int group = warp_lane / Own::kLanes;
  const int lane = warp_lane % Own::kLanes;
  const int region_top = index / across * kRegion - kRows / 2;
  const int region_left = index % across * kRegion - kCols / 2;
  const int top = region_top + group / (kRegion / kCols) * kRows;
  const int left = region_left + group % (kRegion / kCols) * kCols;
  const ChromaShift shift{cells.g.row_shift, cells.g.col_shift};

  // Lane i of each four knows the vector of cell i: upper left, upper right, lower left, lower right.
  const BlockPair rows = cells.row_pair(top);
  const BlockPair cols = cells.col_pair(left);
  const auto cell_at = [&](bool lower, bool right) {
    return (lower ? rows.second : rows.first) * cells.g.grid.cols + (right ? cols.second : cols.first);
  };
  const MotionVector own = cells.vectors[cell_at((lane & 2) != 0, (lane & 1) != 0)];
  const uint32_t packed = pair_of(own.y, own.x);
  int values[kStrip];
  if constexpr (kPieces > 1) {
    if (__all_sync(kAllLanes, packed == __shfl_sync(kAllLanes, packed, 0)) != 0) {
      predict(reference, shift, own, region_top, region_left, warp_lane, memory[warp].whole, values);
      write<kRegion>(prediction, region_top, region_left, warp_lane, values);
      return;
    }
  }

  // A lane's samples lie in one quarter of the piece, thus in one cell.
  const int row = strip_row<kCols>(lane);
  const int col = strip_col<kCols>(lane);
  const bool alone = cells.alone(cell_at(row >= kRows / 2, col >= kCols / 2));
  const int right = weight_at<kCols>(col, alone);
  int sums[kStrip];
#pragma unroll
  for (int k = 0; k < kStrip; ++k) sums[k] = 512;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    const uint32_t word = __shfl_sync(kAllLanes, packed, i, Own::kLanes);
    uint32_t equal = __ballot_sync(kAllLanes, packed == word) >> (group * Own::kLanes) & 15U;
    if ((equal & ((1U << i) - 1)) != 0) equal = 0;  // has been followed; all lanes of the group alike
    if (__any_sync(kAllLanes, equal != 0) == 0) continue;
    const MotionVector v{static_cast<int16_t>(first_of(word)), static_cast<int16_t>(second_of(word))};
    predict(reference, shift, v, top, left, lane, memory[warp].pieces[group], values);
    // The weights along the row of the equal vectors above, and of those below.
    const int above = ((equal & 1U) != 0 ? 32 - right : 0) + ((equal & 2U) != 0 ? right : 0);
    const int below = ((equal & 4U) != 0 ? 32 - right : 0) + ((equal & 8U) != 0 ? right : 0);
#pragma unroll
    for (int k = 0; k < kStrip; ++k) {
      const int lower = weight_at<kRows>(row + k, alone);
      sums[k] += ((32 - lower) * above + lower * below) * values[k];
    }
  }
#pragma unroll
  for (int k = 0; k < kStrip; ++k) values[k] = sums[k] >> 10;
  write<kCols>(prediction, top, left, lane, values);
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
    launch_kernel(device, compensate_pieces_kernel<kRows, kCols>, blocks_for(rows * across, kWarps<kCols>),
                  kWarp * kWarps<kCols>, 0, reference, cells, rows, across, prediction);
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

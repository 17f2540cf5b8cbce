// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping cells. By definition each sample is a weighted
// mean of four predictions of 64 products each. Between the centres of four neighbouring cells, in a piece,
// the same four vectors apply everywhere. A warp processes a unit of several pieces (predict_unit.cuh) and
// predicts once with each distinct vector, since neighbours often share vectors. Pieces with less than four
// samples per side have a thread per sample.
#include "cuda/motion/compensate.hpp"

#include "cuda/motion/predict_unit.cuh"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // per block of threads
constexpr int kTaps = kInterpolationTaps;
constexpr int kWholeWeight = 1024;

struct Cells {
  const MotionVector* vectors;
  const uint8_t* skips;  // read only with overlap
  CompensationGeometry g;

  /// Whether a cell is predicted without overlap.
  __device__ __forceinline__ bool alone(int cell) const { return !g.overlap || skips[cell] != 0; }
  __device__ __forceinline__ BlockPair row_pair(int sample) const {
    return block_pair(max_of(sample, 0), g.row_shift, kLog2Cell, g.grid.rows);
  }
  __device__ __forceinline__ BlockPair col_pair(int sample) const {
    return block_pair(max_of(sample, 0), g.col_shift, kLog2Cell, g.grid.cols);
  }
};

// Weight of the second cell of a pair at sample i of a piece, in 32nds.
template <int kSize>
__device__ __forceinline__ constexpr int weight_at(int i) {
  return overlap_weight(kSize == 8 ? 3 : 2, i);
}

// Prevents the compiler from recomputing a value in a loop that uses it.
__device__ __forceinline__ void keep_in_register(uint32_t& value) { asm("" : "+r"(value)); }

// The four cells around a lane's piece, in rows, and their weights for the lane's samples, a column of the
// piece. The upper half of the column lies in a cell of the first row, the lower half in one of the second
// row.
template <int kRows>
struct CellColumn {
  static constexpr int kPairs = kRows / 2;
  static constexpr uint32_t kFlag = 1U << 28;  // in weights[i][0], times 2^i: flag of cell i
  uint32_t vectors[4];
  uint32_t weights[4][kPairs];  // for two samples each; the four cells' weights add up to 1
  uint32_t needed;              // mask of vectors

  // piece_row, piece_col: among all pieces of the plane. right: weight of the second column of cells.
  __device__ __forceinline__ CellColumn(const Cells& cells, int piece_row, int piece_col, int side,
                                        int right) {
    const MotionGrid& grid = cells.g.grid;
    const int rows[2] = {max_of(min_of(piece_row, grid.rows) - 1, 0), min_of(piece_row, grid.rows - 1)};
    const int cols[2] = {max_of(min_of(piece_col, grid.cols) - 1, 0), min_of(piece_col, grid.cols - 1)};
    bool alone[2];  // by row, for the cells on this side
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        const MotionVector v = cells.vectors[rows[r] * grid.cols + cols[s]];
        vectors[2 * r + s] = pair_of(v.y, v.x);
      }
      alone[r] = cells.alone(rows[r] * grid.cols + (side == 0 ? cols[0] : cols[1]));
    }
    needed = alone[0] && alone[1] ? 5U << side : 15U;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t across = static_cast<uint32_t>(i % 2 == 0 ? 32 - right : right);
#pragma unroll
      for (int k = 0; k < kPairs; ++k) {
        const uint32_t lower = weight_at<kRows>(2 * k) + (weight_at<kRows>(2 * k + 1) << 16);
        const uint32_t down = i / 2 == 0 ? 32 * 0x10001U - lower : lower;
        const int cell = k / (kPairs / 2);
        const uint32_t own = i / 2 == cell && i % 2 == side ? kWholeWeight * 0x10001U : 0U;
        weights[i][k] = (alone[cell] ? own : across * down) + (k == 0 ? kFlag << i : 0U);
        keep_in_register(weights[i][k]);
      }
    }
  }
  /// A vector of mask `left`; arbitrary if the mask is 0.
  __device__ __forceinline__ uint32_t any(uint32_t left) const {
    uint32_t word = vectors[3];
#pragma unroll
    for (int i = 2; i >= 0; --i) word = (left >> i & 1U) != 0 ? vectors[i] : word;
    return word;
  }
  /// Adds the column's samples, predicted with vectors equal to `word`, to `sums`, and removes these vectors
  /// from `left`.
  __device__ __forceinline__ void add(uint32_t word, const int (&values)[kRows], int (&sums)[kRows],
                                      uint32_t& left) const {
    uint32_t both[kPairs] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool equal = vectors[i] == word;
#pragma unroll
      for (int k = 0; k < kPairs; ++k) both[k] += equal ? weights[i][k] : 0;
    }
    left &= ~(both[0] / kFlag);
    both[0] %= kFlag;
#pragma unroll
    for (int k = 0; k < kPairs; ++k) {
      sums[2 * k] += static_cast<int>(both[k] & 0xFFFFU) * values[2 * k];
      sums[2 * k + 1] += static_cast<int>(both[k] >> 16) * values[2 * k + 1];
    }
  }
};

// kRows, kCols: of a piece. A unit has two rows of pieces; the first piece starts half a piece before the
// plane. across: units per row.
template <int kRows, int kCols>
__global__ void __launch_bounds__(kWarp* kWarps)
    compensate_pieces_kernel(PlaneView<const Sample> reference, const __grid_constant__ Cells cells,
                             int across, PlaneView<Sample> prediction) {
  pdl_begin();
  __shared__ UnitPatch<kRows> memory[kWarps];
  const int warp = thread_x() / kWarp;
  const int unit = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (unit >= across) return;  // the same for a whole warp
  const int lane = thread_x() % kWarp;
  const int top = static_cast<int>(blockIdx.y) * 2 * kRows - kRows / 2;
  const int left = unit * kUnitSide - kCols / 2;
  const int place = unit_col(lane) % kCols;  // column in the piece
  const CellColumn<kRows> column(cells, static_cast<int>(blockIdx.y) * 2 + unit_row<kRows>(lane) / kRows,
                                 unit * (kUnitSide / kCols) + unit_col(lane) / kCols,
                                 place < kCols / 2 ? 0 : 1, weight_at<kCols>(place));
  constexpr ChromaShift kShift{kRows == 8 ? 0 : 1, kCols == 8 ? 0 : 1};
  const int depth_shift = cells.g.range.shift();
  int sums[kRows];
#pragma unroll
  for (int k = 0; k < kRows; ++k) sums[k] = kWholeWeight / 2;
  for (uint32_t left_out = column.needed;;) {  // vectors that the lane has not used yet
    const uint32_t lanes = __ballot_sync(kAllLanes, left_out != 0);
    if (lanes == 0) break;
    const uint32_t word = __shfl_sync(kAllLanes, column.any(left_out), __ffs(static_cast<int>(lanes)) - 1);
    const MotionVector v{static_cast<int16_t>(first_of(word)), static_cast<int16_t>(second_of(word))};
    int values[kRows];
    predict_unit(reference, kShift, v, top, left, depth_shift, lane, memory[warp], values);
    column.add(word, values, sums, left_out);
  }
  const int row = top + unit_row<kRows>(lane);
  const int col = left + unit_col(lane);
  if (col < 0 || col >= prediction.cols) return;
  const int stride = static_cast<int>(prediction.stride);
  Sample* const to = prediction.data + (row * stride + col);
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    if (row + k >= 0 && row + k < prediction.rows)
      to[k * stride] = static_cast<Sample>(clamp_to(sums[k] >> 10, cells.g.range.lo, cells.g.range.hi));
  }
}

// Sample (r, c) of the reference, moved by v.
__device__ __forceinline__ int predicted(const PlaneView<const Sample>& reference, ChromaShift shift,
                                         MotionVector v, int r, int c, SampleRange range) {
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
    sum += tap_weight(col_taps, y) * (along_row >> range.shift());
  }
  const int value = round_interpolated(sum, range.shift());
  return range.shift() == 0 ? value : clamp_to(value, range.lo, range.hi);
}

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

// Small pieces, for decoders at reduced resolutions.
__global__ void __launch_bounds__(kBlockX* kBlockY)
    compensate_samples_kernel(PlaneView<const Sample> reference, const __grid_constant__ Cells cells,
                              PlaneView<Sample> prediction) {
  pdl_begin();
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
  MotionVector known;  // vector of `value`
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    const bool lower = (i & 2) != 0;
    const bool right = (i & 1) != 0;
    const int weight = (lower ? rows.weight : 32 - rows.weight) * (right ? cols.weight : 32 - cols.weight);
    if (weight == 0) continue;  // never for the first cell
    const MotionVector v =
        cells.vectors[(lower ? rows.second : rows.first) * g.grid.cols + (right ? cols.second : cols.first)];
    if (i == 0 || !same_vector(v, known))
      value = predicted(reference, {g.row_shift, g.col_shift}, v, r, c, g.range);
    known = v;
    sum += weight * value;
  }
  prediction.row(r)[c] = static_cast<Sample>(clamp_to(sum >> 10, g.range.lo, g.range.hi));
}

}  // namespace

Status compensate_plane(Device& device, PlaneView<const Sample> reference, const ConstSideInfo& side,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const Cells cells{side.vectors, side.skips, geometry};
  const auto launch = [&]<int kRows, int kCols>() {
    const int across = ceil_div(prediction.cols + kCols / 2, kUnitSide);
    const dim3 blocks(blocks_for(across, kWarps), blocks_for(prediction.rows + kRows / 2, 2 * kRows));
    launch_kernel(device, compensate_pieces_kernel<kRows, kCols>, blocks, kWarp * kWarps, 0, reference, cells,
                  across, prediction);
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

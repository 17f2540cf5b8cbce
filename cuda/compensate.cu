// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping blocks. By definition four predictions of 64
// products each. Between the middles of four neighbouring blocks the same four vectors hold everywhere, so a
// block of threads takes 16x16 samples of one such cell (or several smaller cells), fetches what a vector
// points at into shared memory, filters it along rows and then along columns (8 + 8 products), and adds it
// with its weights; equal vectors are followed once. Planes whose cells are smaller than 8 samples take the
// plain kernel, a thread a sample.
#include "cuda/compensate.hpp"
#include "cuda/interpolate.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;
constexpr int kTaps = kInterpolationTaps;

struct Geometry {
  int log2_block, grid_rows, grid_cols;
  int row_shift, col_shift;
};

// Sample (r, c) of the reference moved by v.
__device__ __forceinline__ int predicted(const PlaneView<const Sample>& reference, const Geometry& g,
                                         MotionVector v, int r, int c) {
  const Displacement dy = displacement(v.y, g.row_shift);
  const Displacement dx = displacement(v.x, g.col_shift);
  r += dy.whole;
  c += dx.whole;
  const int last_r = reference.rows - 1;
  const int last_c = reference.cols - 1;
  if (dx.eighth == 0 && dy.eighth == 0) return reference.row(clamp_to(r, 0, last_r))[clamp_to(c, 0, last_c)];
  if (dx.eighth == 0) {
    const Sample* column = reference.data + clamp_to(c, 0, last_c);
    int sum = 0;
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      sum += tap_weight(dy.eighth, t) *
             column[clamp_to(r + t - kInterpolationBefore, 0, last_r) * reference.stride];
    }
    return (sum + 32) >> 6;
  }
  int columns[kTaps];
  int weights[kTaps];
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    columns[t] = clamp_to(c + t - kInterpolationBefore, 0, last_c);
    weights[t] = tap_weight(dx.eighth, t);
  }
  const auto along_row = [&](int row) {
    const Sample* line = reference.row(clamp_to(row, 0, last_r));
    int sum = 0;
#pragma unroll
    for (int t = 0; t < kTaps; ++t) sum += weights[t] * line[columns[t]];
    return sum;
  };
  if (dy.eighth == 0) return (along_row(r) + 32) >> 6;
  int sum = 0;
#pragma unroll
  for (int t = 0; t < kTaps; ++t) sum += tap_weight(dy.eighth, t) * along_row(r + t - kInterpolationBefore);
  return round_interpolated(sum);
}

__device__ __forceinline__ bool same(MotionVector a, MotionVector b) { return a.y == b.y && a.x == b.x; }

template <bool kOverlap>
__global__ void __launch_bounds__(kBlockX* kBlockY)
    compensate_kernel(PlaneView<const Sample> reference, const MotionVector* vectors, Geometry g,
                      PlaneView<Sample> prediction) {
  const int r = static_cast<int>(blockIdx.y * kBlockY + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlockX + threadIdx.x);
  if (r >= prediction.rows || c >= prediction.cols) return;
  if constexpr (!kOverlap) {
    const int row = block_of(r, g.row_shift, g.log2_block, g.grid_rows);
    const int col = block_of(c, g.col_shift, g.log2_block, g.grid_cols);
    prediction.row(r)[c] =
        static_cast<Sample>(predicted(reference, g, vectors[row * g.grid_cols + col], r, c));
    return;
  }
  const BlockPair rows = block_pair(r, g.row_shift, g.log2_block, g.grid_rows);
  const BlockPair cols = block_pair(c, g.col_shift, g.log2_block, g.grid_cols);
  MotionVector v[4];
  int weights[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i] = vectors[((i >> 1) != 0 ? rows.second : rows.first) * g.grid_cols +
                   ((i & 1) != 0 ? cols.second : cols.first)];
    weights[i] =
        ((i >> 1) != 0 ? rows.weight : 32 - rows.weight) * ((i & 1) != 0 ? cols.weight : 32 - cols.weight);
  }
  // Weights of equal vectors are put together; no weight, no prediction.
#pragma unroll
  for (int i = 1; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < i; ++j) {
      if (weights[i] != 0 && same(v[i], v[j])) {
        weights[j] += weights[i];
        weights[i] = 0;
      }
    }
  }
  int sum = 512;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    const int weight = i == 0 ? weights[0] : (i == 1 ? weights[1] : (i == 2 ? weights[2] : weights[3]));
    const MotionVector vector = i == 0 ? v[0] : (i == 1 ? v[1] : (i == 2 ? v[2] : v[3]));
    if (weight != 0) sum += weight * predicted(reference, g, vector, r, c);
  }
  prediction.row(r)[c] = static_cast<Sample>(sum >> 10);
}

// ---- Cells of 8 or 16 samples and more ------------------------------------------------------------------

constexpr int kRegion = 16;

// kRows, kCols: of the pieces in which the vectors are the same, at most 16. begin: where the first region
// begins.
template <int kRows, int kCols, bool kOverlap>
__global__ void __launch_bounds__(kRegion* kRegion)
    compensate_cells_kernel(PlaneView<const Sample> reference, const MotionVector* vectors, Geometry g,
                            int begin_row, int begin_col, PlaneView<Sample> prediction) {
  constexpr int kPieces = (kRegion / kRows) * (kRegion / kCols);
  constexpr int kPatchRows = kRows + kTaps - 1;
  constexpr int kPatchCols = kCols + kTaps - 1;
  __shared__ int16_t patches[kPieces][kPatchRows][kPatchCols + 1];
  __shared__ int16_t sums[kPieces][kPatchRows][kCols];  // along rows, 64ths
  const int piece_row = static_cast<int>(threadIdx.y) / kRows;
  const int piece_col = static_cast<int>(threadIdx.x) / kCols;
  auto& patch = patches[piece_row * (kRegion / kCols) + piece_col];
  auto& line = sums[piece_row * (kRegion / kCols) + piece_col];
  const int y = static_cast<int>(threadIdx.y) % kRows;
  const int x = static_cast<int>(threadIdx.x) % kCols;
  const int thread = y * kCols + x;
  const int top = begin_row + static_cast<int>(blockIdx.y) * kRegion + piece_row * kRows;
  const int left = begin_col + static_cast<int>(blockIdx.x) * kRegion + piece_col * kCols;
  const int r = top + y;
  const int c = left + x;

  MotionVector v[4];
  int weights[4] = {1024, 0, 0, 0};
  if constexpr (kOverlap) {
    const BlockPair rows = block_pair(max_of(r, 0), g.row_shift, g.log2_block, g.grid_rows);
    const BlockPair cols = block_pair(max_of(c, 0), g.col_shift, g.log2_block, g.grid_cols);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      v[i] = vectors[((i >> 1) != 0 ? rows.second : rows.first) * g.grid_cols +
                     ((i & 1) != 0 ? cols.second : cols.first)];
      weights[i] =
          ((i >> 1) != 0 ? rows.weight : 32 - rows.weight) * ((i & 1) != 0 ? cols.weight : 32 - cols.weight);
    }
  } else {
    v[0] = vectors[block_of(max_of(r, 0), g.row_shift, g.log2_block, g.grid_rows) * g.grid_cols +
                   block_of(max_of(c, 0), g.col_shift, g.log2_block, g.grid_cols)];
    v[1] = v[2] = v[3] = v[0];
  }
  // A vector seen before lends its weight to the first; which ones are first is the same in the whole piece.
  bool first[4] = {true, true, true, true};
#pragma unroll
  for (int i = 1; i < 4; ++i) {
#pragma unroll
    for (int j = i - 1; j >= 0; --j) {
      if (first[i] && same(v[i], v[j]) && first[j]) {
        weights[j] += weights[i];
        first[i] = false;
      }
    }
  }

  int sum = 512;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (kPieces == 1 && !first[i]) continue;  // all threads alike
    const Displacement dy = displacement(v[i].y, g.row_shift);
    const Displacement dx = displacement(v[i].x, g.col_shift);
    const bool fractional = (dy.eighth | dx.eighth) != 0;
    if (first[i]) {
      for (int k = thread; k < kPatchRows * kPatchCols; k += kRows * kCols) {
        const int row =
            clamp_to(top + dy.whole + k / kPatchCols - kInterpolationBefore, 0, reference.rows - 1);
        const int col =
            clamp_to(left + dx.whole + k % kPatchCols - kInterpolationBefore, 0, reference.cols - 1);
        patch[k / kPatchCols][k % kPatchCols] = reference.row(row)[col];
      }
    }
    __syncthreads();
    if (first[i] && fractional) {
      for (int k = thread; k < kPatchRows * kCols; k += kRows * kCols) {
        const int16_t* s = &patch[k / kCols][k % kCols];
        int value = 0;
#pragma unroll
        for (int t = 0; t < kTaps; ++t) value += tap_weight(dx.eighth, t) * s[t];
        line[k / kCols][k % kCols] = static_cast<int16_t>(value);
      }
    }
    __syncthreads();
    if (first[i]) {
      int value = patch[y + kInterpolationBefore][x + kInterpolationBefore];
      if (fractional) {
        value = 0;
#pragma unroll
        for (int t = 0; t < kTaps; ++t) value += tap_weight(dy.eighth, t) * line[y + t][x];
        value = round_interpolated(value);
      }
      sum += weights[i] * value;
    }
    __syncthreads();
  }
  if (r >= 0 && c >= 0 && r < prediction.rows && c < prediction.cols) {
    prediction.row(r)[c] = static_cast<Sample>(sum >> 10);
  }
}

template <int kRows, int kCols>
void launch_cells(Device& device, const PlaneView<const Sample>& reference, const MotionVector* vectors,
                  const Geometry& g, bool overlap, const PlaneView<Sample>& prediction) {
  // Cells begin in the middle of blocks.
  const int begin_row = overlap ? -((1 << (g.log2_block - g.row_shift)) / 2) : 0;
  const int begin_col = overlap ? -((1 << (g.log2_block - g.col_shift)) / 2) : 0;
  const dim3 blocks(blocks_for(prediction.cols - begin_col, kRegion),
                    blocks_for(prediction.rows - begin_row, kRegion));
  const dim3 threads(kRegion, kRegion);
  if (overlap) {
    compensate_cells_kernel<kRows, kCols, true>
        <<<blocks, threads, 0, device.stream()>>>(reference, vectors, g, begin_row, begin_col, prediction);
  } else {
    compensate_cells_kernel<kRows, kCols, false>
        <<<blocks, threads, 0, device.stream()>>>(reference, vectors, g, begin_row, begin_col, prediction);
  }
}

}  // namespace

Status compensate_plane(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const Geometry g{geometry.grid.log2_block, geometry.grid.rows, geometry.grid.cols, geometry.row_shift,
                   geometry.col_shift};
  const int rows = g.log2_block - g.row_shift;  // log2 of the cells
  const int cols = g.log2_block - g.col_shift;
  if (rows >= 3 && cols >= 3) {
    if (rows == 3) {
      cols == 3 ? launch_cells<8, 8>(device, reference, vectors, g, geometry.overlap, prediction)
                : launch_cells<8, 16>(device, reference, vectors, g, geometry.overlap, prediction);
    } else {
      cols == 3 ? launch_cells<16, 8>(device, reference, vectors, g, geometry.overlap, prediction)
                : launch_cells<16, 16>(device, reference, vectors, g, geometry.overlap, prediction);
    }
    return device.launched("compensate_cells_kernel");
  }
  const dim3 blocks(blocks_for(prediction.cols, kBlockX), blocks_for(prediction.rows, kBlockY));
  const dim3 threads(kBlockX, kBlockY);
  if (geometry.overlap) {
    compensate_kernel<true><<<blocks, threads, 0, device.stream()>>>(reference, vectors, g, prediction);
  } else {
    compensate_kernel<false><<<blocks, threads, 0, device.stream()>>>(reference, vectors, g, prediction);
  }
  return device.launched("compensate_kernel");
}

}  // namespace ctv::cuda

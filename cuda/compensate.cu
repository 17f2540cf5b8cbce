// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping blocks. By definition four predictions of 64
// products each. Without splits: compensate_cells.cu. With them, a block of threads takes 16x16 samples of a
// cell between the middles of four neighbouring blocks (or several smaller cells), fetches what a vector
// points at into shared memory, filters it along rows and then along columns (8 + 8 products), and adds it
// with its weights; equal vectors are followed once. Where a block of the region is split, the region is cut
// in pieces of a quarter of a cell's side, in which four vectors hold again. Planes whose cells are smaller
// than 8 samples take the plain kernel, a thread a sample.
#include "cuda/compensate.hpp"

#include "cuda/interpolate.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;
constexpr int kTaps = kInterpolationTaps;

struct Geometry {
  int log2_block, grid_rows, grid_cols;  // of the vectors
  int row_shift, col_shift;
  int split;  // blocks are 2x2 vectors
};

// The vectors that overlap at a sample, and their weights, in 1024ths.
struct Overlap {
  MotionVector v[4];
  int weights[4];
};

// The pairs of blocks at a sample; kSplit: blocks of 2x2 vectors.
template <bool kSplit>
__device__ __forceinline__ void block_pairs(const Geometry& g, int r, int c, BlockPair& rows,
                                            BlockPair& cols) {
  constexpr int kShift = kSplit ? 1 : 0;
  rows = block_pair(max_of(r, 0), g.row_shift, g.log2_block + kShift, g.grid_rows >> kShift);
  cols = block_pair(max_of(c, 0), g.col_shift, g.log2_block + kShift, g.grid_cols >> kShift);
}
__device__ __forceinline__ bool split_at(const MotionVector* vectors, const Geometry& g, int r, int c) {
  BlockPair rows, cols;
  block_pairs<true>(g, r, c, rows, cols);
  return any_split(vectors, g.grid_cols, rows, cols);
}
// whole: sample (r, c) lies between blocks of 2x2 equal vectors.
__device__ __forceinline__ Overlap overlap_at(const MotionVector* vectors, const Geometry& g, bool whole,
                                              int r, int c) {
  BlockPair rows, cols;
  if (whole) {
    block_pairs<true>(g, r, c, rows, cols);
  } else {
    block_pairs<false>(g, r, c, rows, cols);
  }
  const int shift = whole ? 1 : 0;
  Overlap overlap;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    overlap.v[i] = vectors[(((i >> 1) != 0 ? rows.second : rows.first) << shift) * g.grid_cols +
                           (((i & 1) != 0 ? cols.second : cols.first) << shift)];
    overlap.weights[i] =
        ((i >> 1) != 0 ? rows.weight : 32 - rows.weight) * ((i & 1) != 0 ? cols.weight : 32 - cols.weight);
  }
  return overlap;
}

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
  Overlap overlap = overlap_at(vectors, g, g.split != 0 && !split_at(vectors, g, r, c), r, c);
  auto& v = overlap.v;
  auto& weights = overlap.weights;
  // Weights of equal vectors are put together; no weight, no prediction.
#pragma unroll
  for (int i = 1; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < i; ++j) {
      if (weights[i] != 0 && same_vector(v[i], v[j])) {
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

// ---- Blocks that may be split, cells of 8 or 16 samples and more
// ------------------------------------------------------------------

constexpr int kRegion = 16;

// Shared memory of a region in pieces of kRows x kCols samples, at most 16 each.
template <int kRows, int kCols>
struct Pieces {
  static constexpr int kCount = (kRegion / kRows) * (kRegion / kCols);
  static constexpr int kPatchRows = kRows + kTaps - 1;
  static constexpr int kPatchCols = kCols + kTaps - 1;
  struct Piece {
    int16_t patch[kPatchRows][kPatchCols + 1];
    int16_t line[kPatchRows][kCols];  // along rows, 64ths
  };
  Piece piece[kCount];
};

// The prediction of a thread's sample of the region that begins at (begin_row, begin_col); `overlap` has the
// same vectors in all of a piece. All threads call alike.
template <int kRows, int kCols>
__device__ __forceinline__ int predict_pieces(const PlaneView<const Sample>& reference, const Geometry& g,
                                              int begin_row, int begin_col, Overlap overlap,
                                              Pieces<kRows, kCols>& pieces) {
  using Layout = Pieces<kRows, kCols>;
  const int piece_row = static_cast<int>(threadIdx.y) / kRows;
  const int piece_col = static_cast<int>(threadIdx.x) / kCols;
  auto& patch = pieces.piece[piece_row * (kRegion / kCols) + piece_col].patch;
  auto& line = pieces.piece[piece_row * (kRegion / kCols) + piece_col].line;
  const int y = static_cast<int>(threadIdx.y) % kRows;
  const int x = static_cast<int>(threadIdx.x) % kCols;
  const int thread = y * kCols + x;
  const int top = begin_row + piece_row * kRows;
  const int left = begin_col + piece_col * kCols;
  auto& v = overlap.v;
  auto& weights = overlap.weights;
  // A vector seen before lends its weight to the first; which ones are first is the same in the whole piece.
  bool first[4] = {true, true, true, true};
#pragma unroll
  for (int i = 1; i < 4; ++i) {
#pragma unroll
    for (int j = i - 1; j >= 0; --j) {
      if (first[i] && same_vector(v[i], v[j]) && first[j]) {
        weights[j] += weights[i];
        first[i] = false;
      }
    }
  }

  int sum = 512;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (Layout::kCount == 1 && !first[i]) continue;  // all threads alike
    const Displacement dy = displacement(v[i].y, g.row_shift);
    const Displacement dx = displacement(v[i].x, g.col_shift);
    const bool fractional = (dy.eighth | dx.eighth) != 0;
    if (first[i]) {
      for (int k = thread; k < Layout::kPatchRows * Layout::kPatchCols; k += kRows * kCols) {
        const int row =
            clamp_to(top + dy.whole + k / Layout::kPatchCols - kInterpolationBefore, 0, reference.rows - 1);
        const int col =
            clamp_to(left + dx.whole + k % Layout::kPatchCols - kInterpolationBefore, 0, reference.cols - 1);
        patch[k / Layout::kPatchCols][k % Layout::kPatchCols] = reference.row(row)[col];
      }
    }
    __syncthreads();
    if (first[i] && fractional) {
      for (int k = thread; k < Layout::kPatchRows * kCols; k += kRows * kCols) {
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
  return sum >> 10;
}

// kRows, kCols: of the pieces in which the vectors of whole blocks are the same, at most 16. begin: where the
// first region begins.
template <int kRows, int kCols>
__global__ void __launch_bounds__(kRegion* kRegion)
    compensate_split_kernel(PlaneView<const Sample> reference, const MotionVector* vectors, Geometry g,
                            int begin_row, int begin_col, PlaneView<Sample> prediction) {
  using Whole = Pieces<kRows, kCols>;
  using Quarters = Pieces<kRows / 4, kCols / 4>;
  union Shared {
    Whole whole;
    Quarters quarters;
  };
  __shared__ Shared shared;
  const int top = begin_row + static_cast<int>(blockIdx.y) * kRegion;
  const int left = begin_col + static_cast<int>(blockIdx.x) * kRegion;
  const int r = top + static_cast<int>(threadIdx.y);
  const int c = left + static_cast<int>(threadIdx.x);
  const bool split = split_at(vectors, g, r, c);
  const Overlap overlap = overlap_at(vectors, g, !split, r, c);
  int sample = 0;
  if (__syncthreads_or(split ? 1 : 0) != 0) {
    sample = predict_pieces(reference, g, top, left, overlap, shared.quarters);
  } else {
    sample = predict_pieces(reference, g, top, left, overlap, shared.whole);
  }
  if (r >= 0 && c >= 0 && r < prediction.rows && c < prediction.cols) {
    prediction.row(r)[c] = static_cast<Sample>(sample);
  }
}

template <int kRows, int kCols>
void launch_split(Device& device, const PlaneView<const Sample>& reference, const MotionVector* vectors,
                  const Geometry& g, const PlaneView<Sample>& prediction) {
  // Cells begin in the middle of blocks.
  const int begin_row = -((2 << (g.log2_block - g.row_shift)) / 2);
  const int begin_col = -((2 << (g.log2_block - g.col_shift)) / 2);
  const dim3 blocks(blocks_for(prediction.cols - begin_col, kRegion),
                    blocks_for(prediction.rows - begin_row, kRegion));
  compensate_split_kernel<kRows, kCols><<<blocks, dim3(kRegion, kRegion), 0, device.stream()>>>(
      reference, vectors, g, begin_row, begin_col, prediction);
}

}  // namespace

Status compensate_plane(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  // Without overlap a split block's vectors are blocks of their own.
  const int split = geometry.overlap ? geometry.grid.split : 0;
  const Geometry g{geometry.grid.log2_block, geometry.grid.rows, geometry.grid.cols,
                   geometry.row_shift,       geometry.col_shift, split};
  const int rows = g.log2_block + split - g.row_shift;  // log2 of the cells
  const int cols = g.log2_block + split - g.col_shift;
  if (rows >= 3 && cols >= 3) {
    if (split == 0) return compensate_cells(device, reference, vectors, geometry, prediction);
    if (rows == 3) {
      cols == 3 ? launch_split<8, 8>(device, reference, vectors, g, prediction)
                : launch_split<8, 16>(device, reference, vectors, g, prediction);
    } else {
      cols == 3 ? launch_split<16, 8>(device, reference, vectors, g, prediction)
                : launch_split<16, 16>(device, reference, vectors, g, prediction);
    }
    return device.launched("compensate_split_kernel");
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

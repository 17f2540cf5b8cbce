// SPDX-License-Identifier: BSD-3-Clause
// Which vectors overlap at a sample, where blocks may be split.
#pragma once

#include "codec/dsp/motion_vectors.hpp"
#include "cuda/motion/compensate.hpp"

namespace ctv::cuda {

struct VectorGeometry {
  int log2_block, grid_rows, grid_cols;  // of the vectors
  int row_shift, col_shift;
  int split;  // blocks are 2x2 vectors
};

/// Without overlap a split block's vectors are blocks of their own.
inline VectorGeometry vector_geometry(const CompensationGeometry& g) {
  return {g.grid.log2_block, g.grid.rows, g.grid.cols,
          g.row_shift,       g.col_shift, g.overlap ? g.grid.split : 0};
}

// The vectors that overlap at a sample, and their weights, in 1024ths.
struct Overlap {
  MotionVector v[4];
  int weights[4];
};

// The pairs of blocks at a sample; kSplit: blocks of 2x2 vectors.
template <bool kSplit>
__device__ __forceinline__ void block_pairs(const VectorGeometry& g, int r, int c, BlockPair& rows,
                                            BlockPair& cols) {
  constexpr int kShift = kSplit ? 1 : 0;
  rows = block_pair(max_of(r, 0), g.row_shift, g.log2_block + kShift, g.grid_rows >> kShift);
  cols = block_pair(max_of(c, 0), g.col_shift, g.log2_block + kShift, g.grid_cols >> kShift);
}
__device__ __forceinline__ bool split_at(const MotionVector* vectors, const VectorGeometry& g, int r, int c) {
  BlockPair rows, cols;
  block_pairs<true>(g, r, c, rows, cols);
  return any_split(vectors, g.grid_cols, rows, cols);
}
// whole: sample (r, c) lies between blocks of 2x2 equal vectors.
__device__ __forceinline__ Overlap overlap_at(const MotionVector* vectors, const VectorGeometry& g,
                                              bool whole, int r, int c) {
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

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping blocks, one thread a sample. By definition four
// predictions of 64 products each; most neighbouring blocks move alike, so each distinct vector is followed once, and
// an axis without a fraction takes one tap instead of eight.
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
__device__ __forceinline__ int predicted(const PlaneView<const Sample>& reference, const Geometry& g, MotionVector v,
                                         int r, int c) {
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
      sum += tap_weight(dy.eighth, t) * column[clamp_to(r + t - kInterpolationBefore, 0, last_r) * reference.stride];
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
    prediction.row(r)[c] = static_cast<Sample>(predicted(reference, g, vectors[row * g.grid_cols + col], r, c));
    return;
  }
  const BlockPair rows = block_pair(r, g.row_shift, g.log2_block, g.grid_rows);
  const BlockPair cols = block_pair(c, g.col_shift, g.log2_block, g.grid_cols);
  MotionVector v[4];
  int weights[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i] = vectors[((i >> 1) != 0 ? rows.second : rows.first) * g.grid_cols + ((i & 1) != 0 ? cols.second : cols.first)];
    weights[i] = ((i >> 1) != 0 ? rows.weight : 32 - rows.weight) * ((i & 1) != 0 ? cols.weight : 32 - cols.weight);
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

}  // namespace

Status compensate_plane(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const Geometry g{geometry.grid.log2_block, geometry.grid.rows, geometry.grid.cols, geometry.row_shift,
                   geometry.col_shift};
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

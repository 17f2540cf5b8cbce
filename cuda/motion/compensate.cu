// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping blocks. By definition four predictions of 64
// products each. Planes whose cells have at least 8x8 samples go to compensate_cells.cu, with split blocks to
// compensate_split.cu; the others take the plain kernel here, a thread a sample.
#include "cuda/motion/compensate.hpp"

#include "cuda/motion/compensate_overlap.cuh"
#include "cuda/motion/interpolate.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;
constexpr int kTaps = kInterpolationTaps;

// Sample (r, c) of the reference moved by v.
__device__ __forceinline__ int predicted(const PlaneView<const Sample>& reference, const VectorGeometry& g,
                                         MotionVector v, int r, int c) {
  const Displacement dy = displacement(v.y, g.row_shift);
  const Displacement dx = displacement(v.x, g.col_shift);
  r += dy.whole;
  c += dx.whole;
  const int last_r = reference.rows - 1;
  const int last_c = reference.cols - 1;
  if (dx.eighth == 0 && dy.eighth == 0) return reference.row(clamp_to(r, 0, last_r))[clamp_to(c, 0, last_c)];
  const PackedTaps col_taps = packed_taps(dy.eighth);
  if (dx.eighth == 0) {
    const Sample* column = reference.data + clamp_to(c, 0, last_c);
    int sum = 0;
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
      sum += tap_weight(col_taps, t) *
             column[clamp_to(r + t - kInterpolationBefore, 0, last_r) * reference.stride];
    }
    return (sum + 32) >> 6;
  }
  const PackedTaps row_taps = packed_taps(dx.eighth);
  int columns[kTaps];
  int weights[kTaps];
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    columns[t] = clamp_to(c + t - kInterpolationBefore, 0, last_c);
    weights[t] = tap_weight(row_taps, t);
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
  for (int t = 0; t < kTaps; ++t) sum += tap_weight(col_taps, t) * along_row(r + t - kInterpolationBefore);
  return round_interpolated(sum);
}

template <bool kOverlap>
__global__ void __launch_bounds__(kBlockX* kBlockY)
    compensate_kernel(PlaneView<const Sample> reference, const MotionVector* vectors, VectorGeometry g,
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

}  // namespace

Status compensate_plane(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const VectorGeometry g = vector_geometry(geometry);
  const int rows = g.log2_block + g.split - g.row_shift;  // log2 of the cells
  const int cols = g.log2_block + g.split - g.col_shift;
  if (rows >= 3 && cols >= 3) {
    return g.split != 0 ? compensate_split(device, reference, vectors, geometry, prediction)
                        : compensate_cells(device, reference, vectors, geometry, prediction);
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

// SPDX-License-Identifier: BSD-3-Clause
// Quantiser and dequantiser of directional subbands and of the lowpass. Blocks of 32x32 elements as in
// Katsigiannis et al., but eight elements per thread, whose loads overlap. Each subband of a pyramid scale is
// one layer of the grid, so a scale takes one launch. A subband is a strided part of its band (no
// resampling), so gathering it needs no separate pass.
#include <algorithm>

#include "cuda/runtime/launch.cuh"
#include "cuda/transform/quantise.hpp"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;
constexpr int kEach = 8;  // levels per thread

// Row distance of a thread's levels, and the positions of their coefficients.
constexpr int kRowsOn = kBlock / kEach;
static_assert(kRowsOn % 2 == 0);  // rows of a thread have equal parity in a quincunx

struct OwnLevels {
  int rows;  // from the thread's first row on
  int level, level_on;
  int position, position_on;
};

__device__ __forceinline__ OwnLevels own_levels(const GatheredScale& scale) {
  const GatheredSubband s = scale.subbands[blockIdx.z];
  const int row = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int col = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  const int col_of_band = s.quincunx != 0 ? 2 * col + (s.col ^ (row & 1)) : s.col + col * s.col_stride;
  return {col < s.cols ? s.rows - row : 0, s.offset + row * s.cols + col, kRowsOn * s.cols,
          s.base + (s.row + row * s.row_stride) * scale.band_cols + col_of_band,
          kRowsOn * s.row_stride * scale.band_cols};
}

__global__ void __launch_bounds__(kBlock* kRowsOn)
    quantise_scale_kernel(const __grid_constant__ GatheredScale scale,
                          const __grid_constant__ LevelQuantisers quantisers, const Coefficient* bands,
                          Level* levels) {
  const OwnLevels own = own_levels(scale);
  const SubbandQuantiser q = quantisers.of[blockIdx.z];
  pdl_begin();
  Coefficient x[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (k * kRowsOn < own.rows) x[k] = bands[own.position + k * own.position_on];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (k * kRowsOn < own.rows)
      levels[own.level + k * own.level_on] = quantise(x[k], q.multiplier, q.rounding_offset);
  }
}

__global__ void __launch_bounds__(kBlock* kRowsOn)
    dequantise_scale_kernel(const __grid_constant__ GatheredScale scale,
                            const __grid_constant__ LevelQuantisers quantisers, const Level* levels,
                            Coefficient* bands) {
  const OwnLevels own = own_levels(scale);
  const SubbandQuantiser q = quantisers.of[blockIdx.z];
  pdl_begin();
  Level x[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (k * kRowsOn < own.rows) x[k] = levels[own.level + k * own.level_on];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (k * kRowsOn < own.rows)
      bands[own.position + k * own.position_on] = dequantise(x[k], q.step, q.reconstruction_offset);
  }
}

__global__ void __launch_bounds__(kBlock* kBlock)
    subtract_prediction_kernel(const __grid_constant__ PlaneSource source, int rows, int cols,
                               Coefficient* coefficients) {
  const int r = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  pdl_begin();
  if (r < rows && c < cols) coefficients[r * cols + c] = source.at(r, c);
}

__global__ void __launch_bounds__(kBlock* kBlock)
    add_prediction_kernel(const Coefficient* coefficients, int rows, int cols,
                          const __grid_constant__ PlaneTarget target) {
  const int r = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  pdl_begin();
  if (r < rows && c < cols) target.put(r, c, coefficients[r * cols + c]);
}

dim3 blocks(int rows, int cols, int layers) {
  return {blocks_for(cols, kBlock), blocks_for(rows, kBlock), static_cast<unsigned>(layers)};
}

}  // namespace

LevelQuantisers as_parameter(std::span<const SubbandQuantiser> quantisers) {
  LevelQuantisers parameter;
  std::copy(quantisers.begin(), quantisers.end(), parameter.of);
  return parameter;
}

GatheredScale gather_level(std::span<const Subband> subbands, int directions_log2, Extent band) {
  GatheredScale scale;
  scale.count = static_cast<int>(subbands.size());
  scale.band_cols = band.cols;
  const DirectionalPlan plan =
      directions_log2 == 0 ? DirectionalPlan{} : make_directional_plan(directions_log2);
  for (int i = 0; i < scale.count; ++i) {
    const Subband& s = subbands[static_cast<size_t>(i)];
    const int k = s.direction;
    GatheredSubband& g = scale.subbands[i];
    g = {(i >> directions_log2) * band.rows * band.cols,
         0,
         0,
         1,
         1,
         0,
         s.rows,
         s.cols,
         static_cast<int>(s.offset)};
    if (directions_log2 == 1) {
      g.col = k;
      g.col_stride = 2;
      g.quincunx = 1;
    } else if (directions_log2 >= 2) {
      const Leaf& leaf = plan.leaves[static_cast<size_t>(k)];
      g.row = leaf.row;
      g.col = leaf.col;
      g.row_stride = leaf.row_stride;
      g.col_stride = leaf.col_stride;
    }
    scale.max_rows = std::max(scale.max_rows, s.rows);
    scale.max_cols = std::max(scale.max_cols, s.cols);
  }
  return scale;
}

Status quantise_scale(Device& device, const GatheredScale& scale,
                      std::span<const SubbandQuantiser> quantisers, const Coefficient* bands, Level* levels) {
  launch_single_frame(device, device.stream(), quantise_scale_kernel,
                      blocks(scale.max_rows, scale.max_cols, scale.count), dim3(kBlock, kRowsOn), scale,
                      as_parameter(quantisers), bands, levels);
  return device.launched("quantise_scale_kernel");
}

Status dequantise_scale(Device& device, const GatheredScale& scale,
                        std::span<const SubbandQuantiser> quantisers, const Level* levels,
                        Coefficient* bands) {
  launch_single_frame(device, device.stream(), dequantise_scale_kernel,
                      blocks(scale.max_rows, scale.max_cols, scale.count), dim3(kBlock, kRowsOn), scale,
                      as_parameter(quantisers), levels, bands);
  return device.launched("dequantise_scale_kernel");
}

Status subtract_prediction(Device& device, const PlaneSource& source, Extent extent,
                           Coefficient* coefficients) {
  launch_single_frame(device, device.stream(), subtract_prediction_kernel,
                      blocks(extent.rows, extent.cols, 1), dim3(kBlock, kBlock), source, extent.rows,
                      extent.cols, coefficients);
  return device.launched("subtract_prediction_kernel");
}

Status add_prediction(Device& device, const Coefficient* coefficients, Extent extent,
                      const PlaneTarget& target) {
  launch_single_frame(device, device.stream(), add_prediction_kernel, blocks(extent.rows, extent.cols, 1),
                      dim3(kBlock, kBlock), coefficients, extent.rows, extent.cols, target);
  return device.launched("add_prediction_kernel");
}

}  // namespace ctv::cuda

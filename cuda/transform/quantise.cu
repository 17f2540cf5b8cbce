// SPDX-License-Identifier: BSD-3-Clause
// Quantiser and dequantiser of directional subbands and of the lowpass: element-wise, blocks of 32x32
// elements as Katsigiannis et al. have them but four to a thread, which are on their way together; one layer
// of the grid for each subband of a pyramid scale, so a scale takes one launch. A subband is a strided copy
// of its band (no resampling), so gathering it costs no pass of its own.
#include <algorithm>

#include "cuda/transform/quantise.hpp"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;
constexpr int kEach = 4;  // levels of a thread

__device__ __forceinline__ int position(const GatheredSubband& s, int band_cols, int r, int c) {
  const int row = s.row + r * s.row_stride;
  const int col = s.quincunx != 0 ? 2 * c + (s.col ^ (r & 1)) : s.col + c * s.col_stride;
  return s.base + row * band_cols + col;
}

__global__ void __launch_bounds__(kBlock* kBlock / kEach)
    quantise_scale_kernel(const __grid_constant__ GatheredScale scale,
                          const __grid_constant__ LevelQuantisers quantisers, const Coefficient* bands,
                          Level* levels) {
  const GatheredSubband& s = scale.subbands[blockIdx.z];
  const SubbandQuantiser& q = quantisers.of[blockIdx.z];
  const int first = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (c >= s.cols) return;
  Coefficient x[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int r = first + k * (kBlock / kEach);
    if (r < s.rows) x[k] = bands[position(s, scale.band_cols, r, c)];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int r = first + k * (kBlock / kEach);
    if (r < s.rows) levels[s.offset + r * s.cols + c] = quantise(x[k], q.multiplier, q.rounding_offset);
  }
}

__global__ void __launch_bounds__(kBlock* kBlock / kEach)
    dequantise_scale_kernel(const __grid_constant__ GatheredScale scale,
                            const __grid_constant__ LevelQuantisers quantisers, const Level* levels,
                            Coefficient* bands) {
  const GatheredSubband& s = scale.subbands[blockIdx.z];
  const SubbandQuantiser& q = quantisers.of[blockIdx.z];
  const int first = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (c >= s.cols) return;
  Level x[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int r = first + k * (kBlock / kEach);
    if (r < s.rows) x[k] = levels[s.offset + r * s.cols + c];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int r = first + k * (kBlock / kEach);
    if (r < s.rows)
      bands[position(s, scale.band_cols, r, c)] = dequantise(x[k], q.step, q.reconstruction_offset);
  }
}

__global__ void __launch_bounds__(kBlock* kBlock)
    subtract_prediction_kernel(const __grid_constant__ PlaneSource source, int rows, int cols,
                               Coefficient* coefficients) {
  const int r = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (r < rows && c < cols) coefficients[r * cols + c] = source.at(r, c);
}

__global__ void __launch_bounds__(kBlock* kBlock)
    add_prediction_kernel(const Coefficient* coefficients, int rows, int cols,
                          const __grid_constant__ PlaneTarget target) {
  const int r = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
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
  quantise_scale_kernel<<<blocks(scale.max_rows, scale.max_cols, scale.count), dim3(kBlock, kBlock / kEach),
                          0, device.stream()>>>(scale, as_parameter(quantisers), bands, levels);
  return device.launched("quantise_scale_kernel");
}

Status dequantise_scale(Device& device, const GatheredScale& scale,
                        std::span<const SubbandQuantiser> quantisers, const Level* levels,
                        Coefficient* bands) {
  dequantise_scale_kernel<<<blocks(scale.max_rows, scale.max_cols, scale.count), dim3(kBlock, kBlock / kEach),
                            0, device.stream()>>>(scale, as_parameter(quantisers), levels, bands);
  return device.launched("dequantise_scale_kernel");
}

Status subtract_prediction(Device& device, const PlaneSource& source, Extent extent,
                           Coefficient* coefficients) {
  subtract_prediction_kernel<<<blocks(extent.rows, extent.cols, 1), dim3(kBlock, kBlock), 0,
                               device.stream()>>>(source, extent.rows, extent.cols, coefficients);
  return device.launched("subtract_prediction_kernel");
}

Status add_prediction(Device& device, const Coefficient* coefficients, Extent extent,
                      const PlaneTarget& target) {
  add_prediction_kernel<<<blocks(extent.rows, extent.cols, 1), dim3(kBlock, kBlock), 0, device.stream()>>>(
      coefficients, extent.rows, extent.cols, target);
  return device.launched("add_prediction_kernel");
}

}  // namespace ctv::cuda

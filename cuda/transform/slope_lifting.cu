// SPDX-License-Identifier: BSD-3-Clause
// One scale of the 9/7, vertically along slopes (Ding et al. 2007; Chang and Girod 2007), forward or inverse,
// in one launch. Only key frames use it, so it is short rather than fast.
#include "cuda/transform/slope_lifting.hpp"

#include "cuda/transform/slope_tile.cuh"

namespace ctv::cuda {
namespace {

__global__ void __launch_bounds__(kSlopeThreads)
    slope_forward_kernel(SlopeView slopes, const __grid_constant__ WaveletScale<int16_t> scale,
                         const __grid_constant__ PlaneSource source) {
  __shared__ SlopeTile tile;
  if (*scale.along == 0) return;
  const SlopeTileWork work(tile, scale.rows, scale.cols);
  work.load_slopes([&](int row, int col) { return slopes.data[row * slopes.stride + col]; });
  work.for_samples<SlopeTile::kRowBorder, SlopeTile::kColBorder>(
      [&](int row, int col) { work.at(row, col) = source.at(row, col); });
  work.forward();
  __syncthreads();
  work.for_samples<0, 0>([&](int row, int col) {
    const auto& band = scale.bands[(row & 1) * 2 + (col & 1)];
    const int16_t c = work.at(row, col);
    band.data[static_cast<ptrdiff_t>(row / 2) * (scale.cols / 2) + col / 2] =
        band.quantised != 0 ? quantise(c, band.quantiser.multiplier, band.quantiser.rounding_offset) : c;
  });
}

__global__ void __launch_bounds__(kSlopeThreads)
    slope_inverse_kernel(SlopeView slopes, const __grid_constant__ WaveletScale<const int16_t> scale,
                         const __grid_constant__ PlaneTarget target) {
  __shared__ SlopeTile tile;
  if (*scale.along == 0) return;
  const SlopeTileWork work(tile, scale.rows, scale.cols);
  work.load_slopes([&](int row, int col) { return slopes.data[row * slopes.stride + col]; });
  work.for_samples<SlopeTile::kRowBorder, SlopeTile::kColBorder>([&](int row, int col) {
    const auto& band = scale.bands[(row & 1) * 2 + (col & 1)];
    const int16_t x = band.data[static_cast<ptrdiff_t>(row / 2) * (scale.cols / 2) + col / 2];
    work.at(row, col) = band.quantised != 0 ? dequantise(static_cast<Level>(x), band.quantiser.step,
                                                         band.quantiser.reconstruction_offset)
                                            : x;
  });
  work.inverse();
  __syncthreads();
  work.for_samples<0, 0>([&](int row, int col) { target.put(row, col, work.at(row, col)); });
}

template <typename T>
dim3 tiles(const WaveletScale<T>& scale) {
  return {blocks_for(scale.cols, kSlopeTileCols), blocks_for(scale.rows, kSlopeTileRows)};
}

}  // namespace

Status slope_forward(Device& device, SlopeView slopes, const WaveletScale<int16_t>& scale,
                     const PlaneSource& source) {
  slope_forward_kernel<<<tiles(scale), kSlopeThreads, 0, device.stream()>>>(slopes, scale, source);
  return device.launched("slope_forward_kernel");
}

Status slope_inverse(Device& device, SlopeView slopes, const WaveletScale<const int16_t>& scale,
                     const PlaneTarget& target) {
  slope_inverse_kernel<<<tiles(scale), kSlopeThreads, 0, device.stream()>>>(slopes, scale, target);
  return device.launched("slope_inverse_kernel");
}

}  // namespace ctv::cuda

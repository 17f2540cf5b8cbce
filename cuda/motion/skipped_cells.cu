// SPDX-License-Identifier: BSD-3-Clause
// Residuals and copies of skipped cells: a thread takes two samples of a row, as one word where they lie so.
#include "cuda/motion/skipped_cells.hpp"

#include "codec/dsp/motion_vectors.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

// Two samples of a row of a plane, and whether their cells are skipped.
struct Pair {
  int row, col;
  bool whole;       // neither lies beyond the plane
  bool skipped[2];  // the second: false if it lies beyond

  __device__ __forceinline__ Pair(const uint8_t* skips, const CompensationGeometry& g, Extent plane)
      : row(static_cast<int>(blockIdx.y * kBlockY + threadIdx.y)),
        col(2 * static_cast<int>(blockIdx.x * kBlockX + threadIdx.x)),
        whole(row < plane.rows && col + 1 < plane.cols),
        skipped{} {
    if (row >= plane.rows || col >= plane.cols) return;
    const uint8_t* flags =
        skips + static_cast<ptrdiff_t>(block_of(row, g.row_shift, kLog2Cell, g.grid.rows)) * g.grid.cols;
    skipped[0] = flags[block_of(col, g.col_shift, kLog2Cell, g.grid.cols)] != 0;
    if (whole) skipped[1] = flags[block_of(col + 1, g.col_shift, kLog2Cell, g.grid.cols)] != 0;
  }
};

__device__ __forceinline__ uint32_t& word(Sample* samples) { return *reinterpret_cast<uint32_t*>(samples); }
__device__ __forceinline__ uint32_t word(const Sample* samples) {
  return *reinterpret_cast<const uint32_t*>(samples);
}

__global__ void __launch_bounds__(kBlockX* kBlockY)
    subtract_prediction_kernel(PlaneView<const Sample> samples, PlaneView<const Sample> prediction,
                               const uint8_t* skips, const __grid_constant__ CompensationGeometry g,
                               bool in_words, PlaneView<Sample> residual) {
  follow();
  const Pair pair(skips, g, {residual.rows, residual.cols});
  if (pair.row >= residual.rows || pair.col >= residual.cols) return;
  const Sample* a = samples.row(pair.row) + pair.col;
  const Sample* b = prediction.row(pair.row) + pair.col;
  Sample* out = residual.row(pair.row) + pair.col;
  if (in_words && pair.whole) {
    const uint32_t x = word(a);
    const uint32_t y = word(b);
    word(out) = pair_of(pair.skipped[0] ? 0 : first_of(x) - first_of(y),
                        pair.skipped[1] ? 0 : second_of(x) - second_of(y));
    return;
  }
  out[0] = pair.skipped[0] ? Sample{0} : static_cast<Sample>(a[0] - b[0]);
  if (pair.whole) out[1] = pair.skipped[1] ? Sample{0} : static_cast<Sample>(a[1] - b[1]);
}

__global__ void __launch_bounds__(kBlockX* kBlockY)
    copy_skipped_kernel(PlaneView<const Sample> from, const uint8_t* skips,
                        const __grid_constant__ CompensationGeometry g, bool in_words, PlaneView<Sample> to) {
  follow();
  const Pair pair(skips, g, {to.rows, to.cols});
  if (!pair.skipped[0] && !pair.skipped[1]) return;
  const Sample* a = from.row(pair.row) + pair.col;
  Sample* out = to.row(pair.row) + pair.col;
  const auto clamped = [&](int sample) { return clamp_to(sample, g.range.lo, g.range.hi); };
  if (in_words && pair.skipped[0] && pair.skipped[1]) {
    const uint32_t samples = word(a);
    word(out) = pair_of(clamped(first_of(samples)), clamped(second_of(samples)));
    return;
  }
  if (pair.skipped[0]) out[0] = static_cast<Sample>(clamped(a[0]));
  if (pair.skipped[1]) out[1] = static_cast<Sample>(clamped(a[1]));
}

bool in_words(PlaneView<const Sample> plane) { return has_pairs(plane.data, plane.stride); }
dim3 blocks_of_pairs(Extent plane) {
  return {blocks_for(plane.cols, 2 * kBlockX), blocks_for(plane.rows, kBlockY)};
}

}  // namespace

Status subtract_prediction(Device& device, PlaneView<const Sample> samples,
                           PlaneView<const Sample> prediction, const uint8_t* skips,
                           const CompensationGeometry& geometry, PlaneView<Sample> residual) {
  const bool words = in_words(samples) && in_words(prediction) && in_words(residual);
  launch_kernel(device, subtract_prediction_kernel, blocks_of_pairs(residual.extent()),
                dim3(kBlockX, kBlockY), 0, samples, prediction, skips, geometry, words, residual);
  return device.launched("subtract_prediction_kernel");
}

Status copy_skipped(Device& device, PlaneView<const Sample> from, const uint8_t* skips,
                    const CompensationGeometry& geometry, PlaneView<Sample> to) {
  const bool words = in_words(from) && in_words(to);
  launch_kernel(device, copy_skipped_kernel, blocks_of_pairs(to.extent()), dim3(kBlockX, kBlockY), 0, from,
                skips, geometry, words, to);
  return device.launched("copy_skipped_kernel");
}

}  // namespace ctv::cuda

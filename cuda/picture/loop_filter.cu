// SPDX-License-Identifier: BSD-3-Clause
// The loop filter: a thread filters a column's piece of kRows samples. The change of the squared error is
// summed by warps and brought together by atomic additions: integers add up alike in any order.
#include "cuda/picture/loop_filter.hpp"

#include "codec/dsp/motion_vectors.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kRows = 4;

// Calls code(row, col, skipped, correction) for the samples of a thread; the correction of a skipped cell is
// 0.
template <typename Code>
__device__ __forceinline__ void for_samples(const PlaneView<const Sample>& plane, const LoopFilter& filter,
                                            const FilteredCells& cells, bool filtered, Code code) {
  const int col = static_cast<int>(blockIdx.x * kWarp + threadIdx.x);
  const int row0 = static_cast<int>(blockIdx.y * kWarps + threadIdx.y) * kRows;
  if (col >= plane.cols) return;
  const CompensationGeometry& g = cells.geometry;
  const int cell_col = block_of(col, g.col_shift, kLog2Cell, g.grid.cols);
  for (int row = row0; row < min(row0 + kRows, plane.rows); ++row) {
    const int cell_row = block_of(row, g.row_shift, kLog2Cell, g.grid.rows);
    const bool skipped =
        cells.skips != nullptr && cells.skips[static_cast<ptrdiff_t>(cell_row) * g.grid.cols + cell_col] != 0;
    int correction = 0;
    if (filtered && !skipped) {
      correction = filter_correction_of(filter, [&](int dy, int dx) {
        return plane.row(clamp_to(row + dy, 0, plane.rows - 1))[clamp_to(col + dx, 0, plane.cols - 1)];
      });
    }
    code(row, col, skipped, correction);
  }
}

__global__ void __launch_bounds__(kWarp* kWarps)
    filter_change_kernel(PlaneView<const Sample> source, PlaneView<const Sample> samples,
                         const __grid_constant__ LoopFilter filter,
                         const __grid_constant__ FilteredCells cells, unsigned long long* change) {
  FilterGain gain;
  for_samples(samples, filter, cells, true, [&](int row, int col, bool skipped, int correction) {
    if (!skipped) gain.add(source.row(row)[col] - samples.row(row)[col], correction);
  });
  gain.before = static_cast<int>(warp_sum(static_cast<uint32_t>(gain.before)));
  gain.after = static_cast<int>(warp_sum(static_cast<uint32_t>(gain.after)));
  if (threadIdx.x == 0) atomicAdd(change, static_cast<unsigned long long>(gain.change()));
}

__global__ void __launch_bounds__(kWarp* kWarps)
    filter_kernel(PlaneView<const Sample> from, const __grid_constant__ LoopFilter filter,
                  const __grid_constant__ FilteredCells cells, PlaneView<Sample> to) {
  const bool filtered = cells.change == nullptr || *cells.change < 0;
  const SampleRange range = cells.geometry.range;
  for_samples(from, filter, cells, filtered, [&](int row, int col, bool, int correction) {
    to.row(row)[col] = static_cast<Sample>(clamp_to(from.row(row)[col] + correction, range.lo, range.hi));
  });
}

dim3 blocks_of(Extent plane) {
  return {blocks_for(plane.cols, kWarp), blocks_for(plane.rows, kWarps * kRows)};
}

}  // namespace

Status filter_change(Device& device, PlaneView<const Sample> source, PlaneView<const Sample> samples,
                     const LoopFilter& filter, const FilteredCells& cells, int64_t* change) {
  CTV_CUDA_TRY(device, cudaMemsetAsync(change, 0, sizeof *change, device.stream()));
  filter_change_kernel<<<blocks_of(samples.extent()), dim3(kWarp, kWarps), 0, device.stream()>>>(
      source, samples, filter, cells, reinterpret_cast<unsigned long long*>(change));
  return device.launched("filter_change_kernel");
}

Status filter_plane(Device& device, PlaneView<const Sample> from, const LoopFilter& filter,
                    const FilteredCells& cells, PlaneView<Sample> to) {
  filter_kernel<<<blocks_of(to.extent()), dim3(kWarp, kWarps), 0, device.stream()>>>(from, filter, cells, to);
  return device.launched("filter_kernel");
}

}  // namespace ctv::cuda

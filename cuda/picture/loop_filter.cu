// SPDX-License-Identifier: BSD-3-Clause
// The loop filter: a block filters a square of samples. It finds the differences across samples once, in
// shared memory, and each thread adds them up for kRows samples of a column. Changes of the squared error are
// brought together by atomic additions: integers add up alike in any order.
#include "cuda/picture/loop_filter.hpp"

#include <climits>
#include <iterator>

#include "codec/dsp/filter_weights.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kRows = 4;   // of a thread
constexpr int kSide = 32;  // samples of a block
static_assert(kSide == kWarp && kSide == kWarps * kRows);
constexpr int kHalf = kWarp / 2;  // columns of a warp that have one root, whatever the subsampling
constexpr int kLoaded = kSide + 2 * kFilterReach;
constexpr int kSummed = kSide + 2;  // samples whose differences are added up

struct FilterSquare {
  int16_t samples[kLoaded][kLoaded + 2];
  uint2 differences[kSummed][kSummed];  // across and down; falling and rising: 16 bits each, no sum has more
  int8_t weights[kFilterClasses][8];
};

__device__ __forceinline__ uint32_t packed(int16_t low, int16_t high) {
  return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 16;
}

// Of a block of threads, in squares.
struct SquarePlace {
  int down, across;
  __device__ __forceinline__ int row(int local) const { return down * kSide + local; }
  __device__ __forceinline__ int col(int local) const { return across * kSide + local; }
};

__device__ __forceinline__ void load_square(const PlaneView<const Sample>& plane, const LoopFilter& filter,
                                            SquarePlace place, FilterSquare& square) {
  const int top = place.row(-kFilterReach);
  const int left = place.col(-kFilterReach);
  const int thread = static_cast<int>(threadIdx.y) * kWarp + static_cast<int>(threadIdx.x);
  for (int i = thread; i < kLoaded * kLoaded; i += kWarp * kWarps) {
    const int row = clamp_to(top + i / kLoaded, 0, plane.rows - 1);
    square.samples[i / kLoaded][i % kLoaded] =
        plane.row(row)[clamp_to(left + i % kLoaded, 0, plane.cols - 1)];
  }
  for (int i = thread; i < kFilterClasses * kFilterPairs; i += kWarp * kWarps)
    square.weights[i % kFilterClasses][i / kFilterClasses] =
        kFilterWeights[filter.table][i / kFilterClasses][i % kFilterClasses];
  __syncthreads();
  for (int i = thread; i < kSummed * kSummed; i += kWarp * kWarps) {
    const int r = i / kSummed + 1;
    const int c = i % kSummed + 1;
    const auto& s = square.samples;
    square.differences[r - 1][c - 1] = {
        packed(filter_difference(s[r][c - 1], s[r][c + 1]), filter_difference(s[r - 1][c], s[r + 1][c])),
        packed(filter_difference(s[r - 1][c - 1], s[r + 1][c + 1]),
               filter_difference(s[r - 1][c + 1], s[r + 1][c - 1]))};
  }
  __syncthreads();
}

// Of the three samples around column `col` of a row of differences.
__device__ __forceinline__ uint2 row_sum(const uint2* row, int col) {
  const uint2 a = row[col], b = row[col + 1], c = row[col + 2];
  return {a.x + b.x + c.x, a.y + b.y + c.y};
}

// What is added to the sample at (row, col) of the block. sum: of the differences around it.
__device__ __forceinline__ int correction_of(const FilterSquare& square, const LoopFilter& filter, int row,
                                             int col, uint2 sum) {
  const int class_of =
      filter_class(filter, static_cast<int16_t>(sum.x & 0xFFFF), static_cast<int16_t>(sum.x >> 16),
                   static_cast<int16_t>(sum.y & 0xFFFF), static_cast<int16_t>(sum.y >> 16));
  const int r = row + kFilterReach;
  const int c = col + kFilterReach;
  const int16_t sample = square.samples[r][c];
  int total = 0;
#pragma unroll
  for (int k = 0; k < kFilterPairs; ++k) {
    constexpr int kDown[] = {0, 1, 1, 1, 0, 2};
    constexpr int kRight[] = {1, 0, 1, -1, 2, 0};
    total += square.weights[class_of][k] * filter_pull(square.samples[r + kDown[k]][c + kRight[k]],
                                                       square.samples[r - kDown[k]][c - kRight[k]], sample,
                                                       filter.bound);
  }
  return filter_correction(static_cast<int16_t>(total));
}

// Calls code(row, col, correction) for the samples of a thread that are filtered, stay(row, col) for the
// others. kDecides: of the rows that decide alone.
template <bool kDecides, typename Stay, typename Code>
__device__ __forceinline__ void for_samples(const PlaneView<const Sample>& plane, const LoopFilter& filter,
                                            const FilteredCells& cells, SquarePlace place, Stay stay,
                                            Code code) {
  __shared__ FilterSquare square;
  const int local_col = static_cast<int>(threadIdx.x);
  const int local_row = static_cast<int>(threadIdx.y) * kRows;
  const int col = place.col(local_col);
  const int row0 = place.row(local_row);
  bool filtered[kRows];
  bool any = false;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = row0 + i;
    const bool inside = row < plane.rows && col < plane.cols;
    filtered[i] = inside && (!kDecides || filter_decides(row, cells.cell_rows())) &&
                  cells.filtered(cells.row_of(row), cells.col_of(col));
    any = any || filtered[i];
    if (inside && !filtered[i]) stay(row, col);
  }
  if (!__syncthreads_or(any)) return;
  load_square(plane, filter, place, square);
  uint2 above = row_sum(square.differences[local_row], local_col);
  uint2 at = row_sum(square.differences[local_row + 1], local_col);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const uint2 below = row_sum(square.differences[local_row + i + 2], local_col);
    const uint2 sum{above.x + at.x + below.x, above.y + at.y + below.y};
    if (filtered[i]) code(row0 + i, col, correction_of(square, filter, local_row + i, local_col, sum));
    above = at;
    at = below;
  }
}

// All planes in one launch: that of chroma alone would not fill the device.
struct UnfilteredPlanes {
  UnfilteredPlane of[3];
  int first[3];   // number of the first square; beyond all squares if there is no such plane
  int across[3];  // squares
};

__global__ void __launch_bounds__(kWarp* kWarps)
    filter_changes_kernel(const __grid_constant__ UnfilteredPlanes planes, const uint8_t* skips,
                          unsigned long long* changes) {
  follow();
  const auto square = static_cast<int>(blockIdx.x);
  const int p = square >= planes.first[2] ? 2 : (square >= planes.first[1] ? 1 : 0);
  const UnfilteredPlane& plane = planes.of[p];
  const SquarePlace place{(square - planes.first[p]) / planes.across[p],
                          (square - planes.first[p]) % planes.across[p]};
  FilterGain gain;
  const FilteredCells cells{plane.geometry, skips, nullptr};
  for_samples<true>(
      plane.samples, plane.filter, cells, place, [](int, int) {},
      [&](int row, int col, int correction) {
        gain.add(plane.source.row(row)[col] - plane.samples.row(row)[col], correction);
      });
  for (int distance = kHalf / 2; distance > 0; distance /= 2) {
    gain.before += __shfl_xor_sync(kAllLanes, gain.before, distance);
    gain.after += __shfl_xor_sync(kAllLanes, gain.after, distance);
  }
  const int row = place.row(static_cast<int>(threadIdx.y) * kRows);
  const int col = place.col(static_cast<int>(threadIdx.x));
  if (threadIdx.x % kHalf != 0 || row >= plane.samples.rows || col >= plane.samples.cols) return;
  atomicAdd(changes + cells.root(cells.row_of(row), cells.col_of(col)),
            static_cast<unsigned long long>(gain.change()));
}

__global__ void __launch_bounds__(kWarp* kWarps)
    filter_kernel(PlaneView<const Sample> from, const __grid_constant__ LoopFilter filter,
                  const __grid_constant__ FilteredCells cells, PlaneView<Sample> to) {
  follow();
  const SampleRange range = cells.geometry.range;
  const SquarePlace place{static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)};
  for_samples<false>(
      from, filter, cells, place, [&](int row, int col) { to.row(row)[col] = from.row(row)[col]; },
      [&](int row, int col, int correction) {
        to.row(row)[col] =
            static_cast<Sample>(clamp_to<int>(from.row(row)[col] + correction, range.lo, range.hi));
      });
}

dim3 blocks_of(Extent plane) { return {blocks_for(plane.cols, kSide), blocks_for(plane.rows, kSide)}; }

}  // namespace

Status filter_changes(Device& device, std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                      int64_t* changes) {
  CTV_CUDA_TRY(device, cudaMemsetAsync(changes, 0, planes[0].geometry.grid.roots() * sizeof *changes,
                                       device.stream()));
  UnfilteredPlanes all{};
  int squares = 0;
  for (size_t p = 0; p < std::size(all.of); ++p) {
    all.first[p] = INT_MAX;
    if (p >= planes.size()) continue;
    const dim3 blocks = blocks_of(planes[p].samples.extent());
    all.of[p] = planes[p];
    all.first[p] = squares;
    all.across[p] = static_cast<int>(blocks.x);
    squares += static_cast<int>(blocks.x * blocks.y);
  }
  launch_kernel(device, filter_changes_kernel, static_cast<unsigned>(squares), dim3(kWarp, kWarps), 0, all,
                skips, reinterpret_cast<unsigned long long*>(changes));
  return device.launched("filter_changes_kernel");
}

Status filter_plane(Device& device, PlaneView<const Sample> from, const LoopFilter& filter,
                    const FilteredCells& cells, PlaneView<Sample> to) {
  launch_kernel(device, filter_kernel, blocks_of(to.extent()), dim3(kWarp, kWarps), 0, from, filter, cells,
                to);
  return device.launched("filter_kernel");
}

}  // namespace ctv::cuda

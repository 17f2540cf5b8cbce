// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation where no block is split. Between the middles of four neighbouring blocks the same four
// vectors hold everywhere, so a warp takes one such cell, or 16x16 samples of it: for each vector that is not
// equal to another it fetches what the vector points at into shared memory, filters it along rows and then
// along columns (8 + 8 products a sample, two at a time by dp2a), and adds it with its weights. Warps do
// not wait for each other.
#include "cuda/motion/compensate.hpp"

#include "cuda/motion/interpolate.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // regions of a block of threads
constexpr int kTaps = kInterpolationTaps;

// One warp's samples and memory. A lane owns kStrip rows of one column, makes kEach columns of two rows in
// the pass along rows, and pitches are such that lanes find their words in different banks.
template <int kRows, int kCols>
struct Region {
  static constexpr int kStrip = kRows * kCols / kWarp;
  static constexpr int kEach = kCols / 4;
  static constexpr int kPatchRows = kRows + kTaps;  // an even number, so one more than the filter needs
  static constexpr int kPatchWords = (kCols + kTaps) / 2;
  static constexpr int kPatchPitch = kPatchWords % 8 == 0 ? kPatchWords + 2 : kPatchWords;
  static constexpr int kSumPitch = kPatchRows / 2 + (kRows == 8 ? 4 : 2);
  uint32_t patch[kPatchRows][kPatchPitch];     // pairs of neighbouring samples
  alignas(8) uint32_t sums[kCols][kSumPitch];  // along rows, 64ths; pairs of rows, column by column
};

// kPatchRows rows of the plane from row `top`, and samples from column `left` - 1 if that is odd.
template <int kRows, int kCols>
__device__ __forceinline__ void load_patch(const PlaneView<const Sample>& plane, int top, int left, int lane,
                                           Region<kRows, kCols>& region) {
  using Own = Region<kRows, kCols>;
  const int first = left & ~1;
  const bool inside = top >= 0 && first >= 0 && top + Own::kPatchRows <= plane.rows &&
                      first + 2 * Own::kPatchWords <= plane.cols && plane.stride % 2 == 0;
  for (int i = lane; i < Own::kPatchRows * Own::kPatchWords; i += kWarp) {
    const int r = i / Own::kPatchWords;
    const int c = first + 2 * (i % Own::kPatchWords);
    if (inside) {
      region.patch[r][i % Own::kPatchWords] = *reinterpret_cast<const uint32_t*>(plane.row(top + r) + c);
    } else {
      const Sample* row = plane.row(clamp_to(top + r, 0, plane.rows - 1));
      const auto at = [&](int col) {
        return static_cast<uint32_t>(static_cast<uint16_t>(row[clamp_to(col, 0, plane.cols - 1)]));
      };
      region.patch[r][i % Own::kPatchWords] = at(c) | at(c + 1) << 16;
    }
  }
}

// odd: the patch begins one sample early.
template <int kRows, int kCols>
__device__ __forceinline__ void filter_rows(Region<kRows, kCols>& region, int odd, PackedTaps taps,
                                            int lane) {
  using Own = Region<kRows, kCols>;
  constexpr int kWords = Own::kEach / 2 + 4;  // of samples that kEach outputs need
  const uint32_t shift = static_cast<uint32_t>(odd) * 16;
  for (int i = lane; i < Own::kPatchRows / 2 * 4; i += kWarp) {
    const int col = i % 4 * Own::kEach;
    const int pair = i / 4;
    int own[2][Own::kEach];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const uint32_t* w = &region.patch[2 * pair + r][col / 2];
      uint32_t even[kWords];
#pragma unroll
      for (int k = 0; k < kWords; ++k) even[k] = w[k];
#pragma unroll
      for (int k = 0; k + 1 < kWords; ++k) even[k] = __funnelshift_r(even[k], even[k + 1], shift);
      even[kWords - 1] >>= shift;
#pragma unroll
      for (int c = 0; c < Own::kEach; c += 2) {
        const uint32_t* s = even + c / 2;
        own[r][c] = dot_eight(taps, s[0], s[1], s[2], s[3], 0);
        own[r][c + 1] = dot_eight(taps, __funnelshift_r(s[0], s[1], 16), __funnelshift_r(s[1], s[2], 16),
                                  __funnelshift_r(s[2], s[3], 16), __funnelshift_r(s[3], s[4], 16), 0);
      }
    }
#pragma unroll
    for (int c = 0; c < Own::kEach; ++c) {
      region.sums[col + c][pair] =
          __byte_perm(static_cast<uint32_t>(own[0][c]), static_cast<uint32_t>(own[1][c]), 0x5410);
    }
  }
}

// begin: where the first region begins; regions: in a row of them.
template <int kRows, int kCols, bool kOverlap>
__global__ void __launch_bounds__(kWarp* kWarps)
    compensate_cells_kernel(PlaneView<const Sample> reference, const MotionVector* vectors,
                            const __grid_constant__ CompensationGeometry g, int begin_row, int begin_col,
                            int region_rows, int region_cols, PlaneView<Sample> prediction) {
  using Own = Region<kRows, kCols>;
  __shared__ Own memory[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int index = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (index >= region_rows * region_cols) return;  // whole warps
  Own& region = memory[warp];
  const int top = begin_row + index / region_cols * kRows;
  const int left = begin_col + index % region_cols * kCols;
  const int own_row = lane / kCols * Own::kStrip;
  const int own_col = lane % kCols;
  const MotionGrid& grid = g.grid;

  // Lanes 0..3 have the vectors of the blocks around the cell; weights are in 32nds, of the block behind.
  MotionVector own;
  int col_weight = 0;
  int row_weights[Own::kStrip];
  if constexpr (kOverlap) {
    const BlockPair rows = block_pair(max_of(top, 0), g.row_shift, grid.log2_block, grid.rows);
    const BlockPair cols = block_pair(max_of(left, 0), g.col_shift, grid.log2_block, grid.cols);
    own = vectors[((lane & 2) != 0 ? rows.second : rows.first) * grid.cols +
                  ((lane & 1) != 0 ? cols.second : cols.first)];
    col_weight = block_pair(max_of(left + own_col, 0), g.col_shift, grid.log2_block, grid.cols).weight;
#pragma unroll
    for (int k = 0; k < Own::kStrip; ++k) {
      row_weights[k] =
          block_pair(max_of(top + own_row + k, 0), g.row_shift, grid.log2_block, grid.rows).weight;
    }
  } else {
    own = vectors[block_of(top, g.row_shift, grid.log2_block, grid.rows) * grid.cols +
                  block_of(left, g.col_shift, grid.log2_block, grid.cols)];
  }
  const int packed = static_cast<uint16_t>(own.y) | own.x << 16;
  int sums[Own::kStrip];
#pragma unroll
  for (int k = 0; k < Own::kStrip; ++k) sums[k] = 512;
#pragma unroll 1
  for (int i = 0; i < (kOverlap ? 4 : 1); ++i) {
    const int word = __shfl_sync(kAllLanes, packed, i);
    const uint32_t equal = __ballot_sync(kAllLanes, packed == word) & 15U;
    if ((equal & ((1U << i) - 1)) != 0) continue;  // has been followed; all lanes alike
    const MotionVector v{static_cast<int16_t>(word), static_cast<int16_t>(word >> 16)};
    const Displacement dy = displacement(v.y, g.row_shift);
    const Displacement dx = displacement(v.x, g.col_shift);
    const int patch_left = left + dx.whole - kInterpolationBefore;
    const int odd = patch_left & 1;
    __syncwarp();  // the vector before is done with the patch
    load_patch(reference, top + dy.whole - kInterpolationBefore, patch_left, lane, region);
    __syncwarp();
    int values[Own::kStrip];
    if ((dy.eighth | dx.eighth) != 0) {
      filter_rows(region, odd, packed_taps(dx.eighth), lane);
      __syncwarp();
      const PackedTaps taps = packed_taps(dy.eighth);
      const SumStrip<Own::kStrip> strip(&region.sums[own_col][own_row / 2]);
#pragma unroll
      for (int k = 0; k < Own::kStrip; ++k) values[k] = strip.filtered(k, taps);
    } else {
      const int at = own_col + odd + kInterpolationBefore;
#pragma unroll
      for (int k = 0; k < Own::kStrip; ++k) {
        const uint32_t pair = region.patch[own_row + k + kInterpolationBefore][at / 2];
        values[k] = static_cast<int16_t>(at % 2 != 0 ? pair >> 16 : pair);
      }
    }
    if constexpr (kOverlap) {
      // The weights along the row of the equal vectors above, and of those below.
      const int above = ((equal & 1U) != 0 ? 32 - col_weight : 0) + ((equal & 2U) != 0 ? col_weight : 0);
      const int below = ((equal & 4U) != 0 ? 32 - col_weight : 0) + ((equal & 8U) != 0 ? col_weight : 0);
#pragma unroll
      for (int k = 0; k < Own::kStrip; ++k)
        sums[k] += ((32 - row_weights[k]) * above + row_weights[k] * below) * values[k];
    } else {
#pragma unroll
      for (int k = 0; k < Own::kStrip; ++k) sums[k] += 1024 * values[k];
    }
  }
  const int c = left + own_col;
#pragma unroll
  for (int k = 0; k < Own::kStrip; ++k) {
    const int r = top + own_row + k;
    if (r >= 0 && c >= 0 && r < prediction.rows && c < prediction.cols)
      prediction.row(r)[c] = static_cast<Sample>(sums[k] >> 10);
  }
}

}  // namespace

Status compensate_cells(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const int cell_rows = 1 << (geometry.grid.log2_block - geometry.row_shift);
  const int cell_cols = 1 << (geometry.grid.log2_block - geometry.col_shift);
  // Cells of overlapping blocks begin in their middles.
  const int begin_row = geometry.overlap ? -cell_rows / 2 : 0;
  const int begin_col = geometry.overlap ? -cell_cols / 2 : 0;
  const auto launch = [&]<int kRows, int kCols>() {
    const int rows = ceil_div(prediction.rows - begin_row, kRows);
    const int cols = ceil_div(prediction.cols - begin_col, kCols);
    auto* kernel = geometry.overlap ? compensate_cells_kernel<kRows, kCols, true>
                                    : compensate_cells_kernel<kRows, kCols, false>;
    kernel<<<blocks_for(rows * cols, kWarps), kWarp * kWarps, 0, device.stream()>>>(
        reference, vectors, geometry, begin_row, begin_col, rows, cols, prediction);
  };
  if (cell_rows >= 16) {
    cell_cols >= 16 ? launch.template operator()<16, 16>() : launch.template operator()<16, 8>();
  } else {
    cell_cols >= 16 ? launch.template operator()<8, 16>() : launch.template operator()<8, 8>();
  }
  return device.launched("compensate_cells_kernel");
}

}  // namespace ctv::cuda

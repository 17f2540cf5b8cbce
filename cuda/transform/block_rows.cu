// SPDX-License-Identifier: BSD-3-Clause
// A block transform over tiles of 256 columns and one row of blocks (with H.264's 4x4: of macroblocks), one
// line of a block per thread and pass (Wang et al. 2012; Obukhov and Kharlamov 2008, second kernel). With a
// block per thread, neighbouring threads would access memory a block apart. Here neighbouring threads take
// adjacent columns in one pass, so samples are coalesced, and adjacent blocks in the other, so levels, which
// are stored by frequency, are coalesced, too. Values cross between passes in shared memory, padded by a
// column after each block, so that both accesses are free of bank conflicts. DC coefficients stay in shared
// memory for their own transform.
#include "cuda/transform/block_rows.hpp"

#include "codec/dsp/block_transform.hpp"

namespace ctv::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kCols = kThreads;

template <typename T>
struct Tile {
  static constexpr int kSide = T::kSide;
  static constexpr int kBlocks = kCols / kSide;     // per row
  static constexpr int kRows = kSide == 4 ? 4 : 1;  // of blocks at most
  int32_t values[kRows * kSide][kCols + kCols / kSide];
  int32_t dc[kRows][kBlocks];
  static __device__ __forceinline__ int place(int col) { return col + col / kSide; }
};

/// Calls body(row of blocks, line of its blocks, block) for each row of each block of the tile that lies in
/// the plane.
template <typename T, typename Body>
__device__ __forceinline__ void for_block_lines(const BlockWork& work, int first_block, Body body) {
  using TileT = Tile<T>;
  const int lines = TileT::kSide << work.dc_row_log2;
  for (int k = static_cast<int>(threadIdx.x); k < lines * TileT::kBlocks; k += kThreads) {
    const int b = k % TileT::kBlocks;
    const int line = k / TileT::kBlocks;
    if (first_block + b < work.blocks) body(line / TileT::kSide, line % TileT::kSide, b);
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    forward_blocks_kernel(const __grid_constant__ BlockWork work, PlaneSource source, Level* levels) {
  using TileT = Tile<T>;
  constexpr int kSide = TileT::kSide;
  __shared__ TileT tile;
  const int rows = 1 << work.dc_row_log2;
  const int first_row = static_cast<int>(blockIdx.y) * rows;  // of blocks
  const int first_block = static_cast<int>(blockIdx.x) * TileT::kBlocks;
  const int thread = static_cast<int>(threadIdx.x);
  const int col = first_block * kSide + thread;
  if (col < work.blocks * kSide) {
    for (int i = 0; i < rows; ++i) {
      int32_t x[kSide], y[kSide];
#pragma unroll
      for (int r = 0; r < kSide; ++r) x[r] = source.at((first_row + i) * kSide + r, col);
      T::forward(x, y);
#pragma unroll
      for (int v = 0; v < kSide; ++v)
        tile.values[i * kSide + v][TileT::place(thread)] = T::forward_first(y[v]);
    }
  }
  __syncthreads();
  const bool transforms_dc = work.dc_row_log2 > 0;
  for_block_lines<T>(work, first_block, [&](int i, int v, int b) {
    int32_t x[kSide], y[kSide];
#pragma unroll
    for (int c = 0; c < kSide; ++c) x[c] = tile.values[i * kSide + v][TileT::place(kSide * b) + c];
    T::forward(x, y);
    const size_t at = static_cast<size_t>(first_row + i) * static_cast<size_t>(work.blocks) +
                      static_cast<size_t>(first_block + b);
#pragma unroll
    for (int u = 0; u < kSide; ++u) {
      const int f = v * kSide + u;
      const int32_t c = T::forward_second(y[u]);
      if (f == 0 && transforms_dc) {
        tile.dc[i][b] = c;
      } else {
        levels[work.offsets[f] + at] = block_quantise(c, work.quantisers[f]);
      }
    }
  });
  if (!transforms_dc) return;
  __syncthreads();
  const int dc_cols = 1 << work.dc_col_log2;
  const int macroblock = first_block / dc_cols + thread;
  const int across = work.blocks / dc_cols;
  if (thread >= TileT::kBlocks / dc_cols || macroblock >= across) return;
  int32_t x[4][4] = {};
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < dc_cols; ++c) x[r][c] = tile.dc[r][thread * dc_cols + c];
  }
  hadamard_block(x, work.dc_row_log2, work.dc_col_log2);
  const size_t at =
      static_cast<size_t>(blockIdx.y) * static_cast<size_t>(across) + static_cast<size_t>(macroblock);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < dc_cols; ++c) {
      levels[work.dc_offsets[4 * r + c] + at] = block_quantise(
          halve_hadamard(x[r][c], work.dc_row_log2, work.dc_col_log2), work.dc_quantisers[4 * r + c]);
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    inverse_blocks_kernel(const __grid_constant__ BlockWork work, const Level* levels, int reduction,
                          PlaneTarget target) {
  using TileT = Tile<T>;
  constexpr int kSide = TileT::kSide;
  __shared__ TileT tile;
  const int rows = 1 << work.dc_row_log2;
  const int first_row = static_cast<int>(blockIdx.y) * rows;  // of blocks
  const int first_block = static_cast<int>(blockIdx.x) * TileT::kBlocks;
  const int thread = static_cast<int>(threadIdx.x);
  const bool transforms_dc = work.dc_row_log2 > 0;
  if (transforms_dc) {
    const int dc_cols = 1 << work.dc_col_log2;
    const int macroblock = first_block / dc_cols + thread;
    const int across = work.blocks / dc_cols;
    if (thread < TileT::kBlocks / dc_cols && macroblock < across) {
      const size_t at =
          static_cast<size_t>(blockIdx.y) * static_cast<size_t>(across) + static_cast<size_t>(macroblock);
      int32_t x[4][4] = {};
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < dc_cols; ++c) x[r][c] = levels[work.dc_offsets[4 * r + c] + at];
      }
      hadamard_block(x, work.dc_row_log2, work.dc_col_log2);
      const BlockQuantiser& q = work.dc_quantisers[0];
      const int down = hadamard_down(work.dc_row_log2, work.dc_col_log2);
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < dc_cols; ++c)
          tile.dc[r][thread * dc_cols + c] = h264_dequantise(x[r][c], q.scale, q.qp, down);
      }
    }
    __syncthreads();
  }
  for_block_lines<T>(work, first_block, [&](int i, int v, int b) {
    int32_t x[kSide], y[kSide];
    const size_t at = static_cast<size_t>(first_row + i) * static_cast<size_t>(work.blocks) +
                      static_cast<size_t>(first_block + b);
#pragma unroll
    for (int u = 0; u < kSide; ++u) {
      const int f = v * kSide + u;
      if (f == 0 && transforms_dc) {
        x[u] = tile.dc[i][b];
      } else {
        x[u] = work.offsets[f] == BlockWork::kMissing
                   ? 0
                   : T::dequantise(levels[work.offsets[f] + at], work.quantisers[f]);
      }
    }
    T::inverse(x, y);
#pragma unroll
    for (int c = 0; c < kSide; ++c)
      tile.values[i * kSide + v][TileT::place(kSide * b) + c] = T::inverse_first(y[c]);
  });
  __syncthreads();
  const int col = first_block * kSide + thread;
  if (col < work.blocks * kSide) {
    for (int i = 0; i < rows; ++i) {
      int32_t x[kSide], y[kSide];
#pragma unroll
      for (int v = 0; v < kSide; ++v) x[v] = tile.values[i * kSide + v][TileT::place(thread)];
      T::inverse(x, y);
#pragma unroll
      for (int r = 0; r < kSide; ++r) {
        const int32_t value = T::inverse_second(y[r]);
        if (reduction == 0) {
          target.put((first_row + i) * kSide + r, col, static_cast<Coefficient>(block_residual(value, 0)));
        } else {
          tile.values[i * kSide + r][TileT::place(thread)] = value;
        }
      }
    }
  }
  if (reduction == 0) return;
  __syncthreads();
  const int out_rows = (rows * kSide) >> reduction;
  const int out_cols = kCols >> reduction;
  const int first_out_row = (first_row * kSide) >> reduction;
  const int first_out_col = (first_block * kSide) >> reduction;
  const int end_col = (work.blocks * kSide) >> reduction;
  for (int k = thread; k < out_rows * out_cols; k += kThreads) {
    const int r = k / out_cols;
    const int c = k % out_cols;
    if (first_out_col + c >= end_col) continue;
    int32_t sum = 0;
    for (int y = r << reduction; y < (r + 1) << reduction; ++y) {
      for (int x = c << reduction; x < (c + 1) << reduction; ++x) sum += tile.values[y][TileT::place(x)];
    }
    target.put(first_out_row + r, first_out_col + c,
               static_cast<Coefficient>(block_residual(sum, reduction)));
  }
}

template <typename T>
dim3 grid_of(const BlockWork& work) {
  return {blocks_for(work.blocks, Tile<T>::kBlocks),
          static_cast<unsigned>(work.block_rows >> work.dc_row_log2)};
}

template <typename T>
void forward(Device& device, const BlockWork& work, const PlaneSource& source, Level* levels) {
  forward_blocks_kernel<T><<<grid_of<T>(work), kThreads, 0, device.stream()>>>(work, source, levels);
}

template <typename T>
void inverse(Device& device, const BlockWork& work, const Level* levels, int reduction,
             const PlaneTarget& target) {
  inverse_blocks_kernel<T>
      <<<grid_of<T>(work), kThreads, 0, device.stream()>>>(work, levels, reduction, target);
}

}  // namespace

Status forward_blocks(Device& device, TransformKind kind, const BlockWork& work, const PlaneSource& source,
                      Level* levels) {
  switch (kind) {
    case TransformKind::kH264_4x4:
      forward<H264Block4x4>(device, work, source, levels);
      break;
    case TransformKind::kH264_8x8:
      forward<H264Block8x8>(device, work, source, levels);
      break;
    default:
      forward<Dct8x8>(device, work, source, levels);
  }
  return device.launched("forward_blocks_kernel");
}

Status inverse_blocks(Device& device, TransformKind kind, const BlockWork& work, const Level* levels,
                      int reduction, const PlaneTarget& target) {
  switch (kind) {
    case TransformKind::kH264_4x4:
      inverse<H264Block4x4>(device, work, levels, reduction, target);
      break;
    case TransformKind::kH264_8x8:
      inverse<H264Block8x8>(device, work, levels, reduction, target);
      break;
    default:
      inverse<Dct8x8>(device, work, levels, reduction, target);
  }
  return device.launched("inverse_blocks_kernel");
}

}  // namespace ctv::cuda

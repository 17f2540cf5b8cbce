// SPDX-License-Identifier: BSD-3-Clause
// The paper's prediction (Katsigiannis et al., section II): a level is predicted by the level of the previous
// frame to which its block's vector, scaled to the subband's grid, points. A lookup and an addition per
// level, of which the second load waits for the first: a thread has four levels on their way. Blocks of 32x32
// levels, one layer of the grid per subband, so a plane takes one launch.
#include "codec/dsp/motion_vectors.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/subband_prediction.hpp"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;
constexpr int kEach = 4;  // levels of a thread

struct PredictedSubband {
  int rows, cols;
  uint32_t offset;
  uint8_t row_shift, col_shift;
};

struct PredictedSubbands {
  PredictedSubband of[kMaxSubbandsPerPlane];
};

struct Grid {
  int log2_block, rows, cols;
};

__global__ void __launch_bounds__(kBlock* kBlock / kEach)
    predict_kernel(const __grid_constant__ PredictedSubbands subbands, int sign, Grid grid,
                   const MotionVector* vectors, const Level* in, const Level* previous, Level* out) {
  const PredictedSubband& s = subbands.of[blockIdx.z];
  const int first = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (first >= s.rows || c >= s.cols) return;
  const int block_col = block_of(c, s.col_shift, grid.log2_block, grid.cols);
  follow();
  MotionVector v[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int r = min_of(first + k * (kBlock / kEach), s.rows - 1);
    v[k] = vectors[block_of(r, s.row_shift, grid.log2_block, grid.rows) * grid.cols + block_col];
  }
  int levels[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int r = min_of(first + k * (kBlock / kEach), s.rows - 1);
    const int row = clamp_to(r + scale_vector(v[k].y, kVectorFractionBits + s.row_shift), 0, s.rows - 1);
    const int col = clamp_to(c + scale_vector(v[k].x, kVectorFractionBits + s.col_shift), 0, s.cols - 1);
    const uint32_t own = s.offset + static_cast<uint32_t>(r * s.cols + c);
    const uint32_t moved = s.offset + static_cast<uint32_t>(row * s.cols + col);
    levels[k] = in[own] + sign * previous[moved];
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int r = first + k * (kBlock / kEach);
    if (r < s.rows) out[s.offset + static_cast<uint32_t>(r * s.cols + c)] = static_cast<Level>(levels[k]);
  }
}

}  // namespace

Status predict_subbands(Device& device, int sign, const SubbandLayout& layout, ChromaShift chroma,
                        const MotionGrid& grid, const MotionVector* vectors, const Level* in,
                        const Level* previous, int layers, Level* out) {
  PredictedSubbands subbands;
  int count = 0;
  int rows = 0;
  int cols = 0;
  for (const Subband& s : layout.subbands) {
    if (s.layer >= layers) continue;
    subbands.of[count++] = {s.rows, s.cols, static_cast<uint32_t>(s.offset),
                            static_cast<uint8_t>(s.row_shift + chroma.y),
                            static_cast<uint8_t>(s.col_shift + chroma.x)};
    rows = max_of(rows, s.rows);
    cols = max_of(cols, s.cols);
  }
  const dim3 blocks(blocks_for(cols, kBlock), blocks_for(rows, kBlock), static_cast<unsigned>(count));
  launch_alone(device, device.stream(), predict_kernel, blocks, dim3(kBlock, kBlock / kEach), subbands, sign,
               Grid{grid.log2_block, grid.rows, grid.cols}, vectors, in, previous, out);
  return device.launched("predict_kernel");
}

}  // namespace ctv::cuda

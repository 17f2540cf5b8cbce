// SPDX-License-Identifier: BSD-3-Clause
// The paper's prediction (Katsigiannis et al., section II): a level is predicted by the level of the previous
// frame to which its block's vector, scaled to the subband's grid, points. A lookup and an addition per
// level, bound by memory; blocks of 32x32 threads, one layer of the grid per subband, so a plane takes one
// launch.
#include "codec/math/motion.hpp"
#include "cuda/subband_prediction.hpp"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;

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

__global__ void __launch_bounds__(kBlock* kBlock)
    predict_kernel(const __grid_constant__ PredictedSubbands subbands, int sign, Grid grid,
                   const MotionVector* vectors, const Level* in, const Level* previous, Level* out) {
  const PredictedSubband& s = subbands.of[blockIdx.z];
  const int r = static_cast<int>(blockIdx.y * kBlock + threadIdx.y);
  const int c = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (r >= s.rows || c >= s.cols) return;
  const int block_row = block_of(r, s.row_shift, grid.log2_block, grid.rows);
  const int block_col = block_of(c, s.col_shift, grid.log2_block, grid.cols);
  const MotionVector v = vectors[block_row * grid.cols + block_col];
  const int row = clamp_to(r + scale_vector(v.y, kVectorFractionBits + s.row_shift), 0, s.rows - 1);
  const int col = clamp_to(c + scale_vector(v.x, kVectorFractionBits + s.col_shift), 0, s.cols - 1);
  const size_t at = s.offset + static_cast<size_t>(r) * static_cast<size_t>(s.cols) + static_cast<size_t>(c);
  const Level moved =
      previous[s.offset + static_cast<size_t>(row) * static_cast<size_t>(s.cols) + static_cast<size_t>(col)];
  out[at] = static_cast<Level>(in[at] + sign * moved);
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
  predict_kernel<<<blocks, dim3(kBlock, kBlock), 0, device.stream()>>>(
      subbands, sign, Grid{grid.log2_block, grid.rows, grid.cols}, vectors, in, previous, out);
  return device.launched("predict_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Adds the residual of coded blocks to the prediction, one warp per macroblock.
#include "cuda/residual/residual_kernels.hpp"
#include "cuda/residual/residual_tile.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWarps = 4;  // per block of threads

struct WarpMemory {
  Tile levels[3], lines, samples;  // as in the encoder
};

__device__ __forceinline__ void decode_luma(const ResidualWork& work, int row, int col, size_t index,
                                            uint32_t skipped, const Macroblock& m, WarpMemory& own,
                                            int lane) {
  const auto* const levels = reinterpret_cast<const uint2*>(work.levels[0] + index * kLumaLevels);
#pragma unroll
  for (int i = 0; i < kTileQuads / kWarp; ++i) {
    const int n = lane + i * kWarp;
    const QuadPlace quad = quad_of_luma(m, n);
    if (quad.coded) put_quad(levels[n], quad, own.levels[static_cast<int>(quad.type)]);
  }
  const Octet octet(lane);
  const bool whole = m.kind == static_cast<uint8_t>(MacroblockKind::k16x16);
  const QuarterKind kind = m.quarter(octet.quarter());
  const bool coded = (skipped >> octet.quarter() & 1U) == 0 &&
                     (whole || kind == QuarterKind::k8x8 || kind == QuarterKind::k4x4);
  Sample* const to =
      work.decoded[0].row(row * kMacroblock + octet.row) + col * kMacroblock + octet.half * kOctet;
  const uint4 prediction = load_octet(to);
  __syncwarp();
  inverse_luma(m, own.levels, luma_step(work, prediction), work.shift, lane, own.lines, own.samples);
  if (coded) add_octet(prediction, own.samples, octet, 0, work.ranges[0], to);
  __syncwarp();
}

__device__ __forceinline__ void decode_chroma(const ResidualWork& work, int row, int col, size_t index,
                                              uint32_t skipped, const Macroblock& m, WarpMemory& own,
                                              int lane) {
  const Octet octet(lane);
  const int count = work.grid.chroma_blocks();
  for (int first = 0; first < count; first += 2) {
    const uint32_t inside = count - first > 1 ? 3 : 1;
    const uint32_t coded = (m.chroma[0] >> first & inside) | (m.chroma[1] >> first & inside) << 2;
    if (coded == 0) continue;
#pragma unroll
    for (int i = 0; i < kTileQuads / kWarp; ++i) {
      const ChromaQuad quad(lane + i * kWarp);
      if ((coded & quad.bit()) != 0) put_quad(*quad.levels(work, index, first), quad.place(), own.levels[0]);
    }
    const ChromaOctet place(work.grid, row, col, skipped, first, octet);
    const bool adds = (coded & chroma_bit(octet.row, octet.half * kOctet)) != 0;
    Sample* to = nullptr;
    uint4 prediction{};
    if (adds) {
      to = work.decoded[place.plane].row(place.row) + place.col;
      prediction = load_octet(to);
    }
    __syncwarp();
    // Uses the step of the plane of the lane's rows.
    inverse_chroma(coded, own.levels[0], work.steps[1 + lane / kTile], work.shift, lane, own.lines,
                   own.samples);
    if (adds) add_octet(prediction, own.samples, octet, place.skipped, work.ranges[place.plane], to);
    __syncwarp();
  }
}

__global__ void __launch_bounds__(kWarps* kWarp)
    decode_residual_kernel(const __grid_constant__ ResidualWork work) {
  pdl_begin();
  __shared__ WarpMemory memory[kWarps];
  const int warp = thread_x() / kWarp;
  const int lane = thread_x() % kWarp;
  const int row = static_cast<int>(blockIdx.y);
  const int col = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (col >= work.grid.cols) return;
  const size_t index = work.grid.index(row, col);
  const Macroblock m = work.macroblocks[index];
  if (!m.coded()) return;
  const uint32_t skipped = skipped_quarters(work.cells, work.skips, row, col);
  if (skipped == kAllSkipped) return;
  if (m.kind != 0) decode_luma(work, row, col, index, skipped, m, memory[warp], lane);
  decode_chroma(work, row, col, index, skipped, m, memory[warp], lane);
}

}  // namespace

Status decode_residual(Device& device, const ResidualWork& work) {
  const dim3 blocks(blocks_for(work.grid.cols, kWarps), static_cast<unsigned>(work.grid.rows));
  launch_kernel(device, decode_residual_kernel, blocks, kWarps * kWarp, 0, work);
  return device.launched("decode_residual_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// quantise_rdo() of codec/control/rdo_quantise.hpp over the subbands of a plane. A block of 32x8 threads
// takes a tile of 32x32 coefficients: each activity, those of a border of one included, is computed once into
// shared memory and read nine times there. One launch for a plane: the tiles of all subbands are numbered
// through, and a block finds its subband by its number.
#include "codec/control/rdo_quantise.hpp"
#include "codec/util/host_device.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/rdoq.hpp"

namespace ctv::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kThreadsY = 8;

struct RdoSubband {
  uint32_t first_tile;  // of all tiles of the plane
  uint32_t offset;      // of its first coefficient in the plane's array
  int rows, cols;
  uint32_t multiplier, rounding;
  int by_rate;  // 0: plain quantiser
  int siblings;
  uint16_t sibling[2];
};

struct RdoSubbands {
  int count = 0;
  RdoSubband of[kMaxSubbandsPerPlane];
};

__global__ void __launch_bounds__(kTile* kThreadsY)
    quantise_rdo_kernel(const __grid_constant__ RdoSubbands subbands, const Coefficient* coefficients,
                        Level* levels) {
  follow();
  __shared__ uint8_t activity[kTile + 2][kTile + 2];
  int i = subbands.count - 1;
  while (subbands.of[i].first_tile > blockIdx.x) --i;
  const RdoSubband& s = subbands.of[i];
  const int tile = static_cast<int>(blockIdx.x - s.first_tile);
  const int across = (s.cols + kTile - 1) / kTile;
  const int row0 = tile / across * kTile;
  const int col0 = tile % across * kTile;
  const Coefficient* in = coefficients + s.offset;
  if (s.by_rate != 0) {
    const int first = static_cast<int>(threadIdx.y * kTile + threadIdx.x);
    for (int k = first; k < (kTile + 2) * (kTile + 2); k += kTile * kThreadsY) {
      const int row = row0 + k / (kTile + 2) - 1;
      const int col = col0 + k % (kTile + 2) - 1;
      const bool inside = row >= 0 && row < s.rows && col >= 0 && col < s.cols;
      activity[k / (kTile + 2)][k % (kTile + 2)] =
          inside ? static_cast<uint8_t>(
                       activity_of(in[static_cast<ptrdiff_t>(row) * s.cols + col], s.multiplier))
                 : uint8_t{0};
    }
  }
  __syncthreads();
  const int c = static_cast<int>(threadIdx.x);
  const int col = col0 + c;
  for (int r = static_cast<int>(threadIdx.y); r < kTile; r += kThreadsY) {
    const int row = row0 + r;
    if (row >= s.rows || col >= s.cols) break;
    const ptrdiff_t at = static_cast<ptrdiff_t>(row) * s.cols + col;
    if (s.by_rate == 0) {
      levels[s.offset + at] = quantise(in[at], s.multiplier, s.rounding);
      continue;
    }
    uint32_t beside = 0, diagonal = 0, there = 0;
#pragma unroll
    for (int k = 0; k < 3; k += 2) {
      beside += activity[r + k][c + 1] + activity[r + 1][c + k];
      diagonal += activity[r + k][c] + activity[r + k][c + 2];
    }
    for (int k = 0; k < s.siblings; ++k) {
      const RdoSubband& o = subbands.of[s.sibling[k]];
      there += activity_of(coefficients[o.offset + at], o.multiplier);
    }
    const uint32_t sum = kBesideWeight * beside + kDiagonalWeight * diagonal + kSiblingWeight * there;
    levels[s.offset + at] = quantise_rdo(in[at], s.multiplier, s.rounding, sum);
  }
}

}  // namespace

Status quantise_rdo_plane(Device& device, const SubbandLayout& layout,
                          std::span<const SubbandQuantiser> quantisers, FrameType type,
                          const Coefficient* coefficients, Level* levels) {
  RdoSubbands subbands;
  uint32_t tiles = 0;
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Subband& s = layout.subbands[i];
    const SubbandQuantiser& q = quantisers[i];
    const Siblings siblings = siblings_of(layout, type, static_cast<int>(i));
    subbands.of[subbands.count++] = {
        tiles,
        static_cast<uint32_t>(s.offset),
        s.rows,
        s.cols,
        q.multiplier,
        q.rounding_offset,
        decides_by_rate(s.layer, q) ? 1 : 0,
        siblings.count,
        {static_cast<uint16_t>(siblings.subbands[0]), static_cast<uint16_t>(siblings.subbands[1])}};
    tiles += static_cast<uint32_t>(ceil_div(s.rows, kTile)) * static_cast<uint32_t>(ceil_div(s.cols, kTile));
  }
  launch_kernel(device, quantise_rdo_kernel, tiles, dim3(kTile, kThreadsY), 0, subbands, coefficients,
                levels);
  return device.launched("quantise_rdo_kernel");
}

}  // namespace ctv::cuda

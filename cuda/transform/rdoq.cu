// SPDX-License-Identifier: BSD-3-Clause
// quantise_rdo() of codec/control/rdo_quantise.hpp over the subbands of a plane. A block of 32x8 threads
// takes a tile of 32x32 coefficients: each activity, those of a border of one included, is computed once into
// shared memory and read nine times there. What plain rounding makes 0 stays 0, and most tiles of predicted
// frames have nothing else: there no activity is needed. One launch for a plane: the tiles of all subbands
// are numbered through, and a block finds its subband by its number.
#include "codec/control/rdo_quantise.hpp"
#include "codec/util/host_device.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/rdoq.hpp"

namespace ctv::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kThreadsY = 8;
constexpr int kEach = kTile / kThreadsY;  // coefficients of a thread

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
  const int c = static_cast<int>(threadIdx.x);
  const int col = col0 + c;
  int own[kEach];
  Level level[kEach];
  bool any = false;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int row = row0 + static_cast<int>(threadIdx.y) + k * kThreadsY;
    own[k] = row < s.rows && col < s.cols ? in[static_cast<ptrdiff_t>(row) * s.cols + col] : 0;
    level[k] = quantise(static_cast<Coefficient>(own[k]), s.multiplier, s.rounding);
    any = any || level[k] != 0;
  }
  if (__syncthreads_or(any && s.by_rate != 0 ? 1 : 0) != 0) {
    const auto activity_at = [&](int row, int at_col) {
      const bool inside = row >= 0 && row < s.rows && at_col >= 0 && at_col < s.cols;
      return inside ? static_cast<uint8_t>(
                          activity_of(in[static_cast<ptrdiff_t>(row) * s.cols + at_col], s.multiplier))
                    : uint8_t{0};
    };
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      activity[static_cast<int>(threadIdx.y) + k * kThreadsY + 1][c + 1] =
          static_cast<uint8_t>(activity_of(static_cast<Coefficient>(own[k]), s.multiplier));
    }
    // The border: a warp takes each row of it, and each column.
    const int side = static_cast<int>(threadIdx.y);
    if (side < 2) {
      const int r = side * (kTile + 1);
      for (int i = c; i < kTile + 2; i += kTile) activity[r][i] = activity_at(row0 + r - 1, col0 + i - 1);
    } else if (side < 4) {
      const int i = (side - 2) * (kTile + 1);
      activity[c + 1][i] = activity_at(row0 + c, col0 + i - 1);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      if (level[k] == 0) continue;
      const int r = static_cast<int>(threadIdx.y) + k * kThreadsY;
      uint32_t beside = 0, diagonal = 0, there = 0;
#pragma unroll
      for (int i = 0; i < 3; i += 2) {
        beside += activity[r + i][c + 1] + activity[r + 1][c + i];
        diagonal += activity[r + i][c] + activity[r + i][c + 2];
      }
      for (int i = 0; i < s.siblings; ++i) {
        const RdoSubband& o = subbands.of[s.sibling[i]];
        there += activity_of(coefficients[o.offset + static_cast<ptrdiff_t>(row0 + r) * s.cols + col],
                             o.multiplier);
      }
      const uint32_t sum = kBesideWeight * beside + kDiagonalWeight * diagonal + kSiblingWeight * there;
      level[k] = quantise_rdo(static_cast<Coefficient>(own[k]), s.multiplier, s.rounding, sum);
    }
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int row = row0 + static_cast<int>(threadIdx.y) + k * kThreadsY;
    if (row < s.rows && col < s.cols)
      levels[s.offset + static_cast<ptrdiff_t>(row) * s.cols + col] = level[k];
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
  // Not placed early, as by launch_kernel(): its blocks would keep those of the filter's choice away.
  quantise_rdo_kernel<<<tiles, dim3(kTile, kThreadsY), 0, device.stream()>>>(subbands, coefficients, levels);
  return device.launched("quantise_rdo_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Units of 2x2 cells on all planes, shared by the decision of skips and the squares of skipped cells.
#pragma once

#include "codec/backend/backend.hpp"
#include "codec/control/skip_decisions.hpp"
#include "cuda/motion/predict.cuh"

namespace ctv::cuda {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kMostPlanes = 3;

struct Comparison {
  PlaneView<const Sample> source[kMostPlanes], reference[kMostPlanes];
  int planes, grid_rows, grid_cols;
  ChromaShift chroma;
  SkipPrices prices;
};

// What a thread takes of a unit. The first four warps take luma, a cell each; the groups of the others the
// cells of the second plane, then of the third. kRows, kCols: of a cell there.
template <int kRows, int kCols>
struct Share {
  static constexpr int kLanes = Piece<kRows, kCols>::kLanes;
  static constexpr int threads(int planes) { return kSkipCells * (kWarp + (planes - 1) * kLanes); }
  int plane, cell, lane;

  __device__ __forceinline__ explicit Share(int thread) {
    const int group = (thread - kSkipCells * kWarp) / kLanes;
    const bool luma = thread < kSkipCells * kWarp;
    plane = luma ? 0 : 1 + group / kSkipCells;
    cell = luma ? thread / kWarp : group % kSkipCells;
    lane = thread % (luma ? kWarp : kLanes);
  }
};

// Over the lanes of a group.
template <int kLanes>
__device__ __forceinline__ uint32_t group_sum(uint32_t v) {
  if constexpr (kLanes == kWarp) {
    return warp_sum(v);
  } else {
#pragma unroll
    for (int offset = kLanes / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(kAllLanes, v, offset);
    return v;
  }
}

inline Comparison compare_planes(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step) {
  Comparison c{};
  for (size_t p = 0; p < static_cast<size_t>(planes.planes); ++p) {
    c.source[p] = planes.source[p];
    c.reference[p] = planes.reference[p];
  }
  c.planes = planes.planes;
  c.grid_rows = grid.rows;
  c.grid_cols = grid.cols;
  c.chroma = planes.chroma;
  c.prices = skip_prices(base_step);
  return c;
}

/// Calls launch with the rows and columns of a cell on planes of chroma.
template <typename Launch>
void with_chroma_cell(ChromaShift chroma, Launch launch) {
  if (chroma.x == 0) {
    launch.template operator()<8, 8>();
  } else if (chroma.y == 0) {
    launch.template operator()<8, 4>();
  } else {
    launch.template operator()<4, 4>();
  }
}

}  // namespace ctv::cuda

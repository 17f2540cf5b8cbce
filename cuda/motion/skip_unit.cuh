// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the kernels for skip decisions, and units of 2x2 cells.
#pragma once

#include "codec/control/skip_decisions.hpp"
#include "cuda/motion/skip.hpp"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kMostPlanes = 3;

struct Comparison {
  PlaneView<const Sample> source[kMostPlanes], reference[kMostPlanes];
  int planes, grid_rows, grid_cols;
  int shift;  // bits of a sample beyond 8
  ChromaShift chroma;
  SkipPrices prices;
};

// A unit.
struct CellUnit {
  int row, col;  // of its first cell
  int grid_rows, grid_cols;

  __device__ __forceinline__ CellUnit(const Comparison& c, int unit_row, int unit_col)
      : row(unit_row * kSkipUnit),
        col(unit_col * kSkipUnit),
        grid_rows(c.grid_rows),
        grid_cols(c.grid_cols) {}
  __device__ __forceinline__ bool inside(int cell) const {
    return row + cell / kSkipUnit < grid_rows && col + cell % kSkipUnit < grid_cols;
  }
  /// Index in arrays of the grid.
  __device__ __forceinline__ int at(int cell) const {
    return (row + cell / kSkipUnit) * grid_cols + col + cell % kSkipUnit;
  }
};

inline Comparison comparison(const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step) {
  Comparison c{};
  for (size_t p = 0; p < static_cast<size_t>(planes.planes); ++p) {
    c.source[p] = planes.source[p];
    c.reference[p] = planes.reference[p];
  }
  c.planes = planes.planes;
  c.grid_rows = grid.rows;
  c.grid_cols = grid.cols;
  c.chroma = planes.chroma;
  c.shift = planes.shift;
  c.prices = skip_prices(base_step);
  return c;
}

// Calls launch with the extent of a cell in chroma planes.
template <typename Launch>
void with_cell(ChromaShift chroma, Launch launch) {
  if (chroma.x == 0) {
    launch.template operator()<8, 8>();
  } else if (chroma.y == 0) {
    launch.template operator()<8, 4>();
  } else {
    launch.template operator()<4, 4>();
  }
}

}  // namespace ctv::cuda

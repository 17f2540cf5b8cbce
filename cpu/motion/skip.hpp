// SPDX-License-Identifier: BSD-3-Clause
// Decisions on skipped cells.
#pragma once

#include "codec/backend/backend.hpp"
#include "codec/control/skip_decisions.hpp"
#include "cpu/motion/half_samples.hpp"

namespace ctv {

/// A row of units.
struct SkipRow {
  const SkipPlanes* planes;
  const MotionGrid* grid;
  const SkipPrices* prices;
  int row;  // first row of cells

  bool inside(int k, int col) const {
    return row + k / kSkipUnit < grid->rows && col + k % kSkipUnit < grid->cols;
  }
  ptrdiff_t cell(int k, int col) const {
    return ptrdiff_t{row + k / kSkipUnit} * grid->cols + col + k % kSkipUnit;
  }
};

/// Luma of both pictures in a motion estimator.
struct SearchedLuma {
  SearchPlanes planes;
  HalfSamples halves;
};

/// The functions of MotionEstimator and Backend with these names.
void skip_still_only(const MotionGrid& grid, const MotionVector* vectors, uint8_t* skips);
void decide_skips(int threads, const SkipPlanes& planes, const SearchedLuma& luma, const MotionGrid& grid,
                  uint32_t base_step, const uint8_t* still, const SideInfo& side);
void find_still(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                uint8_t* still);
void skip_by_ssd(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                 const MotionVector* vectors, const uint8_t* still, uint8_t* close);
void merge_skip_vectors(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                        const MotionVector* vectors, const SideInfo& side);

}  // namespace ctv

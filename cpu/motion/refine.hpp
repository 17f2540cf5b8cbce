// SPDX-License-Identifier: BSD-3-Clause
// The passes after the full search: smoothing, refinement to fractions of a sample, and the split of blocks.
#pragma once

#include <cstdint>

#include "cpu/motion/search.hpp"

namespace ctv {

/// Samples that refinement and split read beyond the range of the search.
inline constexpr int kRefineReach = 7;

// blocks: the grid of the blocks. vectors: of all blocks. Each call computes one row. costs: of the row, 16
// SAD, updated.

/// Chooses whole-sample vectors again, with the cost of the difference to the predictor.
void smooth_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, uint32_t lambda,
                      uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed);

/// Refines whole-sample vectors to halves (subpel 1), quarters (2) or eighths (3).
void refine_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                      uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined);

/// Splits blocks in four where it reduces the cost. split: [2][2 * blocks.cols].
void split_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                     uint32_t lambda, const uint32_t* costs, const MotionVector* vectors,
                     MotionVector* split);

}  // namespace ctv

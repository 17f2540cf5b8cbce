// SPDX-License-Identifier: BSD-3-Clause
// What follows the full search: smoothing, refinement to fractions of a sample, and the split of blocks.
#pragma once

#include <cstdint>

#include "cpu/motion/search.hpp"

namespace ctv {

/// How far beyond the whole-sample search refinement and split read the reference.
inline constexpr int kRefineReach = 7;

// blocks: the grid of the blocks. vectors: of all of them; the results are those of one row. costs: of the
// row, 16 SAD, updated.

/// Whole-sample vectors, chosen again now that each can be paid for by its difference to its prediction.
void smooth_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, uint32_t lambda,
                      uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed);

/// Whole-sample vectors to halves (subpel 1), quarters (2) and eighths (3).
void refine_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                      uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined);

/// Each block split in four where it pays. split: [2][2 * blocks.cols].
void split_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                     uint32_t lambda, const uint32_t* costs, const MotionVector* vectors,
                     MotionVector* split);

}  // namespace ctv

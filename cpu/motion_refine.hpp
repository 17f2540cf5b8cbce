// SPDX-License-Identifier: BSD-3-Clause
// Refinement of whole-sample vectors to halves, quarters and eighths, and the split of blocks.
#pragma once

#include <cstdint>

#include "cpu/motion_search.hpp"

namespace ctv {

/// How far beyond the whole-sample search refinement and split read the reference.
inline constexpr int kRefineReach = 6;

/// vectors: the best whole-sample vectors of the row, replaced. costs: of the row, 16 SAD, replaced.
void refine_block_row(const SearchPlanes& planes, int log2_block, int block_row, int block_cols, int subpel,
                      uint32_t lambda, uint32_t* costs, MotionVector* vectors);

/// Vectors of one row of blocks, each split in four where it pays. blocks: the grid of the blocks, and
/// vectors of all of them; costs: of the row, 16 SAD. split: [2][2 * blocks.cols], the row's vectors.
void split_block_row(const SearchPlanes& planes, const MotionGrid& blocks, int block_row, int subpel,
                     uint32_t lambda, const uint32_t* costs, const MotionVector* vectors,
                     MotionVector* split);

}  // namespace ctv

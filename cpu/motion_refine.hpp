// SPDX-License-Identifier: BSD-3-Clause
// Refinement of whole-sample vectors to halves, quarters and eighths.
#pragma once

#include <cstdint>

#include "cpu/motion_search.hpp"

namespace ctv {

/// How far beyond the whole-sample search the refinement reads the reference.
inline constexpr int kRefineReach = 5;

/// vectors: the best whole-sample vectors of the row, replaced. keys: from search_block_row.
void refine_block_row(const SearchPlanes& planes, int log2_block, int block_row, int block_cols, int subpel,
                      uint32_t lambda, const int64_t* keys, MotionVector* vectors);

}  // namespace ctv

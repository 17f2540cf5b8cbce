// SPDX-License-Identifier: BSD-3-Clause
// Block matching: 8-bit copies of luma, full search, refinement: launchers.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// 8-bit luma of whole blocks, and of the reference with a border of repeated samples on all sides.
struct SearchPlanes {
  uint8_t* current = nullptr;    // [rows][cols]
  uint8_t* reference = nullptr;  // sample (0, 0)
  int rows = 0, cols = 0;        // of whole blocks; strides are multiples of 16 bytes
  int current_stride = 0, reference_stride = 0;
  int border = 0;  // before and behind, multiple of 16
};

/// Fills both from samples; positions beyond a plane repeat its edge.
Status fill_search_planes(Device& device, const SearchPlanes& planes, PlaneView<const Sample> current,
                          PlaneView<const Sample> reference);

/// Cells that need no vector. Blocks of 2^log2_cells x 2^log2_cells still cells are not searched.
struct StillCells {
  const uint8_t* flags = nullptr;  // [rows][cols]; null: none
  int rows = 0, cols = 0;
  int log2_cells = 0;
};

/// Whole vectors (times kVectorUnit) and their costs (16 SAD), [grid.rows][grid.cols]; 0 for still blocks.
/// The passes that follow keep vectors whose cost is 0.
Status search_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid,
                     const StillCells& still, int range, uint32_t lambda, MotionVector* vectors,
                     uint32_t* costs);

/// Whole vectors, chosen again now that each can be paid for by its difference to its prediction; costs
/// follow.
Status smooth_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, uint32_t lambda,
                     uint32_t* costs, const MotionVector* vectors, MotionVector* smoothed);

/// Improves whole vectors to half (subpel 1), quarter (2) or eighth samples (3); costs follow.
Status refine_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int subpel,
                     uint32_t lambda, uint32_t* costs, const MotionVector* vectors, MotionVector* refined);

/// Splits blocks where it pays. grid, costs, vectors: of the blocks. split: [2 grid.rows][2 grid.cols].
Status split_blocks(Device& device, const SearchPlanes& planes, const MotionGrid& grid, int subpel,
                    uint32_t lambda, const uint32_t* costs, const MotionVector* vectors, MotionVector* split);

/// Each vector of `grid`, whose blocks are not larger, becomes that of the block of `blocks` that holds it.
Status spread_vectors(Device& device, const MotionGrid& blocks, const MotionVector* from,
                      const MotionGrid& grid, MotionVector* vectors);

/// What the search reads beyond range: filters, and rows of a last group of candidates.
inline constexpr int kSearchReach = 8;

}  // namespace ctv::cuda

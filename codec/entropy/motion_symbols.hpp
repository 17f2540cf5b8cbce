// SPDX-License-Identifier: BSD-3-Clause
// Motion vectors as differences to the median of their neighbours left, above and above right (as in H.264),
// in units of the stream's vector precision: all rows first, then all columns.
#pragma once

#include <cstdint>
#include <span>

#include "codec/format/motion_grid.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Calls code(block, first) for all blocks in raster order; first: index of the block's first vector.
template <typename Code>
void for_each_block(const MotionGrid& grid, Code code) {
  size_t block = 0;
  for (int r = 0; r < grid.rows; r += 1 << grid.split) {
    for (int c = 0; c < grid.cols; c += 1 << grid.split, ++block) {
      code(block, static_cast<size_t>(r) * static_cast<size_t>(grid.cols) + static_cast<size_t>(c));
    }
  }
}
/// Index of the k-th of the four vectors of a split block.
inline size_t vector_of_block(const MotionGrid& grid, size_t first, int k) {
  return first + static_cast<size_t>(k & 1) + static_cast<size_t>(k >> 1) * static_cast<size_t>(grid.cols);
}

/// vectors: [rows][cols], eighths of a luma sample, multiples of 2^(3-subpel). splits: [blocks], 1: split.
/// differences: 2 * grid.size(). A block that is not split has equal differences at all its vectors.
void difference_vectors(const MotionGrid& grid, int subpel, const MotionVector* vectors,
                        std::span<uint8_t> splits, std::span<Level> differences);
/// The inverse, for any differences: sums wrap to 16 bits. Uses the first difference of a block that is not
/// split.
void sum_vectors(const MotionGrid& grid, int subpel, std::span<const uint8_t> splits,
                 std::span<const Level> differences, MotionVector* vectors);

}  // namespace ctv

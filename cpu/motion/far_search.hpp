// SPDX-License-Identifier: BSD-3-Clause
// Far search of the CPU (codec/control/motion_decisions.hpp).
#pragma once

#include <vector>

#include "cpu/motion/search.hpp"

namespace ctv {

/// Owns its workspace.
class FarSearch {
 public:
  /// blocks: grid of the search. range: in whole luma samples, a multiple of kFarStep.
  FarSearch(const MotionGrid& blocks, int range, int threads);

  /// Makes planes at a quarter of the resolution. current, reference: extents of the pictures, whose edges
  /// `planes` repeat.
  void prepare(const SearchPlanes& planes, Extent current, Extent reference);
  /// Finds the vectors of squares. still: by block, [blocks.rows][stride]. A square of still blocks only gets
  /// vector zero.
  void find(uint32_t lambda, const uint8_t* still, int stride);
  /// Searches a row of blocks around the vectors of their squares. Replaces vectors that cost less than
  /// `costs`, which include vector bits. near: range of the full search. still, keys: of the row, as for
  /// search_block_row().
  void refine_row(const SearchPlanes& planes, uint32_t lambda, int near, int row, const uint8_t* still,
                  MotionVector* vectors, uint32_t* costs) const;

 private:
  struct Quarter {
    std::vector<uint8_t> samples;
    int border = 0;  // columns and rows on each side
    ptrdiff_t stride = 0;
    const uint8_t* origin() const { return samples.data() + border * stride + border; }
  };
  void fill(const uint8_t* from, ptrdiff_t stride, Extent extent, Quarter& to) const;

  const MotionGrid blocks_;
  const MotionGrid squares_;
  const int range_;  // in quarter samples
  const int threads_;
  Quarter current_, reference_;
  std::vector<MotionVector> far_, window_;  // in whole luma samples, in order of rank
  std::vector<int64_t> far_keys_;           // of far_, by position
  std::vector<int64_t> window_ranks_;       // in window_, by position
  std::vector<uint8_t> still_;
  std::vector<int64_t> keys_;
  std::vector<uint16_t> sums_, costs_;  // if bounds are used (bounded_search.hpp)
  std::vector<MotionVector> found_;     // of the squares, in whole luma samples
};

}  // namespace ctv

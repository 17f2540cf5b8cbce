// SPDX-License-Identifier: BSD-3-Clause
// Slices of a frame's motion (docs/bitstream.md, 7): areas of the grid that are coded apart from the others,
// so that threads can code them at the same time. The encoder divides areas until each takes about as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/format/bytes.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/side_info.hpp"

namespace ctv {

/// A rectangle of a grid, in roots.
struct RootArea {
  int row = 0, col = 0, rows = 0, cols = 0;
  size_t roots() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
};

class MotionSlices {
 public:
  explicit MotionSlices(const MotionGrid& grid);
  /// How many a grid has at most.
  static size_t most(const MotionGrid& grid);

  /// Of the last choose() or read(); before it, the grid is one slice.
  size_t size() const { return slices_.size(); }
  const RootArea& operator[](size_t slice) const { return slices_[slice]; }
  /// About what a slice takes to code; after choose().
  size_t work(size_t slice) const { return work_of(slices_[slice]); }

  /// Chooses slices for a frame's vectors and skips.
  void choose(const ConstSideInfo& side);
  void write(FieldWriter& writer) const;
  /// If the reader refuses, slices cover the grid, but which they are means nothing.
  void read(FieldReader& reader);

 private:
  // Beyond that slices are divided no more: to begin one takes time and bytes, too.
  static constexpr size_t kMost = 64;
  // Smaller grids are one slice, and no bits say so.
  static constexpr size_t kLeastDivided = 101;  // roots

  template <typename Split>
  void divide(Split split);
  void find_work(const ConstSideInfo& side);
  size_t work_of(const RootArea& area) const;

  MotionGrid grid_;
  std::vector<RootArea> slices_, areas_;
  std::vector<uint8_t> splits_;        // answers in their order
  std::vector<uint32_t> work_;         // of all roots above and to the left: [root rows + 1][root cols + 1]
  std::vector<uint32_t> row_, above_;  // keys of cells of two rows, behind one that is outside
  std::vector<uint32_t> counts_;       // of columns of a row of roots
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Slices of a frame's motion (docs/bitstream.md, 7): areas of the grid that are coded independently, so that
// threads code them in parallel. The encoder divides areas until all take about the same time.
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
  /// Largest number of slices of a grid.
  static size_t most(const MotionGrid& grid);

  /// Slices of the last choose() or read(); before the first, the grid is one slice.
  size_t size() const { return slices_.size(); }
  const RootArea& operator[](size_t slice) const { return slices_[slice]; }
  /// Estimated work of a slice; valid after choose().
  size_t work(size_t slice) const { return work_of(slices_[slice]); }

  /// Chooses slices for a frame's vectors and skips.
  void choose(const ConstSideInfo& side);
  void write(FieldWriter& writer) const;
  /// If the reader fails, the slices still cover the grid, but are otherwise arbitrary.
  void read(FieldReader& reader);

 private:
  // Most slices: each costs time and bytes to start.
  static constexpr size_t kMost = 64;
  // Smaller grids have one slice, without any bits.
  static constexpr size_t kLeastDivided = 101;  // roots

  template <typename Split>
  void divide(Split split);
  void find_work(const ConstSideInfo& side);
  size_t work_of(const RootArea& area) const;

  MotionGrid grid_;
  std::vector<RootArea> slices_, areas_;
  std::vector<uint8_t> splits_;  // coded decisions in order
  std::vector<uint32_t> work_;   // sums over roots above and to the left: [root rows + 1][root cols + 1]
  std::vector<uint32_t> row_, above_;  // keys of two rows of cells, after one outside the grid
  std::vector<uint32_t> counts_;       // per column of a row of roots
};

}  // namespace ctv

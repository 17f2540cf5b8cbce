// SPDX-License-Identifier: BSD-3-Clause
// Leaves that the walk over a motion slice refers to: those of the current root, and those above it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "codec/format/motion_grid.hpp"
#include "codec/util/memory_budget.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr int kRootSide = 1 << kRootLevel;  // in cells

/// The class of a coordinate is the number of thresholds that its context reaches.
inline constexpr std::array<int, 7> kDifferenceThresholds = {2, 4, 8, 16, 28, 48, 96};
inline constexpr size_t kDifferenceClasses = kDifferenceThresholds.size() + 1;
inline constexpr auto kDifferenceClassOf = [] {
  std::array<uint8_t, size_t{kDifferenceThresholds.back()} + 1> classes{};
  for (const int from : kDifferenceThresholds) {
    for (size_t i = static_cast<size_t>(from); i < classes.size(); ++i) ++classes[i];
  }
  return classes;
}();
inline size_t difference_class(size_t around) {
  return kDifferenceClassOf[std::min(around, kDifferenceClassOf.size() - 1)];
}

/// A leaf of a tree.
struct MotionLeaf {
  uint8_t level = 255;  // log2 of its side; 255: outside the grid
  uint8_t skip = 0;
};

/// Further context that a leaf leaves for later leaves.
struct MotionCell {
  static constexpr int kField = 8;                                           // in bits
  static constexpr uint32_t kMost = uint32_t{kDifferenceThresholds.back()};  // larger ones: same class
  uint32_t vector = 0;                                                       // both coordinates
  // Packed fields that can be added: magnitudes of the difference in y and x, and whether the leaf is merged.
  uint32_t around = 0;
};

/// Memory of a MotionWalk.
struct MotionScratch {
  /// grid: of the largest slice. memory: room for as many leaves as the slice has cells.
  explicit MotionScratch(const MotionGrid& grid, MotionLeaf* memory = nullptr)
      : leaves_above(places_above(grid)), above(places_above(grid)), leaves(memory) {}
  // Leaves above the current row of roots, with a border left and right. Roots count as complete.
  static size_t places_above(const MotionGrid& grid) {
    return (static_cast<size_t>(grid.root_cols()) << kRootLevel) + 2;
  }
  CountedVector<MotionLeaf> leaves_above;
  CountedVector<MotionCell> above;
  MotionLeaf* leaves;  // of all trees, in coding order
};

inline constexpr int kRootStride = 16;  // a root, its border, and the overrun of put()

/// Cells of a root, with a border above and to the left.
template <typename Cell>
class RootCells {
 public:
  RootCells(CountedVector<Cell>& above, int cols) : above_(above.data()) {
    std::fill_n(above_, cols + 2, Cell{});
  }
  Cell* at(int y, int x) { return &cells_[y + 1][x + 1]; }
  void start_row() {
    for (auto& row : cells_) row[0] = Cell{};
  }
  void enter(int col) { std::copy_n(above_ + col + 1, kRootSide + 1, cells_[0] + 1); }
  void leave(int col) {
    std::copy_n(cells_[kRootSide] + 1, kRootSide, above_ + col + 1);
    for (auto& row : cells_) row[0] = row[kRootSide];
  }
  /// Stores a leaf from its first cell on. May overwrite cells to the right and below, which are coded later.
  [[gnu::always_inline]] static void put(Cell* cell, int level, const Cell now) {
    if (level == 0) {
      *cell = now;
      return;
    }
    int rows = 1 << level;
    do {
      std::fill_n(cell, kRootSide, now);
      cell += kRootStride;
    } while (--rows > 0);
  }
  /// Writes get() of each cell to `to`.
  template <typename T, typename Get>
  void copy(Extent root, T* to, ptrdiff_t pitch, Get get) {
    for (int y = 0; y < root.rows; ++y, to += pitch) {
      T row[kRootSide];
      for (int x = 0; x < kRootSide; ++x) row[x] = get(cells_[y + 1][x + 1]);
      if (root.cols == kRootSide) {
        std::copy_n(row, kRootSide, to);
      } else {
        std::copy_n(row, root.cols, to);
      }
    }
  }

 private:
  Cell* above_;
  Cell cells_[kRootSide + 1][kRootStride];
};

/// Positions of the 8x8 cells in Z order: bits of y and x alternate.
inline constexpr int half_of_bits(int bits) { return (bits & 1) | (bits >> 1 & 2) | (bits >> 2 & 4); }
struct RootPlace {
  int8_t y, x;
};
inline constexpr std::array<RootPlace, kRootSide* kRootSide> kRootPlaces = [] {
  std::array<RootPlace, kRootSide * kRootSide> places{};
  for (int i = 0; i < kRootSide * kRootSide; ++i) {
    places[static_cast<size_t>(i)] = {static_cast<int8_t>(half_of_bits(i >> 1)),
                                      static_cast<int8_t>(half_of_bits(i))};
  }
  return places;
}();
/// By level, a bit per node: whether the cell above and to the right precedes the node or lies above the
/// root.
inline constexpr std::array<uint64_t, kRootLevel + 1> kRightBefore = [] {
  std::array<uint64_t, kRootLevel + 1> before{};
  for (int level = 0; level <= kRootLevel; ++level) {
    for (int i = 0; i < kRootSide * kRootSide; i += 1 << (2 * level)) {
      const int y = half_of_bits(i >> 1);
      const int x = half_of_bits(i) + (1 << level);
      bool is = y == 0;
      for (int j = 0; j < i; ++j) is |= half_of_bits(j >> 1) == y - 1 && half_of_bits(j) == x;
      before[static_cast<size_t>(level)] |= uint64_t{is} << i;
    }
  }
  return before;
}();
/// Level of the largest node that begins at cell i.
inline int largest_node(int i) {
  return std::countr_zero(static_cast<unsigned>(i | kRootSide * kRootSide)) / 2;
}

}  // namespace ctv

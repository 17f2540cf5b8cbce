// SPDX-License-Identifier: BSD-3-Clause
// The symbols of a slice of motion (docs/bitstream.md, 7), in one order for encoder, decoder and training.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/entropy/range_coder.hpp"
#include "codec/format/coded_frame.hpp"
#include "codec/format/motion_grid.hpp"

namespace ctv {

inline constexpr size_t kMostLength = 15;  // bits of a magnitude below its first
inline constexpr size_t kMergeCandidates = 4;
/// The class of a coordinate is the number of thresholds that its context reaches.
inline constexpr std::array<int, 7> kDifferenceThresholds = {2, 4, 8, 16, 28, 48, 96};
inline constexpr size_t kDifferenceClasses = kDifferenceThresholds.size() + 1;

inline size_t difference_class(size_t around) {
  size_t k = 0;
  for (const int from : kDifferenceThresholds) k += around >= static_cast<size_t>(from) ? 1 : 0;
  return k;
}

/// Places of contexts among all.
struct MotionContexts {
  static constexpr size_t kSplit = 0;                               // level - 1; neighbours that are smaller
  static constexpr size_t kSkip = kSplit + 3 * kRootLevel;          // level; neighbours that are skipped
  static constexpr size_t kDiffers = kSkip + 3 * (kRootLevel + 1);  // skipped; level; neighbours merged
  static constexpr size_t kCandidate = kDiffers + 6 * (kRootLevel + 1);        // skipped; candidates passed
  static constexpr size_t kNonzero = kCandidate + 2 * (kMergeCandidates - 1);  // axis; class
  static constexpr size_t kLonger = kNonzero + 2 * kDifferenceClasses;         // axis; class; bits so far
  static constexpr size_t kSecond = kLonger + 2 * kDifferenceClasses * kMostLength;  // axis; bits - 1
  static constexpr size_t kFiltered = kSecond + 2 * kMostLength;  // neighbours that are filtered
  static constexpr size_t kCount = kFiltered + 3;
};

/// A leaf of a tree.
struct MotionLeaf {
  uint8_t level = 255;  // log2 of its side; more than that of any node: outside the grid
  uint8_t skip = 0;
};

/// What later leaves need of a cell at the lower or right border of a leaf, beside the leaf.
struct MotionCell {
  MotionVector vector;
  uint16_t y = 0, x = 0;  // magnitudes of its difference
  uint16_t merged = 0;    // its vector is a neighbour's
};

/// Memory of a walk.
struct MotionScratch {
  /// grid: of the largest slice. memory: for as many leaves as a slice has cells.
  explicit MotionScratch(const MotionGrid& grid, MotionLeaf* memory = nullptr)
      : leaves_above(static_cast<size_t>(grid.cols + 2)), above(leaves_above.size()), leaves(memory) {}
  /// Without leaves.
  static size_t bytes(const MotionGrid& grid) {
    return static_cast<size_t>(grid.cols + 2) * (sizeof(MotionLeaf) + sizeof(MotionCell));
  }
  // [cols + 2]: those above the row of roots with a border left and right.
  std::vector<MotionLeaf> leaves_above;
  std::vector<MotionCell> above;
  MotionLeaf* leaves;  // of all trees, in their order
};

/// Takes the same steps with an encoder and a decoder: trees(), then vectors(). So what depends on skips
/// alone need not wait for vectors. A Coder has kDecodes, bit(context, bit) and even(bit), which return the
/// bit.
template <typename Coder>
class MotionWalk {
 public:
  // grid: of the slice. cols: of the frame. source: the frame's motion from the slice's first cell on
  // (encoder). sink: where it goes (decoder).
  MotionWalk(Coder& coder, const MotionGrid& grid, int cols, int shift, bool skips,
             const ConstSideInfo& source, const SideInfo& sink, MotionScratch& scratch)
      : coder_(coder),
        grid_(grid),
        cols_(cols),
        shift_(shift),
        skips_(skips),
        source_(source),
        sink_(sink),
        scratch_(scratch) {}

  /// Splits and skips.
  void trees() {
    RootCells<MotionLeaf> cells(scratch_.leaves_above, grid_.cols);
    MotionLeaf* leaf = scratch_.leaves;
    for_roots(cells, [&](Coder& coder, int row, int col) { leaf = tree(coder, cells, row, col, leaf); });
  }
  void vectors() {
    RootCells<MotionCell> cells(scratch_.above, grid_.cols);
    const MotionLeaf* leaf = scratch_.leaves;
    for_roots(cells,
              [&](Coder& coder, int row, int col) { leaf = vectors_of_tree(coder, cells, row, col, leaf); });
  }

 private:
  using C = MotionContexts;
  static constexpr bool kDecodes = Coder::kDecodes;
  static constexpr int kRoot = 1 << kRootLevel;
  static constexpr int kStride = 16;

  /// Cells of a root, with a border above and left.
  template <typename Cell>
  class RootCells {
   public:
    RootCells(std::vector<Cell>& above, int cols) : above_(above) {
      std::fill_n(above_.begin(), cols + 2, Cell{});
    }
    Cell* at(int y, int x) { return &cells_[y + 1][x + 1]; }
    void start_row() {
      for (auto& row : cells_) row[0] = Cell{};
    }
    void enter(int col, int cols) { std::copy_n(above_.data() + col + 1, cols + 1, cells_[0] + 1); }
    void leave(int col, int cols) {
      std::copy_n(cells_[kRoot] + 1, cols, above_.data() + col + 1);
      for (auto& row : cells_) row[0] = row[kRoot];
    }
    /// The lower and right border of a leaf. cell: its first.
    static void put(Cell* cell, Extent leaf, const Cell& now) {
      for (int r = 0; r < leaf.rows - 1; ++r) cell[r * kStride + leaf.cols - 1] = now;
      std::fill_n(cell + (leaf.rows - 1) * kStride, leaf.cols, now);
    }

   private:
    std::vector<Cell>& above_;
    Cell cells_[kRoot + 1][kStride];
  };

  template <typename Cells, typename Work>
  [[gnu::always_inline]] void for_roots(Cells& cells, Work work) {
    Coder in_registers = coder_;
    for (int row = 0; row < grid_.rows; row += kRoot) {
      cells.start_row();
      for (int col = 0; col < grid_.cols; col += kRoot) {
        const int cols = std::min(kRoot, grid_.cols - col);
        cells.enter(col, cols);
        work(in_registers, row, col);
        cells.leave(col, cols);
      }
    }
    coder_ = in_registers;
  }

  /// Cells of a root that differ from the one to the left or above in it: bit 8 y + x.
  struct Differences {
    uint64_t left = 0, above = 0;
    // Whether a square is one leaf. cell: its first one's bit.
    bool uniform(int cell, int level) const {
      constexpr uint64_t kLeft[] = {0, 0x0202, 0x0e0e0e0e, 0xfefefefefefefefe};
      constexpr uint64_t kAbove[] = {0, 0x0300, 0x0f0f0f00, 0xffffffffffffff00};
      return ((left & kLeft[level] << cell) | (above & kAbove[level] << cell)) == 0;
    }
  };

  ptrdiff_t place(int row, int col) const { return static_cast<ptrdiff_t>(row) * cols_ + col; }
  bool source_skip(ptrdiff_t place) const { return skips_ && source_.skips[place] != 0; }
  bool outside(int row, int col) const { return row >= grid_.rows || col >= grid_.cols; }
  Extent clipped(int row, int col, int side) const {
    return {std::min(side, grid_.rows - row), std::min(side, grid_.cols - col)};
  }

  Differences find_differences(int row, int col) const {
    const Extent root = clipped(row, col, kRoot);
    Differences d;
    uint64_t above[kRoot] = {};
    for (int y = 0; y < root.rows; ++y) {
      uint64_t left = 0;
      for (int x = 0; x < root.cols; ++x) {
        const ptrdiff_t here = place(row + y, col + x);
        const uint64_t skip = source_skip(here) ? 1 : 0;
        const uint64_t own = std::bit_cast<uint32_t>(source_.vectors[here]) | skip << 32;
        d.left |= uint64_t{own != left} << (kRoot * y + x);  // in the first column and row these mean nothing
        d.above |= uint64_t{own != above[x]} << (kRoot * y + x);
        left = above[x] = own;
      }
    }
    return d;
  }

  /// Cells of 8x8 in Z order: bits of y and x in turn.
  static constexpr int half_of_bits(int bits) { return (bits & 1) | (bits >> 1 & 2) | (bits >> 2 & 4); }
  // By level: whether the cell above and to the right of a node comes before it, or is above the root.
  static constexpr std::array<uint64_t, kRootLevel + 1> kRightBefore = [] {
    std::array<uint64_t, kRootLevel + 1> before{};
    for (int level = 0; level <= kRootLevel; ++level) {
      for (int i = 0; i < kRoot * kRoot; i += 1 << (2 * level)) {
        const int y = half_of_bits(i >> 1);
        const int x = half_of_bits(i) + (1 << level);
        bool is = y == 0;
        for (int j = 0; j < i; ++j) is |= half_of_bits(j >> 1) == y - 1 && half_of_bits(j) == x;
        before[static_cast<size_t>(level)] |= uint64_t{is} << i;
      }
    }
    return before;
  }();
  // The largest node that begins at a cell.
  static int largest(int i) { return std::countr_zero(static_cast<unsigned>(i | kRoot * kRoot)) / 2; }

  // The nodes of a tree in their order, from the first cell of each leaf to that of the next. Returns where
  // the leaves of the next tree go.
  [[gnu::always_inline]] MotionLeaf* tree(Coder& coder, RootCells<MotionLeaf>& cells, int row, int col,
                                          MotionLeaf* leaf) {
    Differences differences;
    if constexpr (!kDecodes) differences = find_differences(row, col);
    for (int i = 0, level = 0; i < kRoot * kRoot; i += 1 << (2 * level)) {
      const int y = half_of_bits(i >> 1);
      const int x = half_of_bits(i);
      level = largest(i);
      if (outside(row + y, col + x)) continue;
      MotionLeaf* const cell = cells.at(y, x);
      const MotionLeaf left = cell[-1];
      const MotionLeaf above = cell[-kStride];
      for (; level > 0; --level) {
        const int smaller = (left.level < level ? 1 : 0) + (above.level < level ? 1 : 0);
        if (!coder.bit(C::kSplit + static_cast<size_t>(3 * (level - 1) + smaller),
                       !kDecodes && !differences.uniform(kRoot * y + x, level))) {
          break;
        }
      }
      bool skip = false;
      if (skips_) {
        if constexpr (!kDecodes) skip = source_skip(place(row + y, col + x));
        skip = coder.bit(C::kSkip + static_cast<size_t>(3 * level + left.skip + above.skip), skip);
      }
      *leaf = {static_cast<uint8_t>(level), static_cast<uint8_t>(skip ? 1 : 0)};
      const Extent extent = clipped(row + y, col + x, 1 << level);
      cells.put(cell, extent, *leaf);
      if constexpr (kDecodes) {
        if (skips_) fill(sink_.skips, row + y, col + x, extent, leaf->skip);
      }
      ++leaf;
    }
    return leaf;
  }

  [[gnu::always_inline]] const MotionLeaf* vectors_of_tree(Coder& coder, RootCells<MotionCell>& cells,
                                                           int row, int col, const MotionLeaf* leaf) {
    for (int i = 0, level = 0; i < kRoot * kRoot; i += 1 << (2 * level)) {
      const int y = half_of_bits(i >> 1);
      const int x = half_of_bits(i);
      level = largest(i);
      if (outside(row + y, col + x)) continue;
      level = leaf->level;
      const bool right = row + y > 0 && col + x + (1 << level) < grid_.cols &&
                         (kRightBefore[static_cast<size_t>(level)] >> i & 1) != 0;
      MotionCell* const cell = cells.at(y, x);
      const MotionCell now = vector_of_leaf(coder, row + y, col + x, *leaf++, cell, right);
      const Extent extent = clipped(row + y, col + x, 1 << level);
      cells.put(cell, extent, now);
      if constexpr (kDecodes) fill(sink_.vectors, row + y, col + x, extent, now.vector);
    }
    return leaf;
  }

  template <typename T>
  void fill(T* cells, int row, int col, Extent extent, T value) const {
    for (int r = 0; r < extent.rows; ++r) std::fill_n(cells + place(row + r, col), extent.cols, value);
  }

  /// The vectors that differ of those to the left, above, the third, and 0; without branches, since they
  /// cannot be foretold.
  struct Candidates {
    MotionVector vectors[kMergeCandidates + 1];  // another one is written behind them
    size_t count = 0;
    Candidates() = default;
    [[gnu::always_inline]] Candidates(MotionVector left, MotionVector above, MotionVector third) {
      const auto differ = [](MotionVector a, MotionVector b) {
        return size_t{std::bit_cast<uint32_t>(a) != std::bit_cast<uint32_t>(b)};
      };
      const MotionVector zero;
      vectors[0] = left;
      vectors[1] = above;
      count = 1 + differ(above, left);
      vectors[count] = third;
      count += differ(third, left) & differ(third, above);
      vectors[count] = zero;
      count += differ(zero, left) & differ(zero, above) & differ(zero, third);
    }
  };

  // right: the cell above and to the right is known.
  [[gnu::always_inline]] MotionCell vector_of_leaf(Coder& coder, int row, int col, MotionLeaf leaf,
                                                   const MotionCell* cell, bool right) {
    const MotionCell left = cell[-1];
    const MotionCell above = cell[-kStride];
    // Above right, or above left.
    const MotionVector third = cell[(right ? 1 << leaf.level : -1) - kStride].vector;
    Candidates list;
    MotionVector own;
    size_t found = 0;
    if constexpr (!kDecodes) {
      own = source_.vectors[place(row, col)];
      list = Candidates(left.vector, above.vector, third);
      found = static_cast<size_t>(std::find(list.vectors, list.vectors + list.count, own) - list.vectors);
    }
    MotionCell now;
    const size_t merged = 12 * size_t{leaf.skip} + 3 * size_t{leaf.level} + left.merged + above.merged;
    if (!coder.bit(C::kDiffers + merged, found == list.count)) {
      now.merged = 1;
      if constexpr (kDecodes) list = Candidates(left.vector, above.vector, third);
      size_t i = 0;
      while (i + 1 < list.count && coder.bit(C::kCandidate + 3 * size_t{leaf.skip} + i, i < found)) ++i;
      now.vector = list.vectors[i];
      return now;
    }
    const MotionVector origin = row == 0 ? left.vector : median_vector(left.vector, above.vector, third);
    const size_t y = size_t{left.y} + above.y;
    const size_t x = size_t{left.x} + above.x;
    int difference[2];
    for (size_t axis = 0; axis < 2; ++axis) {
      const size_t around = axis == 0 ? 2 * y + x : 2 * x + y + 3 * size_t{now.y};
      const int value = axis == 0 ? own.y - origin.y : own.x - origin.x;
      difference[axis] = number(coder, axis, difference_class(around), value >> shift_);
      (axis == 0 ? now.y : now.x) = static_cast<uint16_t>(std::abs(difference[axis]));
    }
    now.vector = {static_cast<int16_t>(origin.y + (difference[0] << shift_)),
                  static_cast<int16_t>(origin.x + (difference[1] << shift_))};
    return now;
  }

  // A difference: whether it is 0, how many bits follow the first, these, the sign.
  [[gnu::always_inline]] int number(Coder& coder, size_t axis, size_t k, int value) {
    const size_t context = axis * kDifferenceClasses + k;
    const auto magnitude = static_cast<uint32_t>(std::abs(value));
    if (!coder.bit(C::kNonzero + context, magnitude != 0)) return 0;
    const size_t bits = magnitude == 0 ? 0 : static_cast<size_t>(std::bit_width(magnitude)) - 1;
    size_t length = 0;
    const size_t longer = C::kLonger + context * kMostLength;
    while (length < kMostLength && coder.bit(longer + length, length < bits)) ++length;
    uint32_t coded = 1;
    if (length > 0) {
      const size_t second = C::kSecond + axis * kMostLength + length - 1;
      coded = 2 | (coder.bit(second, (magnitude >> (length - 1) & 1) != 0) ? 1U : 0U);
      for (size_t i = length - 1; i-- > 0;) {
        coded = coded << 1 | (coder.even((magnitude >> i & 1) != 0) ? 1U : 0U);
      }
    }
    return coder.even(value < 0) ? -static_cast<int>(coded) : static_cast<int>(coded);
  }

  Coder& coder_;
  const MotionGrid& grid_;
  const int cols_;
  const int shift_;
  const bool skips_;
  const ConstSideInfo source_;
  const SideInfo sink_;
  MotionScratch& scratch_;
};

}  // namespace ctv

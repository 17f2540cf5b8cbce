// SPDX-License-Identifier: BSD-3-Clause
// Symbols of a motion slice (docs/bitstream.md, 7), in the same order for encoder, decoder and training.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/entropy/motion_cells.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/side_info.hpp"

namespace ctv {

inline constexpr size_t kMostLength = 15;  // bits of a magnitude after its first
inline constexpr size_t kMergeCandidates = 4;

/// Which leaves may be skipped. kStill: those with the zero vector, so that a skipped one has no other
/// symbols.
enum class MotionSkips : uint8_t { kNone, kStill, kAny };

/// First context of each kind of symbol.
struct MotionContexts {
  static constexpr size_t kSplit = 0;                               // level - 1; neighbours that are smaller
  static constexpr size_t kSkip = kSplit + 3 * kRootLevel;          // level; neighbours that are skipped
  static constexpr size_t kDiffers = kSkip + 3 * (kRootLevel + 1);  // skipped; level; neighbours merged
  static constexpr size_t kCandidate = kDiffers + 6 * (kRootLevel + 1);      // skipped; candidates passed
  static constexpr size_t kWhole = kCandidate + 2 * (kMergeCandidates - 1);  // neighbours with whole vectors
  static constexpr size_t kNonzero = kWhole + 3;                             // whole; axis; class
  static constexpr size_t kLonger = kNonzero + 4 * kDifferenceClasses;  // whole; axis; class; bits so far
  static constexpr size_t kSecond = kLonger + 4 * kDifferenceClasses * kMostLength;  // whole; axis; bits - 1
  static constexpr size_t kFiltered = kSecond + 4 * kMostLength;  // neighbours that are filtered
  static constexpr size_t kCount = kFiltered + 3;
};

/// Takes the same steps for encoder and decoder: trees(), then vectors(), so users of skips need not wait for
/// vectors. A Coder has kDecodes, bit(context, bit) and even(bit); both return the bit.
template <typename Coder>
class MotionWalk {
 public:
  // grid: of the slice. cols: of the frame. source: the frame's motion from the slice's first cell on
  // (encoder). sink: output, from the same cell on (decoder).
  MotionWalk(Coder& coder, const MotionGrid& grid, int cols, int shift, MotionSkips skips,
             const ConstSideInfo& source, const SideInfo& sink, MotionScratch& scratch)
      : coder_(coder),
        grid_(grid),
        cols_(cols),
        shift_(shift),
        skips_(skips),
        source_(source),
        sink_(sink),
        scratch_(scratch) {}

  /// Codes splits and skips.
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
  template <typename Cells, typename Work>
  [[gnu::always_inline]] void for_roots(Cells& cells, Work work) {
    Coder in_registers = coder_;
    for (int row = 0; row < grid_.rows; row += kRootSide) {
      cells.start_row();
      for (int col = 0; col < grid_.cols; col += kRootSide) {
        cells.enter(col);
        work(in_registers, row, col);
        cells.leave(col);
      }
    }
    coder_ = in_registers;
  }

  /// Masks of a root's cells that differ from the left or upper cell: bit 8 x + y.
  struct Differences {
    uint64_t left = 0, above = 0;
    // Whether a square is one leaf. cell: bit of its first cell.
    bool uniform(int cell, int level) const {
      constexpr uint64_t kLeft[] = {0, 0x0300, 0x0f0f0f00, 0xffffffffffffff00};
      constexpr uint64_t kAbove[] = {0, 0x0202, 0x0e0e0e0e, 0xfefefefefefefefe};
      return ((left & kLeft[level] << cell) | (above & kAbove[level] << cell)) == 0;
    }
  };

  bool has_skips() const { return skips_ != MotionSkips::kNone; }
  ptrdiff_t place(int row, int col) const { return static_cast<ptrdiff_t>(row) * cols_ + col; }
  bool source_skip(ptrdiff_t place) const { return has_skips() && source_.skips[place] != 0; }
  // Extent of a root within the grid.
  Extent clipped(int row, int col) const {
    return {std::min(kRootSide, grid_.rows - row), std::min(kRootSide, grid_.cols - col)};
  }

  // A cell's key is its vector, with the skip in a bit that no vector uses. Cells outside the grid repeat the
  // last ones in it.
  Differences find_differences(int row, int col) const {
    const Extent root = clipped(row, col);
    uint32_t keys[kRootSide + 1][kRootSide + 1];  // with an unused border above and to the left
    uint32_t left[kRootSide] = {};
    uint32_t above[kRootSide] = {};
    for (int x = 0; x < kRootSide; ++x) keys[0][x + 1] = 0;
    for (int y = 0; y < kRootSide; ++y) {
      uint32_t* const own = keys[y + 1] + 1;
      const ptrdiff_t first = place(row + std::min(y, root.rows - 1), col);
      const MotionVector* const vectors = source_.vectors + first;
      own[-1] = 0;
      if (root.cols == kRootSide) {
        std::memcpy(own, vectors, kRootSide * sizeof(*own));
        if (has_skips()) {
          for (int x = 0; x < kRootSide; ++x) own[x] ^= uint32_t{source_.skips[first + x]} << 15;
        }
      } else {
        for (int x = 0; x < kRootSide; ++x) {
          const int from = std::min(x, root.cols - 1);
          own[x] = std::bit_cast<uint32_t>(vectors[from]) ^ (source_skip(first + from) ? 1U << 15 : 0);
        }
      }
      for (int x = 0; x < kRootSide; ++x) {
        left[x] |= uint32_t{own[x] != own[x - 1]} << y;
        above[x] |= uint32_t{own[x] != own[x - kRootSide - 1]} << y;
      }
    }
    Differences d;
    for (int x = 0; x < kRootSide; ++x) d.left |= uint64_t{left[x]} << (kRootSide * x);
    for (int x = 0; x < kRootSide; ++x) d.above |= uint64_t{above[x]} << (kRootSide * x);
    return d;
  }

  // Codes the nodes of a tree in order; each step goes from the first cell of a leaf to that of the next
  // leaf. Returns the place of the next tree's leaves.
  [[gnu::always_inline]] MotionLeaf* tree(Coder& coder, RootCells<MotionLeaf>& cells, int row, int col,
                                          MotionLeaf* leaf) {
    const Extent root = clipped(row, col);
    Differences differences;
    if constexpr (!kDecodes) differences = find_differences(row, col);
    for (int i = 0, level = 0; i < kRootSide * kRootSide; i += 1 << (2 * level)) {
      const auto [y, x] = kRootPlaces[static_cast<size_t>(i)];
      level = largest_node(i);
      if (y >= root.rows || x >= root.cols) continue;
      MotionLeaf* const cell = cells.at(y, x);
      const MotionLeaf left = cell[-1];
      const MotionLeaf above = cell[-kRootStride];
      for (; level > 0; --level) {
        const int smaller = (left.level < level ? 1 : 0) + (above.level < level ? 1 : 0);
        if (!coder.bit(C::kSplit + static_cast<size_t>(3 * (level - 1) + smaller),
                       !kDecodes && !differences.uniform(kRootSide * x + y, level))) {
          break;
        }
      }
      bool skip = false;
      if (has_skips()) {
        if constexpr (!kDecodes) skip = source_skip(place(row + y, col + x));
        skip = coder.bit(C::kSkip + static_cast<size_t>(3 * level + left.skip + above.skip), skip);
      }
      *leaf = {static_cast<uint8_t>(level), static_cast<uint8_t>(skip ? 1 : 0)};
      cells.put(cell, level, *leaf);
      ++leaf;
    }
    if constexpr (kDecodes) {
      if (has_skips()) {
        cells.copy(root, sink_.skips + place(row, col), cols_,
                   [](const MotionLeaf& cell) { return cell.skip; });
      }
    }
    return leaf;
  }

  [[gnu::always_inline]] const MotionLeaf* vectors_of_tree(Coder& coder, RootCells<MotionCell>& cells,
                                                           int row, int col, const MotionLeaf* leaf) {
    const Extent root = clipped(row, col);
    for (int i = 0, level = 0; i < kRootSide * kRootSide; i += 1 << (2 * level)) {
      const auto [y, x] = kRootPlaces[static_cast<size_t>(i)];
      level = largest_node(i);
      if (y >= root.rows || x >= root.cols) continue;
      level = leaf->level;
      const bool right =
          col + x + (1 << level) < grid_.cols && (kRightBefore[static_cast<size_t>(level)] >> i & 1) != 0;
      MotionCell* const cell = cells.at(y, x);
      cells.put(cell, level, vector_of_leaf(coder, row + y, col + x, *leaf++, cell, right));
    }
    if constexpr (kDecodes) {
      cells.copy(root, sink_.vectors + place(row, col), cols_,
                 [](const MotionCell& cell) { return std::bit_cast<MotionVector>(cell.vector); });
    }
    return leaf;
  }

  /// Distinct vectors among the left, the upper, the third and 0. Branch-free, since comparisons are
  /// unpredictable.
  struct Candidates {
    uint32_t vectors[kMergeCandidates + 1];  // one more is written after them
    size_t count = 0;
    [[gnu::always_inline]] void find(uint32_t left, uint32_t above, uint32_t third) {
      vectors[0] = left;
      vectors[1] = above;
      vectors[2] = vectors[3] = 0;  // read even if there are fewer
      count = 1 + size_t{above != left};
      vectors[count] = third;
      count += size_t{third != left} & size_t{third != above};
      vectors[count] = 0;
      count += size_t{left != 0} & size_t{above != 0} & size_t{third != 0};
    }
    // Position of a vector in the list, or `count`.
    [[gnu::always_inline]] size_t place_of(uint32_t own) const {
      unsigned places = 1U << count;
      for (size_t i = 0; i < kMergeCandidates; ++i) {
        places |= unsigned{vectors[i] == own} << i;
      }
      return static_cast<size_t>(std::countr_zero(places));
    }
  };

  // right: whether the cell above and to the right is coded.
  [[gnu::always_inline]] MotionCell vector_of_leaf(Coder& coder, int row, int col, MotionLeaf leaf,
                                                   const MotionCell* cell, bool right) {
    MotionCell now;
    if (skips_ == MotionSkips::kStill && leaf.skip != 0) {
      now.around = 1U << (2 * MotionCell::kField);  // as if merged
      return now;
    }
    const MotionCell left = cell[-1];
    const MotionCell above = cell[-kRootStride];
    // The upper right cell, or else the upper left one.
    const uint32_t third = cell[(right ? 1 << leaf.level : -1) - kRootStride].vector;
    Candidates list;
    MotionVector own;
    size_t found = 0;
    if constexpr (!kDecodes) {
      own = source_.vectors[place(row, col)];
      list.find(left.vector, above.vector, third);
      found = list.place_of(std::bit_cast<uint32_t>(own));
    }
    const uint32_t around = left.around + above.around;
    const size_t merged =
        12 * size_t{leaf.skip} + 3 * size_t{leaf.level} + (around >> (2 * MotionCell::kField));
    if (!coder.bit(C::kDiffers + merged, found == list.count)) {
      now.around = 1U << (2 * MotionCell::kField);
      if constexpr (kDecodes) list.find(left.vector, above.vector, third);
      size_t i = 0;
      while (i + 1 < list.count && coder.bit(C::kCandidate + 3 * size_t{leaf.skip} + i, i < found)) ++i;
      now.vector = list.vectors[i];
      return now;
    }
    MotionVector origin = std::bit_cast<MotionVector>(left.vector);
    if (row > 0) {
      origin = median_vector(origin, std::bit_cast<MotionVector>(above.vector),
                             std::bit_cast<MotionVector>(third));
    }
    // Vectors of whole samples are frequent, and have differences in whole samples.
    int shift = shift_;
    size_t first = 0;  // context of the coordinate
    if (shift_ < kVectorFractionBits) {
      const size_t near_whole = size_t{is_whole(left.vector)} + size_t{is_whole(above.vector)};
      if (coder.bit(C::kWhole + near_whole, is_whole(std::bit_cast<uint32_t>(own)))) {
        shift = kVectorFractionBits;
        first = 2;
        origin = {whole(origin.y), whole(origin.x)};
      }
    }
    const size_t y = around & ((1U << MotionCell::kField) - 1);
    const size_t x = around >> MotionCell::kField & ((1U << MotionCell::kField) - 1);
    const int difference_y = number(coder, first, difference_class(2 * y + x), (own.y - origin.y) >> shift);
    const uint32_t near_y = near(difference_y, shift);
    const int difference_x =
        number(coder, first + 1, difference_class(2 * x + y + 3 * near_y), (own.x - origin.x) >> shift);
    now.around = near_y | near(difference_x, shift) << MotionCell::kField;
    now.vector =
        std::bit_cast<uint32_t>(MotionVector{static_cast<int16_t>(origin.y + (difference_y << shift)),
                                             static_cast<int16_t>(origin.x + (difference_x << shift))});
    return now;
  }

  // Magnitude of a difference in units of 2^shift eighths, in those of the stream; limited to the last class.
  uint32_t near(int difference, int shift) const {
    return std::min(static_cast<uint32_t>(std::abs(difference)) << (shift - shift_), MotionCell::kMost);
  }
  /// Whether both coordinates of a vector are whole samples.
  static bool is_whole(uint32_t vector) {
    constexpr uint32_t kFractions = (kVectorUnit - 1) * 0x10001U;
    return (vector & kFractions) == 0;
  }
  static int16_t whole(int coordinate) {
    return static_cast<int16_t>((coordinate + kVectorUnit / 2) & -kVectorUnit);
  }

  // Codes a difference: whether it is 0, the number of bits after the first, these bits, the sign. axis: 0,
  // 1; of whole vectors 2, 3.
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
  const MotionSkips skips_;
  const ConstSideInfo source_;
  const SideInfo sink_;
  MotionScratch& scratch_;
};

}  // namespace ctv

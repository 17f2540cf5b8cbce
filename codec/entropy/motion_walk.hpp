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

/// What later leaves need of a cell at the lower or right border of a leaf.
struct MotionCell {
  MotionVector vector;
  uint16_t y = 0, x = 0;  // magnitudes of its difference
  uint8_t level = 255;    // log2 of the side of its leaf; more than that of any node: outside the grid
  uint8_t skip = 0;
  uint8_t merged = 0;  // its vector is a neighbour's
};

/// Takes the same steps with an encoder and a decoder. A Coder has kDecodes, bit(context, bit) and even(bit),
/// which return the bit. `cells`: [cols + 2], those above the row of roots with a border left and right.
template <typename Coder>
class MotionWalk {
 public:
  MotionWalk(Coder& coder, const MotionGrid& grid, int shift, bool skips, std::vector<MotionCell>& cells)
      : coder_(coder), grid_(grid), shift_(shift), skips_(skips), cells_(cells) {}

  // source: the frame's motion (encoder). sink: where it goes (decoder).
  void run(const ConstSideInfo& source, const SideInfo& sink) {
    source_ = source;
    sink_ = sink;
    std::fill(cells_.begin(), cells_.end(), MotionCell{});
    Coder in_registers = coder_;
    for (int row = 0; row < grid_.rows; row += kRoot) {
      for (auto& around : around_) around[0] = MotionCell{};
      for (int col = 0; col < grid_.cols; col += kRoot) {
        const int cols = std::min(kRoot, grid_.cols - col);
        std::copy_n(cells_.data() + col + 1, cols + 1, around_[0] + 1);
        root(in_registers, row, col);
        std::copy_n(around_[kRoot] + 1, cols, cells_.data() + col + 1);
        for (auto& around : around_) around[0] = around[kRoot];
      }
    }
    coder_ = in_registers;
  }

 private:
  using C = MotionContexts;
  static constexpr bool kDecodes = Coder::kDecodes;
  static constexpr int kRoot = 1 << kRootLevel;
  static constexpr int kStride = 16;

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

  ptrdiff_t place(int row, int col) const { return static_cast<ptrdiff_t>(row) * grid_.cols + col; }
  bool source_skip(ptrdiff_t place) const { return skips_ && source_.skips[place] != 0; }

  Differences find_differences(int row, int col) const {
    const int rows = std::min(kRoot, grid_.rows - row);
    const int cols = std::min(kRoot, grid_.cols - col);
    Differences d;
    uint64_t above[kRoot] = {};
    for (int y = 0; y < rows; ++y) {
      uint64_t left = 0;
      for (int x = 0; x < cols; ++x) {
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

  // The nodes of a tree in their order, from the first cell of each leaf to that of the next.
  [[gnu::always_inline]] void root(Coder& coder, int row, int col) {
    Differences differences;
    if constexpr (!kDecodes) differences = find_differences(row, col);
    for (int i = 0, level = 0; i < kRoot * kRoot; i += 1 << (2 * level)) {
      const int y = half_of_bits(i >> 1);
      const int x = half_of_bits(i);
      level = std::countr_zero(static_cast<unsigned>(i | kRoot * kRoot)) / 2;
      if (row + y >= grid_.rows || col + x >= grid_.cols) continue;
      MotionCell* const cell = &around_[y + 1][x + 1];
      const uint8_t left = cell[-1].level;
      const uint8_t above = cell[-kStride].level;
      for (; level > 0; --level) {
        const int smaller = (left < level ? 1 : 0) + (above < level ? 1 : 0);
        if (!coder.bit(C::kSplit + static_cast<size_t>(3 * (level - 1) + smaller),
                       !kDecodes && !differences.uniform(kRoot * y + x, level))) {
          break;
        }
      }
      const bool right = row + y > 0 && col + x + (1 << level) < grid_.cols &&
                         (kRightBefore[static_cast<size_t>(level)] >> i & 1) != 0;
      leaf(coder, row + y, col + x, level, cell, right);
    }
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
  [[gnu::always_inline]] void leaf(Coder& coder, int row, int col, int level, MotionCell* cell, bool right) {
    const MotionCell left = cell[-1];
    const MotionCell above = cell[-kStride];
    // Above right, or above left.
    const int side = 1 << level;
    const MotionVector third = cell[(right ? side : -1) - kStride].vector;
    Candidates list;
    MotionVector own;
    bool skip = false;
    size_t found = 0;
    if constexpr (!kDecodes) {
      own = source_.vectors[place(row, col)];
      skip = source_skip(place(row, col));
      list = Candidates(left.vector, above.vector, third);
      found = static_cast<size_t>(std::find(list.vectors, list.vectors + list.count, own) - list.vectors);
    }
    if (skips_) skip = coder.bit(C::kSkip + static_cast<size_t>(3 * level + left.skip + above.skip), skip);
    const size_t kind = skip ? 1 : 0;
    MotionCell now;
    now.level = static_cast<uint8_t>(level);
    now.skip = static_cast<uint8_t>(kind);
    const size_t merged = 12 * kind + static_cast<size_t>(3 * level + left.merged + above.merged);
    const bool differs = coder.bit(C::kDiffers + merged, found == list.count);
    if (!differs) {
      now.merged = 1;
      if constexpr (kDecodes) list = Candidates(left.vector, above.vector, third);
      size_t i = 0;
      while (i + 1 < list.count && coder.bit(C::kCandidate + 3 * kind + i, i < found)) ++i;
      now.vector = list.vectors[i];
    } else {
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
    }
    put(cell, row, col, side, now);
  }

  void put(MotionCell* cell, int row, int col, int side, const MotionCell& now) {
    const int rows = std::min(side, grid_.rows - row);
    const int cols = std::min(side, grid_.cols - col);
    for (int r = 0; r < rows - 1; ++r) cell[r * kStride + cols - 1] = now;
    std::fill_n(cell + (rows - 1) * kStride, cols, now);
    if constexpr (kDecodes) {
      for (int r = 0; r < rows; ++r) {
        std::fill_n(sink_.vectors + place(row + r, col), cols, now.vector);
        if (skips_) std::fill_n(sink_.skips + place(row + r, col), cols, now.skip);
      }
    }
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
  const int shift_;
  const bool skips_;
  std::vector<MotionCell>& cells_;
  ConstSideInfo source_;
  SideInfo sink_;
  MotionCell around_[kRoot + 1][kStride];  // of a root, with a border above and left
};

}  // namespace ctv

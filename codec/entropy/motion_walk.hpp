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
  while (k < kDifferenceClasses - 1 && around >= static_cast<size_t>(kDifferenceThresholds[k])) ++k;
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

/// What later leaves need of a coded cell; `coded` is 0 outside the grid.
struct MotionCell {
  uint8_t coded = 0;
  uint8_t level = 0;  // log2 of the side of its leaf
  uint8_t skip = 0;
  uint8_t merged = 0;     // its vector is a neighbour's
  uint16_t y = 0, x = 0;  // magnitudes of its difference
  MotionVector vector;
};

/// Takes the same steps with an encoder and a decoder. A Coder has kDecodes, bit(context, bit) and even(bit),
/// which return the bit. `cells`: [rows + 1][cols + 2], with a border above, left and right.
template <typename Coder>
class MotionWalk {
 public:
  MotionWalk(Coder& coder, const MotionGrid& grid, int shift, bool skips, std::vector<MotionCell>& cells)
      : coder_(coder), grid_(grid), shift_(shift), skips_(skips), stride_(grid.cols + 2), cells_(cells) {}

  // source: the frame's motion (encoder). sink: where it goes (decoder).
  void run(const ConstSideInfo& source, const SideInfo& sink) {
    source_ = source;
    sink_ = sink;
    std::fill(cells_.begin(), cells_.end(), MotionCell{});
    for (int row = 0; row < grid_.rows; row += 1 << kRootLevel) {
      for (int col = 0; col < grid_.cols; col += 1 << kRootLevel) node(row, col, kRootLevel);
    }
  }

 private:
  using C = MotionContexts;
  static constexpr bool kDecodes = Coder::kDecodes;

  MotionCell* at(int row, int col) { return cells_.data() + (row + 1) * stride_ + col + 1; }
  ptrdiff_t place(int row, int col) const { return static_cast<ptrdiff_t>(row) * grid_.cols + col; }
  bool source_skip(int row, int col) const { return skips_ && source_.skips[place(row, col)] != 0; }

  // Calls code(row, col) for the cells of a square that are in the grid.
  template <typename Code>
  void for_cells(int row, int col, int level, Code code) const {
    const int last_row = std::min(row + (1 << level), grid_.rows);
    const int last_col = std::min(col + (1 << level), grid_.cols);
    for (int r = row; r < last_row; ++r) {
      for (int c = col; c < last_col; ++c) code(r, c);
    }
  }

  // Whether a square of the source is one leaf.
  bool uniform(int row, int col, int level) const {
    const MotionVector v = source_.vectors[place(row, col)];
    const bool skip = source_skip(row, col);
    const int last_row = std::min(row + (1 << level), grid_.rows);
    const int last_col = std::min(col + (1 << level), grid_.cols);
    for (int r = row; r < last_row; ++r) {
      for (int c = col; c < last_col; ++c) {
        if (source_.vectors[place(r, c)] != v || source_skip(r, c) != skip) return false;
      }
    }
    return true;
  }

  void node(int row, int col, int level) {
    if (row >= grid_.rows || col >= grid_.cols) return;
    if (level > 0) {
      const MotionCell* cell = at(row, col);
      const int smaller = (cell[-1].coded != 0 && cell[-1].level < level) +
                          (cell[-stride_].coded != 0 && cell[-stride_].level < level);
      if (coder_.bit(C::kSplit + static_cast<size_t>(3 * (level - 1) + smaller),
                     !kDecodes && !uniform(row, col, level))) {
        const int half = 1 << (level - 1);
        for (int k = 0; k < 4; ++k) node(row + (k >> 1) * half, col + (k & 1) * half, level - 1);
        return;
      }
    }
    leaf(row, col, level);
  }

  void leaf(int row, int col, int level) {
    const MotionCell* cell = at(row, col);
    const MotionCell& left = cell[-1];
    const MotionCell& above = cell[-stride_];
    // Above right, or above left where that is outside the grid or not yet coded.
    const int side = 1 << level;
    const bool right = col + side < grid_.cols && above.coded != 0 && cell[side - stride_].coded != 0;
    const MotionVector third = cell[(right ? side : -1) - stride_].vector;
    const MotionVector origin = row == 0 ? left.vector : median_vector(left.vector, above.vector, third);
    MotionVector list[kMergeCandidates];
    int count = 0;
    for (const MotionVector v : {left.vector, above.vector, third, MotionVector{}}) {
      if (std::find(list, list + count, v) == list + count) list[count++] = v;
    }
    MotionVector own;
    bool skip = false;
    int found = 0;
    if constexpr (!kDecodes) {
      own = source_.vectors[place(row, col)];
      skip = source_skip(row, col);
      found = static_cast<int>(std::find(list, list + count, own) - list);
    }
    if (skips_) skip = coder_.bit(C::kSkip + static_cast<size_t>(3 * level + left.skip + above.skip), skip);
    const size_t kind = skip ? 1 : 0;
    MotionCell now{1, static_cast<uint8_t>(level), static_cast<uint8_t>(kind), 0, 0, 0, {}};
    const size_t merged = 12 * kind + static_cast<size_t>(3 * level + left.merged + above.merged);
    const bool differs = coder_.bit(C::kDiffers + merged, found == count);
    if (!differs) {
      now.merged = 1;
      int i = 0;
      while (i < count - 1 && coder_.bit(C::kCandidate + 3 * kind + static_cast<size_t>(i), i < found)) ++i;
      now.vector = list[i];
    } else {
      const size_t y = size_t{left.y} + above.y;
      const size_t x = size_t{left.x} + above.x;
      const int dy = number(0, difference_class(2 * y + x), (own.y - origin.y) >> shift_);
      now.y = static_cast<uint16_t>(std::abs(dy));
      const int dx = number(1, difference_class(2 * x + y + 3 * size_t{now.y}), (own.x - origin.x) >> shift_);
      now.x = static_cast<uint16_t>(std::abs(dx));
      now.vector = {static_cast<int16_t>(origin.y + (dy << shift_)),
                    static_cast<int16_t>(origin.x + (dx << shift_))};
    }
    for_cells(row, col, level, [&](int r, int c) {
      *at(r, c) = now;
      if constexpr (kDecodes) {
        sink_.vectors[place(r, c)] = now.vector;
        if (skips_) sink_.skips[place(r, c)] = now.skip;
      }
    });
  }

  // A difference: whether it is 0, how many bits follow the first, these, the sign.
  int number(size_t axis, size_t k, int value) {
    const size_t context = axis * kDifferenceClasses + k;
    const auto magnitude = static_cast<uint32_t>(std::abs(value));
    if (!coder_.bit(C::kNonzero + context, magnitude != 0)) return 0;
    const size_t bits = magnitude == 0 ? 0 : static_cast<size_t>(std::bit_width(magnitude)) - 1;
    size_t length = 0;
    const size_t longer = C::kLonger + context * kMostLength;
    while (length < kMostLength && coder_.bit(longer + length, length < bits)) ++length;
    uint32_t coded = 1;
    for (size_t i = length; i-- > 0;) {
      const bool one = (magnitude >> i & 1) != 0;
      const size_t second = C::kSecond + axis * kMostLength + length - 1;
      const bool bit = i == length - 1 ? coder_.bit(second, one) : coder_.even(one);
      coded = coded << 1 | (bit ? 1U : 0U);
    }
    return coder_.even(value < 0) ? -static_cast<int>(coded) : static_cast<int>(coded);
  }

  Coder& coder_;
  const MotionGrid& grid_;
  const int shift_;
  const bool skips_;
  const ptrdiff_t stride_;
  std::vector<MotionCell>& cells_;
  ConstSideInfo source_;
  SideInfo sink_;
};

}  // namespace ctv

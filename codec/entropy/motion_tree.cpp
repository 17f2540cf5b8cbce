// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/motion_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/entropy/range_coder.hpp"

namespace ctv {
namespace {

using Cell = MotionTree::Cell;

constexpr int kRootsOfASlice = 96;
constexpr int kMostSlices = 16;
constexpr int kRoot = 3;      // log2 of a root's side
constexpr int kLengths = 16;  // bits of a magnitude
constexpr int kMerges = 4;    // candidates of a merged leaf
constexpr size_t kClasses = kDifferenceThresholds.size() + 1;

// The class of a difference whose neighbours' magnitudes have the weighted sum `around`.
size_t class_of(size_t around) {
  size_t k = 0;
  while (k < kClasses - 1 && around >= static_cast<size_t>(kDifferenceThresholds[k])) ++k;
  return k;
}

struct Contexts {
  AdaptiveBit split[kRoot + 1][3];            // level; neighbours that are smaller
  AdaptiveBit skip[kRoot + 1][3];             // level; neighbours that are skipped
  AdaptiveBit differs[2][kRoot + 1][3];       // skipped; level; neighbours that are merged
  AdaptiveBit candidate[2][kMerges - 1];      // skipped; candidates passed
  AdaptiveBit nonzero[2][kClasses];           // axis, class
  AdaptiveBit longer[2][kClasses][kLengths];  // axis, class; bits so far
  AdaptiveBit second[2][kLengths];            // axis; bits below the first
};

// Codes trees with a RangeEncoder, or decodes them with a RangeDecoder. Both take the same steps.
template <typename Coder>
class Walk {
 public:
  Walk(Coder& coder, const MotionGrid& grid, int shift, bool skips, std::vector<Cell>& cells)
      : coder_(coder), grid_(grid), shift_(shift), skips_(skips), stride_(grid.cols + 2), cells_(cells) {}

  // source: the frame's motion (encoder). sink: where it goes (decoder).
  void run(const ConstSideInfo& source, const SideInfo& sink) {
    source_ = source;
    sink_ = sink;
    std::fill(cells_.begin(), cells_.end(), Cell{});
    for (int row = 0; row < grid_.rows; row += 1 << kRoot) {
      for (int col = 0; col < grid_.cols; col += 1 << kRoot) node(row, col, kRoot);
    }
  }

 private:
  static constexpr bool kDecodes = Coder::kDecodes;

  Cell* at(int row, int col) { return cells_.data() + (row + 1) * stride_ + col + 1; }
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
    bool same = true;
    for_cells(row, col, level, [&](int r, int c) {
      same = same && source_.vectors[place(r, c)] == v && source_skip(r, c) == skip;
    });
    return same;
  }

  void node(int row, int col, int level) {
    if (row >= grid_.rows || col >= grid_.cols) return;
    if (level > 0) {
      const Cell* cell = at(row, col);
      const int smaller = (cell[-1].coded != 0 && cell[-1].level < level) +
                          (cell[-stride_].coded != 0 && cell[-stride_].level < level);
      if (coder_.bit(contexts_.split[level][smaller], !kDecodes && !uniform(row, col, level))) {
        const int half = 1 << (level - 1);
        for (int k = 0; k < 4; ++k) node(row + (k >> 1) * half, col + (k & 1) * half, level - 1);
        return;
      }
    }
    leaf(row, col, level);
  }

  void leaf(int row, int col, int level) {
    const Cell* cell = at(row, col);
    const Cell& left = cell[-1];
    const Cell& above = cell[-stride_];
    // Above right, or above left where that is outside the grid or not yet coded.
    const int side = 1 << level;
    const bool right = col + side < grid_.cols && above.coded != 0 && cell[side - stride_].coded != 0;
    const MotionVector third = cell[(right ? side : -1) - stride_].vector;
    const MotionVector origin = row == 0 ? left.vector : median_vector(left.vector, above.vector, third);
    MotionVector list[kMerges];
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
    if (skips_) skip = coder_.bit(contexts_.skip[level][left.skip + above.skip], skip);
    const size_t kind = skip ? 1 : 0;
    Cell now{1, static_cast<uint8_t>(level), static_cast<uint8_t>(kind), 0, 0, 0, {}};
    const bool differs =
        coder_.bit(contexts_.differs[kind][level][left.merged + above.merged], found == count);
    if (!differs) {
      now.merged = 1;
      int i = 0;
      while (i < count - 1 && coder_.bit(contexts_.candidate[kind][i], i < found)) ++i;
      now.vector = list[i];
    } else {
      const size_t y = size_t{left.y} + above.y;
      const size_t x = size_t{left.x} + above.x;
      const int dy = number(0, class_of(2 * y + x), (own.y - origin.y) >> shift_);
      now.y = static_cast<uint16_t>(std::abs(dy));
      const int dx = number(1, class_of(2 * x + y + 3 * size_t{now.y}), (own.x - origin.x) >> shift_);
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
  int number(int axis, size_t k, int value) {
    const auto magnitude = static_cast<uint32_t>(std::abs(value));
    if (!coder_.bit(contexts_.nonzero[axis][k], magnitude != 0)) return 0;
    const int bits = magnitude == 0 ? 0 : static_cast<int>(std::bit_width(magnitude)) - 1;
    int length = 0;
    while (length < kLengths - 1 && coder_.bit(contexts_.longer[axis][k][length], length < bits)) ++length;
    uint32_t coded = 1;
    for (int i = length - 1; i >= 0; --i) {
      const bool one = (magnitude >> i & 1) != 0;
      const bool bit = i == length - 1 ? coder_.bit(contexts_.second[axis][length], one) : coder_.even(one);
      coded = coded << 1 | (bit ? 1U : 0U);
    }
    return coder_.even(value < 0) ? -static_cast<int>(coded) : static_cast<int>(coded);
  }

  Coder& coder_;
  const MotionGrid& grid_;
  const int shift_;
  const bool skips_;
  const ptrdiff_t stride_;
  std::vector<Cell>& cells_;
  ConstSideInfo source_;
  SideInfo sink_;
  Contexts contexts_;
};

size_t cell_count(const MotionGrid& grid) {
  return static_cast<size_t>(grid.rows + 1) * static_cast<size_t>(grid.cols + 2);
}

int roots(int cells) { return ceil_div(cells, 1 << kRoot); }

// First row of cells of a slice; slice = motion_slices(): behind the last.
int first_row(const MotionGrid& grid, int slice) {
  return std::min(slice * roots(grid.rows) / motion_slices(grid) << kRoot, grid.rows);
}

template <typename Side>
Side moved(Side side, size_t cells) {
  side.vectors += cells;
  if (side.skips != nullptr) side.skips += cells;
  return side;
}

}  // namespace

int motion_slices(const MotionGrid& grid) {
  const int rows = roots(grid.rows);
  return std::clamp(rows * roots(grid.cols) / kRootsOfASlice, 1, std::min(rows, kMostSlices));
}

MotionTree::MotionTree(const MotionGrid& grid, int slice, int subpel, bool skips)
    : grid_(grid), shift_(kVectorFractionBits - subpel), skips_(skips) {
  const int first = first_row(grid, slice);
  grid_.rows = first_row(grid, slice + 1) - first;
  first_ = static_cast<size_t>(first) * static_cast<size_t>(grid.cols);
  cells_.resize(cell_count(grid_));
}

size_t MotionTree::encode(const CodedFrame& frame, Growing<uint8_t>& out) {
  RangeEncoder coder(out);
  Walk(coder, grid_, shift_, skips_, cells_).run(moved(frame.side, first_), {});
  return coder.finish();
}

bool MotionTree::decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) {
  RangeDecoder coder(bytes);
  Walk(coder, grid_, shift_, skips_, cells_).run({}, moved(frame.side, first_));
  return coder.sound();
}

size_t MotionTree::bytes(const MotionGrid& grid) {
  const auto slices = static_cast<size_t>(motion_slices(grid));
  return slices * (sizeof(MotionTree) + static_cast<size_t>(grid.cols + 2) * sizeof(Cell)) +
         cell_count(grid) * sizeof(Cell);
}

}  // namespace ctv

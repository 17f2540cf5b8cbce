// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). Units of 2x2 cells are
// predicted one by one; a vector is given up once its units cost too much.
#include "codec/control/skip_squares.hpp"

#include <algorithm>

#include "codec/util/parallel.hpp"
#include "cpu/motion/skip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/skip_squares.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/skip_unit-inl.hpp"

#ifndef CTV_CPU_SKIP_SQUARES_ONCE
#define CTV_CPU_SKIP_SQUARES_ONCE
namespace ctv {

struct UnitedFrame {
  const SkipPlanes& planes;
  SkipPrices prices, chroma;  // of luma with all bits of its samples, of chroma as 8 bits
  SkipField from;
  MotionVector* to;
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Root with first cell (row, col).
class UnitedRoot {
 public:
  UnitedRoot(const UnitedFrame& frame, int row, int col) : frame_(frame), row_(row), col_(col) {}

  void unite() {
    const int rows = min_of(frame_.from.rows - row_, SkipRoot::kSide);
    const int cols = min_of(frame_.from.cols - col_, SkipRoot::kSide);
    if (load()) {
      try_squares();
      if (frame_.planes.planes > 1) compare_chroma(rows, cols);
    }
    for (int r = 0; r < rows; ++r)
      std::copy_n(&root_.at(r, 0), cols, frame_.to + frame_.from.place(row_ + r, col_));
  }

 private:
  // SkipRoot::load() of the whole root, by whole rows if they lie in the grid.
  bool load() {
    const SkipField& from = frame_.from;
    const bool whole = col_ > 0 && col_ - 1 + SkipRoot::kPitch <= from.cols;
    bool moves = false;
    for (int r = 0; r < SkipRoot::kPitch; ++r) {
      const int first = r * SkipRoot::kPitch;
      const int place = from.place(row_ - 1 + r, col_ - 1);
      if (!whole || place < 0) {
        for (int i = 0; i < SkipRoot::kPitch; ++i) moves |= root_.load(from, row_, col_, first + i);
        continue;
      }
      for (int i = 0; i < SkipRoot::kPitch; ++i) {
        const MotionVector v = root_.window[first + i] = from.vectors[place + i];
        moves |= (from.skips[place + i] != 0) & ((v.y | v.x) != 0);
      }
    }
    return moves;
  }

  void try_squares() {
    root_.skipped = 0;
    for (int unit = 0; unit < SkipRoot::kUnits; ++unit)
      root_.skipped |= SkipRoot::is_skipped(frame_.from, row_, col_, unit) ? 1U << unit : 0;
    std::fill_n(&root_.errors[0][0][0], sizeof root_.errors / sizeof(uint32_t), SkipRoot::kUnknown);
    std::fill_n(root_.own, SkipRoot::kUnits, 0);
    for (int level = 1; level <= kRootLevel; ++level) {
      const int squares = SkipRoot::kUnits / SkipRoot::units(level);
      for (int i = 0; i < squares; ++i) begin(level, i);
      for (int i = 0; i < squares; ++i) {
        if (root_.squares[level - 1][i].tried != 0) decide(level, i);
      }
    }
  }

  int y_of(int unit) const { return (row_ + SkipRoot::row_of(unit)) * kCell; }
  int x_of(int unit) const { return (col_ + SkipRoot::col_of(unit)) * kCell; }

  // Prefetches a unit's samples while other squares begin.
  void prefetch(int unit, MotionVector v) const {
    const int y = y_of(unit);
    const int x = x_of(unit);
    prefetch_block(frame_.planes.source[0], y, x, kUnit, 1);
    prefetch_block(frame_.planes.reference[0], y + displacement(v.y, 0).whole, x + displacement(v.x, 0).whole,
                   kUnit, 1);
  }

  void begin(int level, int index) {
    SkipSquare& s = root_.squares[level - 1][index];
    s = {};
    if (!root_.is_skipped(level, index)) return;
    for (int k = 0; k < kSquareVectors; ++k) s.vectors[k] = root_.candidate(level, index, k);
    for (int k = 0; k < kQuarters; ++k) s.mixed |= root_.is_mixed(level, index, k) ? 1U << k : 0U;
    s.uniform = s.is_uniform();
    if (!root_.is_tried(level, index, s.own_bits())) return;
    for (int unit = index * SkipRoot::units(level); SkipRoot::index_of(level, unit) == index; ++unit) {
      if (!root_.is_own_known(level, unit)) prefetch(unit, s.vectors[0]);
    }
    for (int k = 0; k < kSquareVectors; ++k) s.tried |= s.is_repeated(s.vectors[k], k) ? 0U : 1U << k;
  }

  // Error of a unit with vector k of its square; also stored for cells with the same vector.
  [[gnu::always_inline]] inline uint32_t error(int level, int unit, int k) {
    uint32_t& error = root_.error(level, unit, k);
    const MotionVector v = root_.square_of(level, unit).vectors[k];
    if (error == SkipRoot::kUnknown) error = root_.known_error(level, unit, v);
    if (error != SkipRoot::kUnknown) return error;
    const int y = y_of(unit);
    const int x = x_of(unit);
    const Near<kUnit> source(frame_.planes.source[0], y, x, kUnit);
    const Moved<kUnit> moved(frame_.planes.reference[0], {}, v, y, x, kUnit, true);
    const Sample* predicted = moved.source;
    ptrdiff_t stride = moved.stride;
    alignas(64) int16_t between[kUnit * kUnit];
    if (!moved.whole()) {
      PredictBetween<kUnit>(moved, kUnit, between, kUnit, {true, frame_.planes.shift});
      predicted = between;
      stride = kUnit;
    }
    uint64_t squares[1][kSkipCells];  // in 64ths
    SquaresOfLuma(source.data, source.stride, predicted, stride, squares);
    const bool known = root_.is_own_known(level, unit);
    error = 0;
    for (int i = 0; i < kSkipCells; ++i) {
      const auto square = static_cast<uint32_t>(squares[0][i] / 64);
      error += square;
      if (!known && root_.cell(unit, i) == v) root_.own[unit] += square;
    }
    return error;
  }

  // Error of a unit with its current vectors. If unknown, these are the vectors of quarters.
  [[gnu::always_inline]] inline uint32_t own_error(int level, int unit) {
    const SkipSquare& s = root_.square_of(level, unit);
    for (int k = 0; k < kQuarters && !root_.is_own_known(level, unit); ++k) {
      bool has = false;
      for (int i = 0; i < kSkipCells; ++i) has |= root_.cell(unit, i) == s.vectors[k];
      if (has && s.tries(k)) error(level, unit, k);
    }
    return root_.own[unit];
  }

  // Gives a square the cheapest vector.
  void decide(int level, int index) {
    const SkipSquare& s = root_.squares[level - 1][index];
    const int first = index * SkipRoot::units(level);
    const int end = first + SkipRoot::units(level);
    uint64_t least = skip_square_cost(frame_.prices, 0, s.own_bits());
    for (int i = first; i < end; ++i) least += skip_square_cost(frame_.prices, own_error(level, i), 0);
    int best = -1;
    for (int k = 0; k < kSquareVectors; ++k) {
      if (!s.tries(k)) continue;
      uint64_t cost = skip_square_cost(frame_.prices, 0, s.leaf_bits(s.vectors[k]));
      for (int i = first; i < end && cost < least; ++i)
        cost += skip_square_cost(frame_.prices, error(level, i, k), 0);
      if (cost >= least) continue;
      least = cost;
      best = k;
    }
    for (int i = first; i < end && best >= 0; ++i) root_.change(level, i, best);
  }

  // For both planes of chroma of a cell with the vector v. kWidth: columns of a plane
  template <int kWidth>
  uint32_t chroma_error(int r, int c, MotionVector v) const {
    const UnitPlane planes[] = {PlaneOfUnit(frame_.planes, 1, row_ + r, col_ + c),
                                PlaneOfUnit(frame_.planes, 2, row_ + r, col_ + c)};
    const int rows = planes[0].cell_rows();
    alignas(64) int16_t difference[kCell * 2 * kWidth];
    SubtractChroma<kWidth, 2 * kWidth>(planes, v, 0, 0, rows, difference);
    int32_t sum = 0;
    for (int i = 0; i < rows * 2 * kWidth; ++i) sum += difference[i] * difference[i];
    return static_cast<uint32_t>(sum);
  }
  uint32_t chroma_error(int r, int c, MotionVector v) const {
    return frame_.planes.chroma.x == 0 ? chroma_error<kCell>(r, c, v) : chroma_error<kCell / 2>(r, c, v);
  }

  void compare_chroma(int rows, int cols) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        const MotionVector own = frame_.from.vectors[frame_.from.place(row_ + r, col_ + c)];
        MotionVector& merged = root_.at(r, c);
        if (merged != own &&
            takes_vector_back(frame_.chroma, chroma_error(r, c, own), chroma_error(r, c, merged)))
          merged = own;
      }
    }
  }

  const UnitedFrame& frame_;
  int row_, col_;
  SkipRoot root_;
};

// Merges the roots of a row in columns [begin, end) of the grid.
void UniteRow(const UnitedFrame& frame, int row, int begin, int end) {
  for (int col = begin; col < end; col += SkipRoot::kSide) UnitedRoot(frame, row, col).unite();
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(UniteRow);

void merge_skip_vectors(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                        const MotionVector* vectors, const SideInfo& side) {
  const UnitedFrame frame{planes,
                          skip_prices(base_step << planes.shift),
                          skip_prices(base_step),
                          {grid.rows, grid.cols, side.skips, vectors},
                          side.vectors};
  parallel_rows(threads, grid.root_rows(), grid.cols, SkipRoot::kSide, [&](int i, int begin, int end) {
    HWY_DYNAMIC_DISPATCH(UniteRow)(frame, i * SkipRoot::kSide, begin, end);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

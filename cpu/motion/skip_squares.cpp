// SPDX-License-Identifier: BSD-3-Clause
// Gives squares of skipped cells one vector (codec/control/skip_squares.hpp). Units of 2x2 cells are
// predicted one after the other; a vector whose units cost too much already is given up.
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
  PlaneView<const Sample> source, reference;  // luma, whose samples are bytes
  SkipPrices prices;
  SkipField from;
  MotionVector* to;
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// The root whose first cell is (row, col).
class UnitedRoot {
 public:
  UnitedRoot(const UnitedFrame& frame, int row, int col) : frame_(frame), row_(row), col_(col) {}

  void unite() {
    if (load()) try_squares();
    const int rows = min_of(frame_.from.rows - row_, SkipRoot::kSide);
    const int cols = min_of(frame_.from.cols - col_, SkipRoot::kSide);
    for (int r = 0; r < rows; ++r)
      std::copy_n(&root_.at(r, 0), cols, frame_.to + frame_.from.place(row_ + r, col_));
  }

 private:
  // SkipRoot::load() of all, by whole rows where the grid has them.
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

  // Loads what a unit is compared with, while other squares begin.
  void prefetch(int unit, MotionVector v) const {
    const int y = y_of(unit);
    const int x = x_of(unit);
    prefetch_block(frame_.source, y, x, kUnit, 1);
    prefetch_block(frame_.reference, y + displacement(v.y, 0).whole, x + displacement(v.x, 0).whole, kUnit,
                   1);
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

  // The error of a unit with vector k of its square, noted also for those cells that have the vector.
  [[gnu::always_inline]] inline uint32_t error(int level, int unit, int k) {
    uint32_t& error = root_.error(level, unit, k);
    const MotionVector v = root_.square_of(level, unit).vectors[k];
    if (error == SkipRoot::kUnknown) error = root_.known_error(level, unit, v);
    if (error != SkipRoot::kUnknown) return error;
    const int y = y_of(unit);
    const int x = x_of(unit);
    const Near<kUnit> source(frame_.source, y, x, kUnit);
    const Moved<kUnit> moved(frame_.reference, {}, v, y, x, kUnit, true);
    const Sample* predicted = moved.source;
    ptrdiff_t stride = moved.stride;
    alignas(64) int16_t between[kUnit * kUnit];
    if (!moved.whole()) {
      PredictBetween<kUnit>(moved, kUnit, between, kUnit, true);
      predicted = between;
      stride = kUnit;
    }
    uint64_t squares[1][kSkipCells];  // 64ths
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

  // The error of a unit as it is. If it is not known, the vectors of its cells are those of quarters.
  [[gnu::always_inline]] inline uint32_t own_error(int level, int unit) {
    const SkipSquare& s = root_.square_of(level, unit);
    for (int k = 0; k < kQuarters && !root_.is_own_known(level, unit); ++k) {
      bool has = false;
      for (int i = 0; i < kSkipCells; ++i) has |= root_.cell(unit, i) == s.vectors[k];
      if (has && s.tries(k)) error(level, unit, k);
    }
    return root_.own[unit];
  }

  // Gives a square the vector that costs least.
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

  const UnitedFrame& frame_;
  int row_, col_;
  SkipRoot root_;
};

// Of a row of roots, those in columns [begin, end) of the grid.
void UniteRow(const UnitedFrame& frame, int row, int begin, int end) {
  for (int col = begin; col < end; col += SkipRoot::kSide) UnitedRoot(frame, row, col).unite();
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(UniteRow);

void merge_skip_vectors(int threads, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                        const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                        const SideInfo& side) {
  const UnitedFrame frame{
      source, reference, skip_prices(base_step), {grid.rows, grid.cols, side.skips, vectors}, side.vectors};
  parallel_rows(threads, grid.root_rows(), grid.cols, SkipRoot::kSide, [&](int i, int begin, int end) {
    HWY_DYNAMIC_DISPATCH(UniteRow)(frame, i * SkipRoot::kSide, begin, end);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

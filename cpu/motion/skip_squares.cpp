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

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kMostUnits = 16;  // of a square

template <int kWidth>
uint64_t PlaneError(const UnitPlane& u, const MotionVector (&vectors)[kSkipCells]) {
  alignas(64) int16_t predicted[kUnit * kWidth];
  alignas(64) int16_t difference[kUnit * kWidth] = {};
  const Near<kWidth> source(u.source, u.y, u.x, u.rows);
  PredictUnit<kWidth>(u, vectors, predicted);
  Subtract<kWidth>(source.data, source.stride, predicted, kWidth, u.rows, difference);
  uint64_t squares[kSkipCells];
  Squares<kWidth>(u, difference, squares);
  return squares[0] + squares[1] + squares[2] + squares[3];
}

// Of the unit that begins in column col.
HWY_INLINE uint64_t UnitError(const SkipRow& s, int col, const MotionVector (&vectors)[kSkipCells]) {
  uint64_t error = 0;
  for (int p = 0; p < s.planes->planes; ++p) {
    const UnitPlane u = PlaneOfUnit(s, p, col);
    error += u.shift.x == 0 ? PlaneError<kUnit>(u, vectors) : PlaneError<kUnit / 2>(u, vectors);
  }
  return error;
}

// The vector that the square from column col on gets; null: it keeps its own.
HWY_INLINE const MotionVector* BestVector(const SkipRow& s, int level, int col, const MotionVector* vectors,
                                          SkipSquare& square) {
  const int units = (1 << level) / kSkipUnit;  // on a side
  const auto row_of = [&](int unit) {
    return SkipRow{s.planes, s.grid, s.prices, s.row + unit / units * kSkipUnit};
  };
  const auto col_of = [&](int unit) { return col + unit % units * kSkipUnit; };
  MotionVector own[kMostUnits][kSkipCells];
  uint64_t own_errors[kMostUnits];
  uint64_t error = 0;
  for (int i = 0; i < units * units; ++i) {
    const SkipRow row = row_of(i);
    for (int k = 0; k < kSkipCells; ++k) own[i][k] = vectors[row.cell(k, col_of(i))];
    error += own_errors[i] = UnitError(row, col_of(i), own[i]);
  }
  const SkipPrices& prices = *s.prices;
  uint64_t least = skip_square_cost(prices, error, square.own_bits());
  const MotionVector* best = nullptr;
  for (int k = 0; k < square.count; ++k) {
    const MotionVector v = square.vectors[k];
    if (square.is_repeated(k)) continue;
    const MotionVector all[kSkipCells] = {v, v, v, v};
    uint64_t cost = skip_square_cost(prices, 0, square.leaf_bits(v));
    for (int i = 0; i < units * units && cost < least; ++i) {
      const bool known = std::equal(own[i], own[i] + kSkipCells, all);
      cost += skip_square_cost(prices, known ? own_errors[i] : UnitError(row_of(i), col_of(i), all), 0);
    }
    if (cost >= least) continue;
    least = cost;
    best = square.vectors + k;
  }
  return best;
}

// s.row: the first of a row of squares
void UniteRow(const SkipRow& s, int level, const uint8_t* skips, const MotionVector* from, MotionVector* to) {
  const MotionGrid& grid = *s.grid;
  const int side = 1 << level;
  for (int r = s.row; r < std::min(s.row + side, grid.rows); ++r) {
    const ptrdiff_t first = ptrdiff_t{r} * grid.cols;
    std::copy_n(from + first, grid.cols, to + first);
  }
  if (s.row + side > grid.rows) return;
  for (int col = 0; col + side <= grid.cols; col += side) {
    SkipSquare square = SkipSquare::make(from, grid.rows, grid.cols, s.row, col, level);
    bool skipped = true;
    for (int r = 0; r < side && skipped; ++r) {
      for (int c = 0; c < side; ++c) {
        const ptrdiff_t cell = ptrdiff_t{s.row + r} * grid.cols + col + c;
        const int quarter = r / (side / 2) * 2 + c / (side / 2);
        skipped &= skips[cell] != 0;
        square.mixed |= from[cell] == square.vectors[quarter] ? 0U : 1U << quarter;
      }
    }
    if (!skipped || square.own_bits() == kLeafBits) continue;
    const MotionVector* const best = BestVector(s, level, col, from, square);
    for (int r = 0; r < side && best != nullptr; ++r)
      std::fill_n(to + ptrdiff_t{s.row + r} * grid.cols + col, side, *best);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(UniteRow);

void unite_skips(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                 const SideInfo& side, MotionVector* spare) {
  const SkipPrices prices = skip_prices(base_step);
  MotionVector* from = side.vectors;
  MotionVector* to = spare;
  for (const int level : kSkipSquareLevels) {
    parallel_for(threads, ceil_div(grid.rows, 1 << level), [&](int i) {
      HWY_DYNAMIC_DISPATCH(UniteRow)({&planes, &grid, &prices, i << level}, level, side.skips, from, to);
    });
    std::swap(from, to);
  }
}

}  // namespace ctv
#endif  // HWY_ONCE

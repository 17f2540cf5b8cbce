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

// One pass.
struct SquarePass {
  PlaneView<const Sample> source, reference;  // luma
  const MotionGrid& grid;
  SkipPrices prices;
  int level;
  const uint8_t* skips;
  const MotionVector* from;
  MotionVector* to;
  int side() const { return 1 << level; }
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kMostUnits = 16;  // of a square

// The squared error of a unit, times 64.
HWY_INLINE uint64_t UnitError(const SquarePass& pass, int row, int col,
                              const MotionVector (&vectors)[kSkipCells]) {
  const UnitPlane u{pass.source, pass.reference, {}, row * kCell, col * kCell, kUnit};
  alignas(64) int16_t predicted[kUnit * kUnit];
  alignas(64) int16_t difference[kUnit * kUnit];
  const Near<kUnit> source(u.source, u.y, u.x, u.rows);
  PredictUnit<kUnit>(u, vectors, predicted);
  Subtract<kUnit>(source.data, source.stride, predicted, kUnit, u.rows, difference);
  uint64_t squares[kSkipCells];
  Squares<kUnit>(u, difference, squares);
  return squares[0] + squares[1] + squares[2] + squares[3];
}

// The vector that the square at (row, col) gets; null: it keeps its own.
HWY_INLINE const MotionVector* BestVector(const SquarePass& pass, int row, int col,
                                          const SkipSquare& square) {
  const int units = pass.side() / kSkipUnit;  // on a side
  const auto row_of = [&](int unit) { return row + unit / units * kSkipUnit; };
  const auto col_of = [&](int unit) { return col + unit % units * kSkipUnit; };
  MotionVector own[kMostUnits][kSkipCells];
  uint64_t own_errors[kMostUnits];
  uint64_t error = 0;
  for (int i = 0; i < units * units; ++i) {
    for (int k = 0; k < kSkipCells; ++k) {
      own[i][k] =
          pass.from[ptrdiff_t{row_of(i) + k / kSkipUnit} * pass.grid.cols + col_of(i) + k % kSkipUnit];
    }
    error += own_errors[i] = UnitError(pass, row_of(i), col_of(i), own[i]);
  }
  uint64_t least = skip_square_cost(pass.prices, error, square.own_bits());
  const MotionVector* best = nullptr;
  for (int k = 0; k < square.count; ++k) {
    const MotionVector v = square.vectors[k];
    if (square.is_repeated(k)) continue;
    const MotionVector all[kSkipCells] = {v, v, v, v};
    uint64_t cost = skip_square_cost(pass.prices, 0, square.leaf_bits(v));
    for (int i = 0; i < units * units && cost < least; ++i) {
      const bool known = std::equal(own[i], own[i] + kSkipCells, all);
      cost += skip_square_cost(pass.prices,
                               known ? own_errors[i] : UnitError(pass, row_of(i), col_of(i), all), 0);
    }
    if (cost >= least) continue;
    least = cost;
    best = square.vectors + k;
  }
  return best;
}

// Of a row of squares, whose first row of cells is `row`, those in columns [begin, end).
void UniteRow(const SquarePass& pass, int row, int begin, int end) {
  const MotionGrid& grid = pass.grid;
  const int side = pass.side();
  const auto at = [&](int r, int c) { return ptrdiff_t{r} * grid.cols + c; };
  for (int r = row; r < std::min(row + side, grid.rows); ++r)
    std::copy(pass.from + at(r, begin), pass.from + at(r, end), pass.to + at(r, begin));
  if (row + side > grid.rows) return;
  for (int col = begin; col + side <= end; col += side) {
    SkipSquare square = SkipSquare::make(pass.from, grid.rows, grid.cols, row, col, pass.level);
    bool skipped = true;
    for (int r = 0; r < side && skipped; ++r) {
      for (int c = 0; c < side; ++c) {
        const ptrdiff_t cell = at(row + r, col + c);
        const int quarter = r / (side / 2) * 2 + c / (side / 2);
        skipped &= pass.skips[cell] != 0;
        square.mixed |= pass.from[cell] == square.vectors[quarter] ? 0U : 1U << quarter;
      }
    }
    if (!skipped || square.is_cheapest()) continue;
    const MotionVector* const best = BestVector(pass, row, col, square);
    for (int r = 0; r < side && best != nullptr; ++r) std::fill_n(pass.to + at(row + r, col), side, *best);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(UniteRow);

void unite_skips(int threads, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                 const MotionGrid& grid, uint32_t base_step, MotionVector* apart, const SideInfo& side) {
  SquarePass pass{source, reference, grid, skip_prices(base_step), 0, side.skips, apart, side.vectors};
  for (const int level : kSkipSquareLevels) {
    pass.level = level;
    parallel_rows(threads, ceil_div(grid.rows, pass.side()), grid.cols, pass.side(),
                  [&](int i, int begin, int end) {
                    HWY_DYNAMIC_DISPATCH(UniteRow)(pass, i * pass.side(), begin, end);
                  });
    MotionVector* const next = pass.to == apart ? side.vectors : apart;
    pass.from = pass.to;
    pass.to = next;
  }
}

}  // namespace ctv
#endif  // HWY_ONCE

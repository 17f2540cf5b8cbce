// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped (codec/control/skip_decisions.hpp), a unit of 2x2 cells after the other. On
// a plane a unit has 16 or 8 columns. Hadamard transforms take 8x8 samples at once: one tile of 8x8, or four
// of 4x4 where chroma is subsampled. Close units need squared errors alone, which are summed up until they
// are too large.
#include "cpu/motion/skip.hpp"

#include <algorithm>

#include "codec/control/skip_decisions.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/skip.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/hadamard-inl.hpp"
#include "cpu/motion/skip_unit-inl.hpp"

#ifndef CTV_CPU_SKIP_ONCE
#define CTV_CPU_SKIP_ONCE
namespace ctv {

// One row of units.
struct SkipRow {
  const SkipPlanes* planes;
  const MotionGrid* grid;
  const SkipPrices* prices;
  int row;  // first row of cells

  bool inside(int k, int col) const {
    return row + k / kSkipUnit < grid->rows && col + k % kSkipUnit < grid->cols;
  }
  ptrdiff_t cell(int k, int col) const {
    return ptrdiff_t{row + k / kSkipUnit} * grid->cols + col + k % kSkipUnit;
  }
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Whether every coefficient of a unit's difference to the reference is at most prices.dead.
template <int kWidth>
bool IsStill(const UnitPlane& u, const SkipPrices& prices) {
  const Near<kWidth> source(u.source, u.y, u.x, u.rows);
  const Near<kWidth> reference(u.reference, u.y, u.x, u.rows);
  for (int r = 0; r < u.rows; r += 8) {
    alignas(64) int16_t difference[8 * kWidth];
    Subtract<kWidth>(source.data + r * source.stride, source.stride, reference.data + r * reference.stride,
                     reference.stride, 8, difference);
    if (u.cell_cols() == 8 ? AnyCoded<8, kWidth>(difference, prices)
                           : AnyCoded<4, kWidth>(difference, prices))
      return false;
  }
  return true;
}

template <int kWidth>
void AddCosts(const UnitPlane& u, const MotionVector (&vectors)[kSkipCells], const SkipPrices& prices,
              SkipCosts (&costs)[kSkipCells], SkipSums (&sums)[kSkipCells]) {
  alignas(64) int16_t predicted[kUnit * kWidth];
  alignas(64) int16_t difference[kUnit * kWidth];
  const Near<kWidth> source(u.source, u.y, u.x, u.rows);
  const Near<kWidth> reference(u.reference, u.y, u.x, u.rows);
  const bool all_zero =
      std::all_of(vectors, vectors + kSkipCells, [](MotionVector v) { return v == MotionVector{}; });
  Subtract<kWidth>(source.data, source.stride, reference.data, reference.stride, u.rows, difference);
  uint64_t squares[kSkipCells];
  Squares<kWidth>(u, difference, squares);
  for (int k = 0; k < kSkipCells; ++k) costs[k].zero += squares[k];
  if (!all_zero) {
    PredictUnit<kWidth>(u, vectors, predicted);
    Subtract<kWidth>(source.data, source.stride, predicted, kWidth, u.rows, difference);
    Squares<kWidth>(u, difference, squares);
  }
  for (int k = 0; k < kSkipCells; ++k) costs[k].own += squares[k];
  // A coefficient's square is at most their sum, which is the differences'. Then all of it is lost.
  const auto dead = static_cast<uint64_t>(prices.dead);
  if (*std::max_element(squares, squares + kSkipCells) <= dead * dead) {
    for (int k = 0; k < kSkipCells; ++k) sums[k].lost += squares[k];
    return;
  }
  for (int r = 0; r < u.rows; r += 8) {
    const auto add = [&](int row, int col, const SkipSums& tile) {
      // Shifts, for divisions would take longest of all.
      SkipSums& s =
          sums[((r + row) >> (kLog2Cell - u.shift.y)) * kSkipUnit + (col >> (kLog2Cell - u.shift.x))];
      s.lost += tile.lost;
      s.coded += tile.coded;
      s.octaves += tile.octaves;
    };
    const int16_t* at = difference + r * kWidth;
    u.cell_cols() == 8 ? ForTiles<8, kWidth>(at, prices, add) : ForTiles<4, kWidth>(at, prices, add);
  }
}

UnitPlane PlaneOfUnit(const SkipRow& s, int p, int col) {
  const ChromaShift shift = p == 0 ? ChromaShift{} : s.planes->chroma;
  const auto i = static_cast<size_t>(p);
  return {s.planes->source[i],      s.planes->reference[i], shift,          s.row * (kCell >> shift.y),
          col * (kCell >> shift.x), kUnit >> shift.y,       s.planes->bytes};
}

// Loads rows that a unit is compared with.
[[gnu::always_inline]] inline void PrefetchUnit(const UnitPlane& u, int rows) {
  Prefetch(u.source, u.y, u.x, rows, 1);
  Prefetch(u.reference, u.y, u.x, rows, 1);
}
constexpr int kAhead = 4 * kSkipUnit;  // cells

void FindStillRow(const SkipRow& s, uint8_t* still) {
  for (int col = 0; col < s.grid->cols; col += kSkipUnit) {
    PrefetchUnit(PlaneOfUnit(s, 0, col + kAhead), 8);  // most others are known from these rows
    bool is_still = true;
    for (int p = 0; p < s.planes->planes && is_still; ++p) {
      const UnitPlane u = PlaneOfUnit(s, p, col);
      is_still = u.shift.x == 0 ? IsStill<kUnit>(u, *s.prices) : IsStill<kUnit / 2>(u, *s.prices);
    }
    for (int k = 0; k < kSkipCells; ++k) {
      if (s.inside(k, col)) still[s.cell(k, col)] = is_still ? 1 : 0;
    }
  }
}

void DecideRow(const SkipRow& s, int begin, int end, const uint8_t* still, const SideInfo& side) {
  for (int col = begin; col < end; col += kSkipUnit) {
    const MotionVector first = side.vectors[s.cell(0, col)];
    SkipChoice choices[kSkipCells] = {};
    const int ahead = col + kAhead;
    for (int p = 0; p < s.planes->planes && ahead < end && still[s.cell(0, ahead)] == 0; ++p)
      PrefetchUnit(PlaneOfUnit(s, p, ahead), kUnit >> (p == 0 ? 0 : s.planes->chroma.y));
    if (still[s.cell(0, col)] == 0) {
      MotionVector vectors[kSkipCells];
      for (int k = 0; k < kSkipCells; ++k)
        vectors[k] = s.inside(k, col) ? side.vectors[s.cell(k, col)] : first;
      SkipCosts costs[kSkipCells];
      SkipSums sums[kSkipCells];
      for (int p = 0; p < s.planes->planes; ++p) {
        const UnitPlane u = PlaneOfUnit(s, p, col);
        u.shift.x == 0 ? AddCosts<kUnit>(u, vectors, *s.prices, costs, sums)
                       : AddCosts<kUnit / 2>(u, vectors, *s.prices, costs, sums);
      }
      for (int k = 0; k < kSkipCells; ++k) {
        costs[k].code = coded_cost(*s.prices, sums[k], vectors[k]);
        if (!s.inside(k, col)) costs[k] = {};
      }
      choose_skips(*s.prices, costs, choices);
    }
    for (int k = 0; k < kSkipCells; ++k) {
      if (!s.inside(k, col)) continue;
      const ptrdiff_t cell = s.cell(k, col);
      if (choices[k] == SkipChoice::kZero) side.vectors[cell] = {};
      side.skips[cell] = choices[k] == SkipChoice::kCode ? 0 : 1;
    }
  }
}

constexpr int kUnits = 256;     // that are compared together: whole rows, as memory has them
constexpr int kErrorRows = 8;   // that are compared at once
constexpr int kUnitsAhead = 8;  // that are loaded

// The squared error of kErrorRows rows of a unit, from its row r on.
template <int kWidth>
HWY_INLINE uint64_t ErrorOfRows(const UnitPlane& u, int x, int r) {
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  if (x + kWidth <= min_of(u.source.cols, u.reference.cols)) {
    const BlockLanes<kWidth> d16;
    const hn::Repartition<int32_t, decltype(d16)> d32;
    auto sum = hn::Zero(d32);
    auto unused = hn::Zero(d32);
    const int first = u.y + r;
    const Sample* a = u.source.row(min_of(first, u.source.rows - 1)) + x;
    const Sample* b = u.reference.row(min_of(first, u.reference.rows - 1)) + x;
    for (int y = first + 1; y <= first + kErrorRows; ++y) {
      for (int i = 0; i < kWidth; i += static_cast<int>(hn::MaxLanes(d16))) {
        const auto v = hn::Sub(hn::LoadU(d16, a + i), hn::LoadU(d16, b + i));
        sum = hn::ReorderWidenMulAccumulate(d32, v, v, sum, unused);
      }
      a += y < u.source.rows ? u.source.stride : 0;
      b += y < u.reference.rows ? u.reference.stride : 0;
    }
    return static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(d32, sum)));
  }
#endif
  uint64_t sum = 0;
  for (int y = u.y + r; y < u.y + r + kErrorRows; ++y) {
    const Sample* a = u.source.row(min_of(y, u.source.rows - 1));
    const Sample* b = u.reference.row(min_of(y, u.reference.rows - 1));
    for (int c = x; c < x + kWidth; ++c) {
      const int v = a[min_of(c, u.source.cols - 1)] - b[min_of(c, u.reference.cols - 1)];
      sum += static_cast<uint64_t>(v * v);
    }
  }
  return sum;
}

// Units side by side, and those of them that may still be close.
struct OpenUnits {
  int count = 0;
  int at[kUnits];
  uint64_t errors[kUnits] = {};
  uint64_t most[kUnits];
};

// Adds the errors on one plane. What exceeds its limit is left out. u: the first unit
template <int kWidth>
void AddErrors(const UnitPlane& u, OpenUnits& open) {
  constexpr int kOfLine = 32 / kWidth;  // units of a cache line
  for (int r = 0; r < u.rows; r += kErrorRows) {
    int left = 0;
    int line = -1;
    for (int k = 0; k < open.count; ++k) {
      const int ahead = open.at[min_of(k + kUnitsAhead, open.count - 1)];
      if (ahead / kOfLine != line) {
        line = ahead / kOfLine;
        Prefetch(u.source, u.y + r, u.x + ahead * kWidth, kErrorRows, 1);
        Prefetch(u.reference, u.y + r, u.x + ahead * kWidth, kErrorRows, 1);
      }
      const int i = open.at[k];
      open.errors[i] += ErrorOfRows<kWidth>(u, u.x + i * kWidth, r);
      open.at[left] = i;
      left += open.errors[i] <= open.most[i] ? 1 : 0;
    }
    open.count = left;
  }
}

// Whether a unit that was still does not move. Then its error is the same, and the limit is not lower.
static_assert(kStillError <= kZeroError);
bool StaysStill(const SkipRow& s, int col, const MotionVector* vectors, const uint8_t* still) {
  if (still == nullptr || still[s.cell(0, col)] == 0) return false;
  bool moves = false;
  for (int k = 0; k < kSkipCells; ++k)
    moves |= s.inside(k, col) && !same_vector(vectors[s.cell(k, col)], MotionVector{});
  return !moves;
}

void FindCloseRow(const SkipRow& s, uint32_t base_step, const MotionVector* vectors, const uint8_t* still,
                  uint8_t* close) {
  for (int first = 0; first < s.grid->cols; first += kUnits * kSkipUnit) {
    const int count = min_of(ceil_div(s.grid->cols - first, kSkipUnit), kUnits);
    OpenUnits open;
    for (int i = 0; i < count; ++i) {
      open.at[open.count] = i;
      open.count += StaysStill(s, first + i * kSkipUnit, vectors, still) ? 0 : 1;
      open.most[i] =
          close_error(base_step, vectors == nullptr ? nullptr : vectors + s.cell(0, first + i * kSkipUnit));
    }
    for (int p = 0; p < s.planes->planes; ++p) {
      const UnitPlane u = PlaneOfUnit(s, p, first);
      u.shift.x == 0 ? AddErrors<kUnit>(u, open) : AddErrors<kUnit / 2>(u, open);
    }
    for (int i = 0; i < count; ++i) {
      const bool is_close = open.errors[i] <= open.most[i];
      for (int k = 0; k < kSkipCells; ++k) {
        const int col = first + i * kSkipUnit;
        if (s.inside(k, col)) close[s.cell(k, col)] = is_close ? 1 : 0;
      }
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FindStillRow);
HWY_EXPORT(DecideRow);
HWY_EXPORT(FindCloseRow);

void find_still(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                uint8_t* still) {
  SkipPrices prices = skip_prices(base_step);
  prices.dead = prices.still;
  parallel_for(threads, ceil_div(grid.rows, kSkipUnit), [&](int i) {
    HWY_DYNAMIC_DISPATCH(FindStillRow)({&planes, &grid, &prices, i * kSkipUnit}, still);
  });
}

void decide_skips(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  const uint8_t* still, const SideInfo& side) {
  const SkipPrices prices = skip_prices(base_step);
  parallel_rows(threads, ceil_div(grid.rows, kSkipUnit), grid.cols, kSkipUnit,
                [&](int i, int begin, int end) {
                  HWY_DYNAMIC_DISPATCH(DecideRow)
                  ({&planes, &grid, &prices, i * kSkipUnit}, begin, end, still, side);
                });
}

void find_close(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                const MotionVector* vectors, const uint8_t* still, uint8_t* close) {
  parallel_for(threads, ceil_div(grid.rows, kSkipUnit), [&](int i) {
    HWY_DYNAMIC_DISPATCH(FindCloseRow)
    ({&planes, &grid, nullptr, i * kSkipUnit}, base_step, vectors, still, close);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

// SPDX-License-Identifier: BSD-3-Clause
// Finds units of 2x2 cells that are skipped before any search, or in fast modes after it
// (codec/control/skip_decisions.hpp). A unit has 16 or 8 columns in a plane. Each Hadamard transform takes
// 8x8 samples: one 8x8 tile, or four 4x4 tiles of subsampled chroma. Close units only need squared errors,
// which are summed until they exceed the limit.
#include "cpu/motion/skip.hpp"

#include "codec/control/skip_decisions.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/skip.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/hadamard-inl.hpp"
#include "cpu/motion/skip_unit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Whether no coefficient of a unit's difference to the reference exceeds prices.dead.
template <int kWidth>
bool IsStill(const UnitPlane& u, const SkipPrices& prices) {
  const Near<kWidth> source(u.source, u.y, u.x, u.rows);
  const Near<kWidth> reference(u.reference, u.y, u.x, u.rows);
  for (int r = 0; r < u.rows; r += 8) {
    alignas(64) int16_t difference[8 * kWidth];
    Subtract<kWidth>(source.data + r * source.stride, source.stride, reference.data + r * reference.stride,
                     reference.stride, 8, difference, kWidth);
    if (u.cell_cols() == 8 ? AnyCoded<8, kWidth>(difference, prices)
                           : AnyCoded<4, kWidth>(difference, prices))
      return false;
  }
  return true;
}

void FindStillRow(const SkipRow& s, uint8_t* still) {
  for (int col = 0; col < s.grid->cols; col += kSkipUnit) {
    const UnitPlane ahead = PlaneOfUnit(*s.planes, 0, s.row, col + kAhead);
    prefetch_block(ahead.source, ahead.y, ahead.x, 8, 1);  // most others are known from these rows
    prefetch_block(ahead.reference, ahead.y, ahead.x, 8, 1);
    bool is_still = true;
    for (int p = 0; p < s.planes->planes && is_still; ++p) {
      const UnitPlane u = PlaneOfUnit(*s.planes, p, s.row, col);
      is_still = u.shift.x == 0 ? IsStill<kUnit>(u, *s.prices) : IsStill<kUnit / 2>(u, *s.prices);
    }
    for (int k = 0; k < kSkipCells; ++k) {
      if (s.inside(k, col)) still[s.cell(k, col)] = is_still ? 1 : 0;
    }
  }
}

constexpr int kUnits = 256;     // compared together: whole rows, in memory order
constexpr int kErrorRows = 8;   // compared at once
constexpr int kUnitsAhead = 8;  // prefetch distance

// Squared error of kErrorRows rows of a unit from row r on.
template <int kWidth>
HWY_INLINE uint64_t ErrorOfRows(const UnitPlane& u, int x, int r) {
#if CTV_VECTORS
  if (x + kWidth <= min_of(u.source.cols, u.reference.cols)) {
    const BlockLanes<kWidth> d16;
    const hn::Repartition<int32_t, decltype(d16)> d32;
    auto sum = hn::Zero(d32);
    const int first = u.y + r;
    const Sample* a = u.source.row(min_of(first, u.source.rows - 1)) + x;
    const Sample* b = u.reference.row(min_of(first, u.reference.rows - 1)) + x;
    for (int y = first + 1; y <= first + kErrorRows; ++y) {
      for (int i = 0; i < kWidth; i += static_cast<int>(hn::MaxLanes(d16))) {
        const auto v = hn::Sub(hn::LoadU(d16, a + i), hn::LoadU(d16, b + i));
        sum = MultiplyAdd(v, v, sum);
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

// Adjacent units, and those of them that may still be close.
struct OpenUnits {
  int count = 0;
  int at[kUnits];
  uint64_t errors[kUnits] = {};
  uint64_t most[kUnits];
};

// Adds the errors in one plane. Removes units that exceed their limit. u: the first unit
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
        prefetch_block(u.source, u.y + r, u.x + ahead * kWidth, kErrorRows, 1);
        prefetch_block(u.reference, u.y + r, u.x + ahead * kWidth, kErrorRows, 1);
      }
      const int i = open.at[k];
      open.errors[i] += ErrorOfRows<kWidth>(u, u.x + i * kWidth, r);
      open.at[left] = i;
      left += open.errors[i] <= open.most[i] ? 1 : 0;
    }
    open.count = left;
  }
}

// Whether a still unit has zero vectors. Then its error is the same, and the limit is not lower.
static_assert(kStillError <= kZeroError);
bool StaysStill(const SkipRow& s, int col, const MotionVector* vectors, const uint8_t* still) {
  if (still == nullptr || still[s.cell(0, col)] == 0) return false;
  bool moves = false;
  for (int k = 0; k < kSkipCells; ++k)
    moves |= s.inside(k, col) && !same_vector(vectors[s.cell(k, col)], MotionVector{});
  return !moves;
}

void SkipBySsdRow(const SkipRow& s, uint32_t base_step, const MotionVector* vectors, const uint8_t* still,
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
      const UnitPlane u = PlaneOfUnit(*s.planes, p, s.row, first);
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
HWY_EXPORT(SkipBySsdRow);

void skip_still_only(const MotionGrid& grid, const MotionVector* vectors, uint8_t* skips) {
  for (size_t i = 0; i < grid.size(); ++i) skips[i] = skips[i] != 0 && vectors[i] == MotionVector{} ? 1 : 0;
}

void find_still(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                uint8_t* still) {
  SkipPrices prices = skip_prices(base_step << planes.shift);
  prices.dead = prices.still;
  parallel_for(threads, ceil_div(grid.rows, kSkipUnit), [&](int i) {
    HWY_DYNAMIC_DISPATCH(FindStillRow)({&planes, &grid, &prices, i * kSkipUnit}, still);
  });
}

void skip_by_ssd(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                 const MotionVector* vectors, const uint8_t* still, uint8_t* close) {
  parallel_for(threads, ceil_div(grid.rows, kSkipUnit), [&](int i) {
    HWY_DYNAMIC_DISPATCH(SkipBySsdRow)
    ({&planes, &grid, nullptr, i * kSkipUnit}, base_step << planes.shift, vectors, still, close);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

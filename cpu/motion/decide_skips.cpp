// SPDX-License-Identifier: BSD-3-Clause
// Decides which cells are skipped (codec/control/skip_decisions.hpp), by units of 2x2 cells. A unit has 16 or
// 8 columns in a plane. Luma is compared with the half samples of the search, chroma with the reference. Each
// Hadamard transform takes 8x8 samples: one 8x8 tile, or four 4x4 tiles of subsampled chroma.
#include <algorithm>

#include "codec/control/skip_decisions.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/motion/skip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/decide_skips.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/field_match-inl.hpp"
#include "cpu/motion/hadamard-inl.hpp"
#include "cpu/motion/skip_unit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Whether a vector has no fraction in luma.
inline bool IsWhole(MotionVector v) { return ((v.y | v.x) & (kVectorUnit - 1)) == 0; }

// Differences [kSide][kUnit] of luma to samples interpolated between half samples.
template <int kSide, Between kBetween>
HWY_INLINE void SubtractBetween(const uint8_t* current, ptrdiff_t stride, const Corners& corners,
                                int16_t* out) {
#if CTV_VECTORS
  const TileRow<kSide> d16;
  const hn::FixedTag<uint8_t, kTileLanes<kSide>> d8;
  const MovedTiles<TileRow<kSide>, kBetween> moved(corners);
  for (int r = 0; r < kSide; ++r) {
    for (int c = 0; c < kSide; c += kTileLanes<kSide>) {
      const auto own = hn::PromoteTo(d16, hn::LoadU(d8, current + r * stride + c));
      hn::StoreU(hn::Sub(own, moved(r, c)), d16, out + r * kUnit + c);
    }
  }
#else
  for (int r = 0; r < kSide; ++r) {
    for (int c = 0; c < kSide; ++c) {
      out[r * kUnit + c] =
          static_cast<int16_t>(current[r * stride + c] - MovedSample<kBetween>(corners, r, c));
    }
  }
#endif
}

// Differences [kSide][kUnit] of luma to whole samples.
template <int kSide>
HWY_INLINE void SubtractWhole(const uint8_t* current, ptrdiff_t stride, const uint8_t* reference,
                              ptrdiff_t reference_stride, int16_t* __restrict out) {
  for (int r = 0; r < kSide; ++r) {
    CTV_KEEP_LOOP
    for (int c = 0; c < kSide; ++c) {
      out[r * kUnit + c] =
          static_cast<int16_t>(current[r * stride + c] - reference[r * reference_stride + c]);
    }
  }
}

template <int kSide>
void SubtractLuma(const SearchedLuma& luma, MotionVector v, int y, int x, int16_t* out) {
  const SearchPlanes& planes = luma.planes;
  const ptrdiff_t pitch = planes.current_stride;
  const uint8_t* const current = planes.current + y * pitch + x;
  if (IsWhole(v)) {
    const ptrdiff_t stride = planes.reference_stride;
    const uint8_t* const from = planes.reference + (y + v.y / kVectorUnit) * stride + x + v.x / kVectorUnit;
    return SubtractWhole<kSide>(current, pitch, from, stride, out);
  }
  const HalfDisplacement dy = half_displacement(v.y);
  const HalfDisplacement dx = half_displacement(v.x);
  const ptrdiff_t stride = luma.halves.stride;
  const Corners corners{luma.halves.samples + (2 * y + dy.half) * stride + 2 * x + dx.half, stride,
                        kCornerWeights.of[dy.quarter][dx.quarter]};
  if (dy.quarter != 0) {
    SubtractBetween<kSide, Between::kFour>(current, pitch, corners, out);
  } else if (dx.quarter != 0) {
    SubtractBetween<kSide, Between::kAcross>(current, pitch, corners, out);
  } else {
    SubtractBetween<kSide, Between::kNone>(current, pitch, corners, out);
  }
}

// Prefetches the reference of a unit's luma: hardware does not prefetch that many rows.
[[gnu::always_inline]] inline void PrefetchLuma(const SearchedLuma& luma, MotionVector v, int y, int x) {
  const SearchPlanes& planes = luma.planes;
  for (int r = y; r < y + kUnit; ++r) {
    __builtin_prefetch(planes.current + r * planes.current_stride + x);
    __builtin_prefetch(planes.reference + r * planes.reference_stride + x);
  }
  if (IsWhole(v)) return;
  const HalfSamples& halves = luma.halves;
  const int top = 2 * y + half_displacement(v.y).half;
  for (int r = top; r < top + 2 * kUnit; ++r)
    __builtin_prefetch(halves.samples + r * halves.stride + 2 * x + half_displacement(v.x).half);
}

// A unit whose cells have vectors, and lie in the grid or not.
struct VectorUnit {
  MotionVector vectors[kSkipCells];
  bool inside[kSkipCells];
  bool uniform;  // one vector, and all cells inside
};

// Luma of a unit, or both chroma planes joined. kWidth: columns per plane
template <int kWidth, int kPlanes>
struct ComparedPlanes {
  static constexpr int kCols = kWidth * kPlanes;
  const SearchedLuma* luma;  // null for chroma
  UnitPlane planes[kPlanes];

  // Differences [rows][kCols]; 0 in cells outside the grid.
  void subtract(const VectorUnit& unit, int16_t* difference) const {
    const UnitPlane& u = planes[0];
    if (unit.uniform) {
      if constexpr (kPlanes == 2) {
        SubtractChroma<kWidth, kCols>(planes, unit.vectors[0], 0, 0, u.rows, difference);
      } else {
        SubtractLuma<kUnit>(*luma, unit.vectors[0], u.y, u.x, difference);
      }
      return;
    }
    constexpr int kOfCell = kWidth / kSkipUnit;
    const int rows = u.cell_rows();
    for (int k = 0; k < kSkipCells; ++k) {
      const int top = k / kSkipUnit * rows;
      const int left = k % kSkipUnit * kOfCell;
      int16_t* const cell = difference + top * kCols + left;
      if (!unit.inside[k]) {
        for (int i = 0; i < rows * kPlanes; ++i) std::fill_n(cell + i * kWidth, kOfCell, int16_t{0});
      } else if constexpr (kPlanes == 2) {
        SubtractChroma<kOfCell, kCols>(planes, unit.vectors[k], top, left, rows, cell);
      } else {
        SubtractLuma<kCell>(*luma, unit.vectors[k], u.y + top, u.x + left, cell);
      }
    }
  }

  void add_zero(const VectorUnit& zero, SkipCosts (&costs)[kSkipCells]) const {
    alignas(64) int16_t difference[kUnit * kCols];
    uint64_t squares[kPlanes][kSkipCells];
    subtract(zero, difference);
    Squares<kCols, kPlanes>(planes[0].cell_rows(), difference, squares);
    for (const auto& of_plane : squares) {
      for (int k = 0; k < kSkipCells; ++k) costs[k].zero += of_plane[k];
    }
  }

  void add_own(const VectorUnit& unit, const SkipPrices& prices, SkipCosts (&costs)[kSkipCells],
               SkipSums (&sums)[kSkipCells]) const {
    const UnitPlane& u = planes[0];
    alignas(64) int16_t difference[kUnit * kCols];
    uint64_t squares[kPlanes][kSkipCells];
    subtract(unit, difference);
    Squares<kCols, kPlanes>(u.cell_rows(), difference, squares);
    uint64_t most = 0;
    for (const auto& of_plane : squares) {
      for (int k = 0; k < kSkipCells; ++k) {
        costs[k].own += of_plane[k];
        most = max_of(most, of_plane[k]);
      }
    }
    // No squared coefficient exceeds the sum of squares, which the transform preserves. If this is small, all
    // coefficients are lost.
    const auto dead = static_cast<uint64_t>(prices.dead);
    if (most <= dead * dead) {
      for (const auto& of_plane : squares) {
        for (int k = 0; k < kSkipCells; ++k) sums[k].lost += of_plane[k];
      }
      return;
    }
    for (int r = 0; r < u.rows; r += 8) {
      const auto add = [&](int row, int col, const SkipSums& tile) {
        // Shifts, since divisions would dominate the time.
        const int down = (r + row) >> (kLog2Cell - u.shift.y);
        const int across = col >> (kLog2Cell - u.shift.x);
        SkipSums& s = sums[down * kSkipUnit + across % kSkipUnit];
        s.lost += tile.lost;
        s.coded += tile.coded;
        s.octaves += tile.octaves;
      };
      const int16_t* at = difference + r * kCols;
      u.cell_cols() == 8 ? ForTiles<8, kCols>(at, prices, add) : ForTiles<4, kCols>(at, prices, add);
    }
  }
};

// Costs of a unit's cells. kChroma: columns of a chroma plane
template <int kChroma>
void FindCosts(const SkipRow& s, const SearchedLuma& luma, int col, const VectorUnit& unit,
               SkipCosts (&costs)[kSkipCells]) {
  SkipSums sums[kSkipCells];
  const ComparedPlanes<kUnit, 1> first{&luma, {PlaneOfUnit(*s.planes, 0, s.row, col)}};
  const ComparedPlanes<kChroma, 2> others{
      nullptr, {PlaneOfUnit(*s.planes, 1, s.row, col), PlaneOfUnit(*s.planes, 2, s.row, col)}};
  const bool colours = s.planes->planes > 1;
  first.add_own(unit, *s.prices, costs, sums);
  if (colours) others.add_own(unit, *s.prices, costs, sums);
  VectorUnit zero = unit;
  std::fill_n(zero.vectors, kSkipCells, MotionVector{});
  zero.uniform = std::all_of(unit.inside, unit.inside + kSkipCells, [](bool inside) { return inside; });
  if (std::equal(unit.vectors, unit.vectors + kSkipCells, zero.vectors)) {
    for (SkipCosts& c : costs) c.zero = c.own;
  } else {
    first.add_zero(zero, costs);
    // If no cell's luma with the zero vector is cheaper than all planes with its own vector, no cell takes
    // the zero vector.
    if (colours && std::any_of(costs, costs + kSkipCells, [](const SkipCosts& c) { return c.zero <= c.own; }))
      others.add_zero(zero, costs);
  }
  for (int k = 0; k < kSkipCells; ++k) {
    costs[k].code = coded_cost(*s.prices, sums[k], unit.vectors[k]);
    if (!unit.inside[k]) costs[k] = {};
  }
}

// Decides the units of a row in columns [begin, end) of the grid.
void DecideRow(const SkipRow& s, const SearchedLuma& luma, int begin, int end, const uint8_t* still,
               const SideInfo& side) {
  for (int col = begin; col < end; col += kSkipUnit) {
    SkipChoice choices[kSkipCells] = {};
    const int ahead = col + kAhead;
    if (ahead < end && still[s.cell(0, ahead)] == 0) {
      PrefetchLuma(luma, side.vectors[s.cell(0, ahead)], s.row * kCell, ahead * kCell);
      for (int p = 1; p < s.planes->planes; ++p) {
        const UnitPlane u = PlaneOfUnit(*s.planes, p, s.row, ahead);
        const MotionVector v = side.vectors[s.cell(0, ahead)];
        prefetch_block(u.source, u.y, u.x, u.rows, 1);
        prefetch_block(u.reference, u.y + displacement(v.y, u.shift.y).whole,
                       u.x + displacement(v.x, u.shift.x).whole, u.rows + 1, 1);
      }
    }
    if (still[s.cell(0, col)] == 0) {
      VectorUnit unit{};
      unit.uniform = true;
      for (int k = 0; k < kSkipCells; ++k) {
        unit.inside[k] = s.inside(k, col);
        if (unit.inside[k]) unit.vectors[k] = side.vectors[s.cell(k, col)];
        unit.uniform &= unit.inside[k] && unit.vectors[k] == unit.vectors[0];
      }
      SkipCosts costs[kSkipCells];
      s.planes->chroma.x == 0 ? FindCosts<kUnit>(s, luma, col, unit, costs)
                              : FindCosts<kUnit / 2>(s, luma, col, unit, costs);
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

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(DecideRow);

void decide_skips(int threads, const SkipPlanes& planes, const SearchedLuma& luma, const MotionGrid& grid,
                  uint32_t base_step, const uint8_t* still, const SideInfo& side) {
  const SkipPrices prices = skip_prices(base_step);
  parallel_rows(threads, ceil_div(grid.rows, kSkipUnit), grid.cols, kSkipUnit,
                [&](int i, int begin, int end) {
                  HWY_DYNAMIC_DISPATCH(DecideRow)
                  ({&planes, &grid, &prices, i * kSkipUnit}, luma, begin, end, still, side);
                });
}

}  // namespace ctv
#endif  // HWY_ONCE

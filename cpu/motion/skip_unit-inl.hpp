// SPDX-License-Identifier: BSD-3-Clause
// A unit of 2x2 cells on a plane and its error, shared by the decisions about skips and the squares of
// skipped cells. On a plane a unit has 16 or 8 columns. Included once per instruction set.
#if defined(CTV_CPU_SKIP_UNIT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_SKIP_UNIT_INL_HPP
#undef CTV_CPU_SKIP_UNIT_INL_HPP
#else
#define CTV_CPU_SKIP_UNIT_INL_HPP
#endif

#include <algorithm>

#include "codec/control/skip_decisions.hpp"
#include "cpu/motion/predict-inl.hpp"
#include "cpu/motion/skip.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kCell = 1 << kLog2Cell;
constexpr int kUnit = kSkipUnit * kCell;

// A unit on one plane.
struct UnitPlane {
  PlaneView<const Sample> source, reference;
  ChromaShift shift;
  int y, x;  // first sample
  int rows;
  int cell_rows() const { return (1 << kLog2Cell) >> shift.y; }
  int cell_cols() const { return (1 << kLog2Cell) >> shift.x; }
};

// The samples of a plane from (y, x) on, where kWidth columns can be read.
template <int kWidth>
struct Near {
  Sample patch[(kUnit + kTaps) * kPatchPitch<kWidth>];
  const Sample* data;
  ptrdiff_t stride;

  Near(const PlaneView<const Sample>& plane, int y, int x, int rows) {
    if (y + rows <= plane.rows && x + kWidth <= plane.cols) {
      data = plane.row(y) + x;
      stride = plane.stride;
    } else {
      data = Surroundings<kWidth>(plane, y, x, rows, patch);
      stride = kPatchPitch<kWidth>;
    }
  }
};

// out [rows][pitch], kWidth columns
template <int kWidth>
void Subtract(const Sample* a, ptrdiff_t a_stride, const Sample* b, ptrdiff_t b_stride, int rows,
              int16_t* __restrict out, ptrdiff_t pitch) {
  for (int r = 0; r < rows; ++r) {
    CTV_KEEP_LOOP
    for (int c = 0; c < kWidth; ++c) {
      // skip_difference() in 16 bits, which takes fewer instructions.
      // All rows were written, which the analyzer does not see: NOLINTNEXTLINE(clang-analyzer-core.*)
      const auto difference = static_cast<int16_t>(a[r * a_stride + c] - b[r * b_stride + c]);
      out[r * pitch + c] = clamp_to(difference, int16_t{-511}, int16_t{511});
    }
  }
}

// The squares of the differences of each cell, times 64. kPlanes: side by side, kWidth columns in all.
// cell_rows: rows of a cell. at(row, column): a vector of differences, or one difference
template <int kWidth, int kPlanes, typename At>
HWY_INLINE void SquaresOf(int cell_rows, At at, uint64_t (&squares)[kPlanes][kSkipCells]) {
  constexpr int kOfCell = kWidth / kPlanes / kSkipUnit / 2;  // sums
  for (int half = 0; half < kSkipUnit; ++half) {
    const int first = half * cell_rows;
    alignas(64) int32_t sums[kWidth / 2];  // of columns side by side
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    const hn::CappedTag<int16_t, kWidth> d16;
    const hn::Repartition<int32_t, decltype(d16)> d32;
    for (int x = 0; x < kWidth; x += static_cast<int>(hn::Lanes(d16))) {
      auto sum = hn::Zero(d32);
      auto unused = hn::Zero(d32);
      for (int r = first; r < first + cell_rows; ++r) {
        const auto v = at(r, x);
        sum = hn::ReorderWidenMulAccumulate(d32, v, v, sum, unused);
      }
      hn::Store(sum, d32, sums + x / 2);
    }
#else
    std::fill_n(sums, kWidth / 2, 0);
    for (int r = first; r < first + cell_rows; ++r) {
      for (int c = 0; c < kWidth; ++c) sums[c / 2] += at(r, c) * at(r, c);
    }
#endif
    const int32_t* of_cell = sums;
    for (int p = 0; p < kPlanes; ++p) {
      for (int k = 0; k < kSkipUnit; ++k, of_cell += kOfCell) {
        int32_t sum = 0;
        for (int i = 0; i < kOfCell; ++i) sum += of_cell[i];
        squares[p][half * kSkipUnit + k] = 64 * static_cast<uint64_t>(sum);
      }
    }
  }
}

// d: differences [rows][kWidth]
template <int kWidth, int kPlanes>
void Squares(int cell_rows, const int16_t* d, uint64_t (&squares)[kPlanes][kSkipCells]) {
  const auto at = [&](int r, int x) HWY_ATTR {
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    return hn::LoadU(hn::CappedTag<int16_t, kWidth>(), d + r * kWidth + x);
#else
    return d[r * kWidth + x];
#endif
  };
  SquaresOf<kWidth>(cell_rows, at, squares);
}

// Of luma's differences, which are not stored.
HWY_INLINE void SquaresOfLuma(const Sample* a, ptrdiff_t a_stride, const Sample* b, ptrdiff_t b_stride,
                              uint64_t (&squares)[1][kSkipCells]) {
  const auto at = [&](int r, int x) HWY_ATTR {
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    const hn::CappedTag<int16_t, kUnit> d;
    const auto difference = hn::Sub(hn::LoadU(d, a + r * a_stride + x), hn::LoadU(d, b + r * b_stride + x));
    return hn::Max(hn::Min(difference, hn::Set(d, int16_t{511})), hn::Set(d, int16_t{-511}));
#else
    return skip_difference(a[r * a_stride + x], b[r * b_stride + x]);
#endif
  };
  SquaresOf<kUnit>(kCell, at, squares);
}

inline UnitPlane PlaneOfUnit(const SkipRow& s, int p, int col) {
  const ChromaShift shift = p == 0 ? ChromaShift{} : s.planes->chroma;
  const auto i = static_cast<size_t>(p);
  return {s.planes->source[i],        s.planes->reference[i],   shift,
          s.row * (kCell >> shift.y), col * (kCell >> shift.x), kUnit >> shift.y};
}

constexpr int kAhead = 4 * kSkipUnit;  // cells

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

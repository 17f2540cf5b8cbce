// SPDX-License-Identifier: BSD-3-Clause
// A unit of 2x2 cells in a plane and its error, shared by skip decisions and squares of skipped cells. A unit
// has 16 or 8 columns in a plane. Included once per instruction set.
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

// A unit in one plane.
struct UnitPlane {
  PlaneView<const Sample> source, reference;
  ChromaShift shift;
  int y, x;  // of the first sample
  int rows;
  int depth_shift;  // bits of a sample beyond 8
  int cell_rows() const { return (1 << kLog2Cell) >> shift.y; }
  int cell_cols() const { return (1 << kLog2Cell) >> shift.x; }
};

// Samples of a plane from (y, x) on, with at least kWidth readable columns.
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
      // skip_difference() in 16 bits, with fewer instructions.
      // All rows were written, which the analyzer does not see: NOLINTNEXTLINE(clang-analyzer-core.*)
      const auto difference = static_cast<int16_t>(a[r * a_stride + c] - b[r * b_stride + c]);
      out[r * pitch + c] = clamp_to(difference, int16_t{-511}, int16_t{511});
    }
  }
}

// Squared differences of each cell, times 64. kPlanes: joined planes, kWidth columns in all. cell_rows: rows
// per cell. at(row, column): a vector of differences, or one difference
template <int kWidth, int kPlanes, typename At>
HWY_INLINE void SquaresOf(int cell_rows, At at, uint64_t (&squares)[kPlanes][kSkipCells]) {
  constexpr int kOfCell = kWidth / kPlanes / kSkipUnit / 2;  // sums
  for (int half = 0; half < kSkipUnit; ++half) {
    const int first = half * cell_rows;
    alignas(64) int32_t sums[kWidth / 2];  // of adjacent columns
#if CTV_VECTORS
    const hn::CappedTag<int16_t, kWidth> d16;
    const hn::Repartition<int32_t, decltype(d16)> d32;
    for (int x = 0; x < kWidth; x += static_cast<int>(hn::Lanes(d16))) {
      auto sum = hn::Zero(d32);
      for (int r = first; r < first + cell_rows; ++r) {
        const auto v = at(r, x);
        sum = MultiplyAdd(v, v, sum);
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
#if CTV_VECTORS
    return hn::LoadU(hn::CappedTag<int16_t, kWidth>(), d + r * kWidth + x);
#else
    return d[r * kWidth + x];
#endif
  };
  SquaresOf<kWidth>(cell_rows, at, squares);
}

// The same of luma differences, without storing them.
HWY_INLINE void SquaresOfLuma(const Sample* a, ptrdiff_t a_stride, const Sample* b, ptrdiff_t b_stride,
                              uint64_t (&squares)[1][kSkipCells]) {
  const auto at = [&](int r, int x) HWY_ATTR {
#if CTV_VECTORS
    const hn::CappedTag<int16_t, kUnit> d;
    const auto difference = hn::Sub(hn::LoadU(d, a + r * a_stride + x), hn::LoadU(d, b + r * b_stride + x));
    return hn::Max(hn::Min(difference, hn::Set(d, int16_t{511})), hn::Set(d, int16_t{-511}));
#else
    return skip_difference(a[r * a_stride + x], b[r * b_stride + x]);
#endif
  };
  SquaresOf<kUnit>(kCell, at, squares);
}

// The unit whose first cell is (row, col), on plane p.
inline UnitPlane PlaneOfUnit(const SkipPlanes& planes, int p, int row, int col) {
  const ChromaShift shift = p == 0 ? ChromaShift{} : planes.chroma;
  const auto i = static_cast<size_t>(p);
  return {planes.source[i],         planes.reference[i], shift,       row * (kCell >> shift.y),
          col * (kCell >> shift.x), kUnit >> shift.y,    planes.shift};
}

#if CTV_VECTORS
// Rows of both planes of chroma, side by side.
template <int kWidth>
struct RowsOfBoth {
  using D = hn::CappedTag<int16_t, 2 * kWidth>;
  static constexpr bool kSideBySide = hn::MaxLanes(D()) > kWidth;  // in a vector
  const Sample* of[2];
  ptrdiff_t strides[2];

  HWY_INLINE hn::Vec<D> load(int row, int col) const {
    const D d;
    if constexpr (kSideBySide) {
      const hn::Half<D> half;
      return hn::Combine(d, hn::LoadU(half, of[1] + row * strides[1] + col),
                         hn::LoadU(half, of[0] + row * strides[0] + col));
    } else {
      const int p = col / kWidth;
      return hn::LoadU(d, of[p] + row * strides[p] + col - p * kWidth);
    }
  }
  // kPitch: of the rows that are written, half of it a plane's. Whole vectors where planes follow each other:
  // loads of what narrower stores have just written wait for them.
  template <int kPitch>
  static HWY_INLINE void store(hn::Vec<D> v, int row, int col, int16_t* out) {
    const D d;
    out += row * kPitch;
    if constexpr (kSideBySide && kPitch > 2 * kWidth) {
      const hn::Half<D> half;
      hn::StoreU(hn::LowerHalf(half, v), half, out);
      hn::StoreU(hn::UpperHalf(half, v), half, out + kPitch / 2);
    } else {
      hn::StoreU(v, d, out + col + col / kWidth * (kPitch / 2 - kWidth));
    }
  }
};
#endif

// Differences of both planes of chroma to samples between four, as 8 bits: of kWidth columns of each, side by
// side in rows of kPitch. (top, left): in the unit
template <int kWidth, int kPitch>
void SubtractChroma(const UnitPlane (&planes)[2], MotionVector v, int top, int left, int rows, int16_t* out) {
  const auto& [first, second] = planes;
  const int y = first.y + top;
  const int x = first.x + left;
  const Near<kWidth> sources[] = {{first.source, y, x, rows}, {second.source, y, x, rows}};
  const Moved<kWidth> moved[] = {{first.reference, first.shift, v, y, x, rows, false},
                                 {second.reference, second.shift, v, y, x, rows, false}};
  const auto right = static_cast<int16_t>(moved[0].dx.eighth);
  const auto down = static_cast<int16_t>(moved[0].dy.eighth);
  const int shift = first.depth_shift;
  const int half = 1 << shift >> 1;
#if CTV_VECTORS
  using Rows = RowsOfBoth<kWidth>;
  using V = hn::Vec<typename Rows::D>;
  const typename Rows::D d;
  const Rows source{{sources[0].data, sources[1].data}, {sources[0].stride, sources[1].stride}};
  const Rows here{{moved[0].source, moved[1].source}, {moved[0].stride, moved[1].stride}};
  const Rows beside{{moved[0].source + 1, moved[1].source + 1}, {moved[0].stride, moved[1].stride}};
  const auto set = [&](int value) HWY_ATTR { return hn::Set(d, static_cast<int16_t>(value)); };
  const auto as_8_bits = [&](V deep) HWY_ATTR {
    return shift == 0 ? deep : hn::ShiftRightSame(hn::Add(deep, set(half)), shift);
  };
  for (int c = 0; c < 2 * kWidth; c += static_cast<int>(hn::Lanes(d))) {
    const auto subtract = [&](int r, V predicted) HWY_ATTR {
      const V difference = hn::Sub(as_8_bits(source.load(r, c)), predicted);
      Rows::template store<kPitch>(hn::Max(hn::Min(difference, set(511)), set(-511)), r, c, out);
    };
    if (moved[0].whole()) {
      for (int r = 0; r < rows; ++r) subtract(r, as_8_bits(here.load(r, c)));
      continue;
    }
    const auto columns = [&](int r) HWY_ATTR {  // between_columns()
      const V sum = hn::Add(hn::Mul(here.load(r, c), set(8 - right)), hn::Mul(beside.load(r, c), set(right)));
      return shift == 0 ? sum : hn::ShiftRightSame(sum, shift);
    };
    V above = columns(0);
    for (int r = 0; r < rows; ++r) {  // between_rows()
      const V below = columns(r + 1);
      const V sum = hn::Add(hn::Mul(above, set(8 - down)), hn::Mul(below, set(down)));
      subtract(r, hn::ShiftRight<6>(hn::Add(sum, set(32))));
      above = below;
    }
  }
#else
  for (int p = 0; p < 2; ++p, out += kPitch / 2) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < kWidth; ++c) {
        const Sample* const at = moved[p].source + r * moved[p].stride + c;
        const Sample* const below = at + moved[p].stride;
        const int predicted = moved[p].whole()
                                  ? (at[0] + half) >> shift
                                  : between_rows(between_columns(at[0], at[1], right, shift),
                                                 between_columns(below[0], below[1], right, shift), down);
        out[r * kPitch + c] = static_cast<int16_t>(
            skip_difference((sources[p].data[r * sources[p].stride + c] + half) >> shift, predicted));
      }
    }
  }
#endif
}

constexpr int kAhead = 4 * kSkipUnit;  // in cells

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping cells. By definition each sample is a weighted
// mean of four predictions of 64 products each.
// The plane is divided into pieces between the centres of four neighbouring cells, so a piece has the same
// four vectors everywhere. Adjacent pieces form a segment. Adjacent cells of a segment with equal vectors are
// predicted together, by rows and then columns of the separable filter. A cell with the vector of the cell
// above is not predicted again. The weights are separable too: all pieces of a segment are blended along
// rows, then columns, with masks that select each column's predictions. A quarter of a piece in a skipped
// cell takes that cell's prediction only. Without overlap the pieces are the cells, predicted in place; so is
// a segment with one vector.
#include "cpu/motion/compensate.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/compensate.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/blend-inl.hpp"
#include "cpu/motion/predict-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if CTV_VECTORS
// flags[k] = 255 if bit k is set, else 0, for k < count rounded up to whole vectors.
HWY_INLINE void ExpandBits(uint64_t bits, int count, uint8_t* flags) {
  const hn::Full128<uint8_t> d;
  alignas(16) static constexpr uint8_t kPlaces[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto bit = hn::BitCast(d, hn::Set(hn::Full128<uint64_t>(), 0x8040201008040201U));
  for (int k = 0; k < count; k += kCellsAtOnce, bits >>= kCellsAtOnce) {
    const auto all = hn::BitCast(d, hn::Set(hn::Full128<uint16_t>(), static_cast<uint16_t>(bits)));
    const auto own = hn::And(LookUp(all, hn::Load(d, kPlaces)), bit);
    hn::StoreU(hn::VecFromMask(d, hn::Eq(own, bit)), d, flags + k);
  }
}

// Bit k: a[k] == b[k], for k < count rounded up to whole vectors.
HWY_INLINE uint64_t SameVectors(const MotionVector* a, const MotionVector* b, int count) {
  const hn::CappedTag<uint32_t, kCellsAtOnce> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const auto load = [&](const MotionVector* v)
                        HWY_ATTR { return hn::LoadU(d, reinterpret_cast<const uint32_t*>(v)); };
  uint64_t same = 0;
  for (int k = 0; k < count; k += kLanes) {
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Eq(load(a + k), load(b + k)), bits);
    uint64_t word = 0;
    std::memcpy(&word, bits, sizeof word);
    same |= word << k;
  }
  return same;
}

// flags[k] = 255 if cell k is skipped, else 0, for k < count rounded up to whole vectors.
HWY_INLINE void FlagSkips(const uint8_t* skips, int count, uint8_t* flags) {
  const hn::Full128<uint8_t> d;
  for (int k = 0; k < count; k += kCellsAtOnce)
    hn::StoreU(hn::VecFromMask(d, hn::Gt(hn::LoadU(d, skips + k), hn::Zero(d))), d, flags + k);
}
#else
HWY_INLINE void ExpandBits(uint64_t bits, int count, uint8_t* flags) {
  for (int k = 0; k < count; ++k) flags[k] = (bits >> k & 1U) != 0 ? 255 : 0;
}
HWY_INLINE uint64_t SameVectors(const MotionVector* a, const MotionVector* b, int count) {
  uint64_t same = 0;
  for (int k = 0; k < count; ++k) same |= uint64_t{a[k] == b[k]} << k;
  return same;
}
HWY_INLINE void FlagSkips(const uint8_t* skips, int count, uint8_t* flags) {
  for (int k = 0; k < count; ++k) flags[k] = skips[k] != 0 ? 255 : 0;
}
#endif

// Inlined, since gcc 12.2 considers its stores dead and drops the call.
[[gnu::always_inline]] inline void SetCells(const PieceRow& c, Segment& s) {
  const int first = c.cols->cell(s.first);
  const int count = s.cells();
  const bool beside = c.cols->cells == 1 && c.cols->cell(s.first + count - 1) == first + count - 1;
  for (int half = 0; half < 2; ++half) {
    const ptrdiff_t row =
        ptrdiff_t{c.rows->cell(c.piece + (half != 0 && c.rows->between ? 1 : 0))} * c.geometry->grid.cols;
    const ptrdiff_t at = row + first;
    s.vectors[half] = c.side.vectors + at;
    const uint8_t* skips = c.side.skips + at;
    uint8_t copied_skips[Segment::kCopied];
    if (!beside || at + Segment::kCopied > static_cast<ptrdiff_t>(c.geometry->grid.size())) {
      for (int k = 0; k < count; ++k) {
        const int col = c.cols->cell(s.first + k) - first;
        s.copied[half][k] = s.vectors[half][col];
        copied_skips[k] = skips[col];
      }
      s.vectors[half] = s.copied[half];
      skips = copied_skips;
    }
    FlagSkips(skips, count, s.alone[half]);
  }
  const uint64_t all = s.cell_bits();
  const auto starts = [&](int half) {
    return all & ~(SameVectors(s.vectors[half], s.vectors[half] + 1, count - 1) << 1);
  };
  s.known_bits = SameVectors(s.vectors[0], s.vectors[1], count) & all;
  s.starts[0] = starts(0);
  s.starts[1] = (starts(1) | s.known_bits << 1) & ~s.known_bits & all;
}

// Prefetches what a segment from column x on reads and writes with vector v.
[[gnu::always_inline]] inline void PrefetchPrediction(const PieceRow& c, int rows, MotionVector v, int x) {
  prefetch_block(c.prediction, c.top, x, rows, kSegment);
  prefetch_block(c.reference, c.top + displacement(v.y, c.geometry->row_shift).whole - kBefore,
                 x + displacement(v.x, c.geometry->col_shift).whole, rows + kTaps - 1, kSegment);
}

// Prefetches what a row of pieces reads and writes two segments after the one at column `left`, or at the
// start of the next row. The row above has already loaded the upper rows of the reference.
[[gnu::always_inline]] inline void PrefetchAhead(const PieceRow& c, int left) {
  int x = left + 2 * kSegment;
  int below = 0;
  if (x >= c.prediction.cols) {
    x -= round_up(c.prediction.cols - c.cols->begin, kSegment);
    below = 1;
  }
  const int size = c.rows->size;
  const int top = c.top + below * size;
  const int row = c.rows->cell(c.piece + below + 1);
  const int col = c.cols->cell((x - c.cols->begin + kSegment / 2) / c.cols->size);
  const MotionVector v = c.side.vectors[ptrdiff_t{row} * c.geometry->grid.cols + col];
  prefetch_block(c.prediction, top, x, size, kSegment);
  prefetch_block(c.reference, top + displacement(v.y, c.geometry->row_shift).whole + kTaps - 1 - kBefore,
                 x + displacement(v.x, c.geometry->col_shift).whole, size, kSegment);
}

// Clamps overshoot of the filter to the range of the samples.
void ClampColumns(const PieceRow& c, MotionVector v, int rows, int cols, int16_t* out, ptrdiff_t pitch) {
  const CompensationGeometry& g = *c.geometry;
  if (displacement(v.y, g.row_shift).eighth == 0 && displacement(v.x, g.col_shift).eighth == 0) return;
  const auto lo = static_cast<int16_t>(g.range.lo);
  const auto hi = static_cast<int16_t>(g.range.hi);
  for (int r = 0; r < rows; ++r, out += pitch) {
    CTV_KEEP_LOOP
    for (int i = 0; i < cols; ++i) out[i] = clamp_to(out[i], lo, hi);
  }
}

// Predicts columns of `rows` rows from x on, minus the bias. May write 7 more columns, or 15 if `wide`. out:
// [rows][pitch]
void PredictColumns(const PieceRow& c, int rows, MotionVector v, int x, int cols, bool wide, int16_t* out,
                    ptrdiff_t pitch, int bias = 0) {
  const ChromaShift shift{c.geometry->row_shift, c.geometry->col_shift};
  const SampleKind kind{c.geometry->range.lo == 0, c.geometry->range.shift(), bias};
  const auto predict = [&](auto width, int least) {
    constexpr int kWidth = decltype(width)::value;
    for (; cols > least; cols -= kWidth, x += kWidth, out += kWidth)
      Predict<kWidth>(c.reference, shift, v, c.top, x, rows, out, pitch, kind);
  };
  predict(std::integral_constant<int, 32>(), wide ? 16 : 24);
  predict(std::integral_constant<int, 16>(), 8);
  predict(std::integral_constant<int, 8>(), 0);
}

// Predicts the cells of one half of the segment, run by run.
void PredictCells(const PieceRow& c, int half, Segment& s) {
  const int size = c.cols->size;
  const int count = s.cells();
  uint64_t odd = s.starts[half];  // of runs: parity of the number of runs that start at or before a cell
  for (int shift = 1; shift < 64; shift *= 2) odd ^= odd << shift;
  ExpandBits(odd, count, s.odd[half]);
  if (half == 1) ExpandBits(s.known_bits, count, s.known);
  const uint64_t ends = s.starts[half] | (half == 1 ? s.known_bits : 0) | ~s.cell_bits();
  for (uint64_t rest = s.starts[half]; rest != 0; rest &= rest - 1) {
    const int k = std::countr_zero(rest);
    const int end = k + 1 + std::countr_zero(ends >> (k + 1));
    const int begin = max_of(0, k - s.to_next) * size;
    const int cols = min_of(s.pieces, end) * size - begin;
    int16_t* const out = s.samples[half][odd >> k & 1] + begin;
    PredictColumns(c, c.rows->size, s.vectors[half][k], s.left + begin, cols, true, out, kPitch, c.bias());
  }
}

// Writes the rows and columns that lie in the plane.
void Write(const PieceRow& c, int rows, int left, int cols, const int16_t* samples) {
  const int last_row = min_of(rows, c.prediction.rows - c.top);
  const int begin = max_of(0, -left);
  const int end = min_of(cols, c.prediction.cols - left);
  for (int r = max_of(0, -c.top); r < last_row; ++r)
    std::copy(samples + r * kPitch + begin, samples + r * kPitch + end,
              c.prediction.row(c.top + r) + left + begin);
}

// Whether `cols` columns of all rows lie in the plane.
bool Inside(const PieceRow& c, int left, int cols) {
  return c.top >= 0 && c.top + c.rows->size <= c.prediction.rows && left >= 0 &&
         left + cols <= c.prediction.cols;
}

// Predicts a segment in place if it has one vector, lies in the plane, and has a multiple of 8 columns.
bool PredictInPlace(const PieceRow& c, const Segment& s) {
  const int cols = s.pieces * c.cols->size;
  if (!s.one_vector() || cols % 8 != 0 || !Inside(c, s.left, cols)) return false;
  int16_t* const out = c.prediction.row(c.top) + s.left;
  PredictColumns(c, c.rows->size, s.vectors[0][0], s.left, cols, false, out, c.prediction.stride);
  ClampColumns(c, s.vectors[0][0], c.rows->size, cols, out, c.prediction.stride);
  return true;
}

void CompensatePieces(const PieceRow& c) {
  const int size = c.cols->size;
  Segment s;
  alignas(64) int16_t samples[kPiece * kPitch];
  s.to_next = c.cols->between ? 1 : 0;
  s.first = 0;
  for (s.left = c.cols->begin; s.left < c.prediction.cols; s.left += s.pieces * size, s.first += s.pieces) {
    s.pieces =
        min_of(min_of(kSegment / size, Segment::kMostPieces), ceil_div(c.prediction.cols - s.left, size));
    SetCells(c, s);
    PrefetchAhead(c, s.left);
    if (PredictInPlace(c, s)) continue;
    PredictCells(c, 0, s);
    PredictCells(c, 1, s);
    if (Inside(c, s.left, kSegment)) {
      Blend(c, s, c.prediction.row(c.top) + s.left, c.prediction.stride);
    } else {
      Blend(c, s, samples, kPitch);
      Write(c, c.rows->size, s.left, s.pieces * size, samples);
    }
  }
}

// Without overlap: predicts two rows of cells, together where their vectors are equal.
void CompensateCells(const PieceRow& c) {
  const int size = c.cols->size;
  const int height = c.rows->size;
  const int cells = ceil_div(c.prediction.cols, size);
  const auto vectors = [&](int row) {
    return c.side.vectors + ptrdiff_t{c.rows->cell(c.piece + row)} * c.geometry->grid.cols;
  };
  const MotionVector* const upper = vectors(0);
  const bool single = c.top + height >= c.prediction.rows;
  const MotionVector* const lower = single ? upper : vectors(1);
  const auto predict = [&](const PieceRow& from, int rows, MotionVector v, int left, int cols) {
    if (from.top + rows <= c.prediction.rows && left + round_up(cols, 8) <= c.prediction.cols) {
      for (int x = left; x < left + cols; x += kSegment) {
        PrefetchPrediction(from, rows, v, x + kSegment);
        int16_t* const out = c.prediction.row(from.top) + x;
        const int n = min_of(kSegment, left + cols - x);
        PredictColumns(from, rows, v, x, n, false, out, c.prediction.stride);
        ClampColumns(from, v, rows, n, out, c.prediction.stride);
      }
      return;
    }
    alignas(64) int16_t samples[kMostRows * kPitch];
    for (int x = 0; x < cols; x += kSegment) {
      const int n = min_of(kSegment, cols - x);
      PredictColumns(from, rows, v, left + x, n, true, samples, kPitch);
      ClampColumns(from, v, rows, n, samples, kPitch);
      Write(from, rows, left + x, n, samples);
    }
  };
  PieceRow below = c;
  below.top += height;
  for (int k = 0, end; k < cells; k = end) {
    const MotionVector v = upper[c.cols->cell(k)];
    const MotionVector w = lower[c.cols->cell(k)];
    end = k + 1;
    while (end < cells && upper[c.cols->cell(end)] == v && lower[c.cols->cell(end)] == w) ++end;
    const bool together = !single && v == w;
    predict(c, together ? 2 * height : height, v, k * size, (end - k) * size);
    if (!single && !together) predict(below, height, w, k * size, (end - k) * size);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(CompensateCells);
HWY_EXPORT(CompensatePieces);

namespace {

Axis make_axis(bool overlap, int count, int shift) {
  Axis a{};
  const int log2_size = std::max(0, kLog2Cell - shift);
  a.between = overlap && log2_size > 0;
  a.count = count;
  a.size = 1 << log2_size;
  a.begin = a.between ? -(a.size / 2) : 0;
  a.cells = 1 << std::max(0, shift - kLog2Cell);
  for (int i = 0; i < kSegment; ++i) {
    const int in_piece = i % a.size;
    const bool near = in_piece < a.size / 2;
    a.weights[i] = static_cast<int16_t>(log2_size > 0 ? overlap_weight(log2_size, in_piece) : 0);
    a.near[i] = static_cast<int16_t>(near ? -1 : 0);
    if (i < kPiece) a.pairs[i] = a.weights[i] << 16 | (32 - a.weights[i]);
    for (int byte = 2 * i; byte < 2 * i + 2 && i < kLanes; ++byte) {
      a.piece_at[byte] = static_cast<uint8_t>(i / a.size);
      a.cell_at[byte] = static_cast<uint8_t>(i / a.size + (near || !a.between ? 0 : 1));
    }
  }
  return a;
}

}  // namespace

void compensate_plane(int threads, PlaneView<const Sample> reference, const ConstSideInfo& side,
                      const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const Axis rows = make_axis(geometry.overlap, geometry.grid.rows, geometry.row_shift);
  const Axis cols = make_axis(geometry.overlap, geometry.grid.cols, geometry.col_shift);
  if (!rows.between && !cols.between) {
    parallel_for(threads, ceil_div(prediction.rows, 2 * rows.size), [&](int i) {
      const PieceRow c{reference, prediction, side, &geometry, &rows, &cols, 2 * i, 2 * i * rows.size};
      HWY_DYNAMIC_DISPATCH(CompensateCells)(c);
    });
    return;
  }
  parallel_for(threads, (prediction.rows - rows.begin + rows.size - 1) / rows.size, [&](int i) {
    const PieceRow c{reference, prediction, side, &geometry, &rows, &cols, i, rows.begin + i * rows.size};
    HWY_DYNAMIC_DISPATCH(CompensatePieces)(c);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping cells. By definition each sample is a weighted
// mean of four predictions of 64 products each. Here a plane is divided into pieces, each between the centres
// of four neighbouring cells, so that a piece has the same four vectors everywhere. Pieces side by side make
// a segment. In it, cells side by side with one vector are predicted together, by rows and then columns of
// the separable filter, and a cell with the vector of the one above it is not predicted again. The weights
// are separable too and blend rows, then columns, all pieces of the segment at once: masks say where each
// column's predictions are. The quarter of a piece that lies in a skipped cell takes that cell's prediction
// alone. Without overlap the pieces are the cells, predicted in place, and so is a segment of one vector.
#include "cpu/motion/compensate.hpp"

#include <algorithm>
#include <type_traits>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/compensate.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/predict-inl.hpp"

#ifndef CTV_CPU_COMPENSATE_ONCE
#define CTV_CPU_COMPENSATE_ONCE
namespace ctv {

constexpr int kPiece = 1 << kLog2Cell;  // samples on a side, at most
constexpr int kSegment = 64;            // columns of a segment
constexpr int kLanes = 16;              // of a vector, at most
// Of its rows: whole lines of 64 bytes, and a prediction may be 16 columns too wide.
constexpr int kPitch = kSegment + 32;

// Pieces along one axis. They lie between the centres of cells; without overlap, or where cells have at most
// one sample, they are the cells, or every so many of them.
struct Axis {
  bool between;
  int count;                              // of cells
  int size, begin;                        // samples of the plane
  int cells;                              // from a piece to the next
  int32_t pairs[kPiece];                  // weights of both cells, 32nds, as 16-bit lanes
  alignas(64) int16_t weights[kSegment];  // of the second cell of the pair, 32nds
  alignas(64) int16_t near[kSegment];     // -1 in the first half of a piece, where the first cell lies
  // Of both bytes of a vector's columns, counted from its first piece: the piece, and the cell that it lies
  // in.
  alignas(64) uint8_t piece_at[2 * kLanes];
  alignas(64) uint8_t cell_at[2 * kLanes];

  /// The first cell of a piece. The second is that of the piece after it, if pieces lie between cells.
  int cell(int piece) const {
    return between ? clamp_to(piece - 1, 0, count - 1) : min_of(piece * cells, count - 1);
  }
};

// One row of pieces.
struct PieceRow {
  PlaneView<const Sample> reference;
  PlaneView<Sample> prediction;
  ConstSideInfo side;
  const CompensationGeometry* geometry;
  const Axis* rows;
  const Axis* cols;
  int piece;
  int top;  // first sample row, may be negative
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// A segment's cells, those above and those below the middle of its pieces, and their predictions.
struct Segment {
  static constexpr int kMostCells = kSegment + 1;
  static constexpr int kFlags = kMostCells + kLanes;  // 0 or 255; vectors read more
  int first, pieces;
  int left;     // first sample, may be negative
  int to_next;  // from a piece's first cell to its second; 0: pieces have one cell
  const MotionVector* vectors[2];
  MotionVector copied[2][kMostCells];  // those not side by side in the grid, as at its borders
  uint8_t alone[2][kFlags];            // not blended in its quarters of pieces
  // Predictions, [half][odd][kPiece][kPitch]. Neighbouring runs of cells overlap by a piece, so they
  // alternate.
  alignas(64) int16_t samples[2][2][kPiece * kPitch];
  uint8_t odd[2][kFlags];  // which of both a cell's is
  uint8_t known[kFlags];   // a lower cell's is that of the cell above it
};

// Inlined, since gcc 12.2 takes its stores for dead and leaves the call out.
[[gnu::always_inline]] inline void SetCells(const PieceRow& c, Segment& s) {
  const int first = c.cols->cell(s.first);
  const bool beside = c.cols->cell(s.first + s.pieces) == first + s.pieces;
  for (int half = 0; half < 2; ++half) {
    const ptrdiff_t row =
        ptrdiff_t{c.rows->cell(c.piece + (half != 0 && c.rows->between ? 1 : 0))} * c.geometry->grid.cols;
    const MotionVector* const vectors = c.side.vectors + row + first;
    const uint8_t* const skips = c.side.skips + row + first;
    s.vectors[half] = vectors;
    if (beside && c.cols->cells == 1) {
      for (int k = 0; k <= s.pieces; ++k) s.alone[half][k] = static_cast<uint8_t>(skips[k] != 0 ? 255 : 0);
      continue;
    }
    for (int k = 0; k <= s.pieces; ++k) {
      const int col = c.cols->cell(s.first + k) - first;
      s.copied[half][k] = vectors[col];
      s.alone[half][k] = static_cast<uint8_t>(skips[col] != 0 ? 255 : 0);
    }
    s.vectors[half] = s.copied[half];
  }
}

// Loads what a segment from column x on reads and writes with vector v.
[[gnu::always_inline]] inline void PrefetchPrediction(const PieceRow& c, int rows, MotionVector v, int x) {
  Prefetch(c.prediction, c.top, x, rows, kSegment);
  Prefetch(c.reference, c.top + displacement(v.y, c.geometry->row_shift).whole - kBefore,
           x + displacement(v.x, c.geometry->col_shift).whole, rows + kTaps - 1, kSegment);
}

// Predicts columns of `rows` rows from x on; 7 more may be written, with `wide` 15. out: [rows][pitch]
void PredictColumns(const PieceRow& c, int rows, MotionVector v, int x, int cols, bool wide, int16_t* out,
                    ptrdiff_t pitch) {
  const ChromaShift shift{c.geometry->row_shift, c.geometry->col_shift};
  const bool bytes = c.geometry->range.lo == 0;
  const auto predict = [&](auto width, int least) {
    constexpr int kWidth = decltype(width)::value;
    for (; cols > least; cols -= kWidth, x += kWidth, out += kWidth)
      Predict<kWidth>(c.reference, shift, v, c.top, x, rows, out, pitch, bytes);
  };
  predict(std::integral_constant<int, 32>(), wide ? 16 : 24);
  predict(std::integral_constant<int, 16>(), 8);
  predict(std::integral_constant<int, 8>(), 0);
}

// Predicts the cells of one half of the segment, run by run.
void PredictCells(const PieceRow& c, int half, Segment& s) {
  const int size = c.cols->size;
  for (int k = 0; k <= s.pieces && half == 1; ++k)
    s.known[k] = static_cast<uint8_t>(s.vectors[0][k] == s.vectors[1][k] ? 255 : 0);
  const auto known = [&](int k) { return half == 1 && s.known[k] != 0; };
  uint8_t odd = 0;
  for (int k = 0; k <= s.pieces;) {
    s.odd[half][k] = odd;
    if (known(k)) {
      ++k;
      continue;
    }
    const MotionVector v = s.vectors[half][k];
    const int begin = max_of(0, k - s.to_next) * size;
    for (++k; k <= s.pieces && s.vectors[half][k] == v && !known(k); ++k) s.odd[half][k] = odd;
    const int cols = min_of(s.pieces, k) * size - begin;
    int16_t* const out = s.samples[half][odd != 0 ? 1 : 0] + begin;
    if (cols > 0) PredictColumns(c, c.rows->size, v, s.left + begin, cols, true, out, kPitch);
    odd = static_cast<uint8_t>(~odd);
  }
}

// Blends the predictions of a segment: rows first (32nds, exact), then columns; quarters that are alone take
// theirs. Masks say where each column's predictions are, for branches could not be foretold. Columns in whole
// vectors. out: [rows][pitch]
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
void Blend(const PieceRow& c, const Segment& s, int16_t* out, ptrdiff_t pitch) {
  const hn::CappedTag<int16_t, kLanes> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Repartition<uint8_t, decltype(d16)> d8;
  const auto half = hn::Set(d32, 512);
  const auto right = hn::Load(d16, c.cols->weights);
  const auto near = hn::MaskFromVec(hn::Load(d16, c.cols->near));
  for (int x = 0; x < s.pieces * c.cols->size; x += static_cast<int>(hn::Lanes(d16))) {
    const int first = x / c.cols->size;
    const auto mask = [&](const uint8_t* flags, const uint8_t* places) HWY_ATTR {
      const auto bytes = LookUp(hn::LoadDup128(d8, flags + first), hn::Load(d8, places));
      return hn::MaskFromVec(hn::BitCast(d16, bytes));
    };
    const auto odd0 = mask(s.odd[0], c.cols->piece_at);
    const auto odd1 = mask(s.odd[0] + s.to_next, c.cols->piece_at);
    const auto odd2 = mask(s.odd[1], c.cols->piece_at);
    const auto odd3 = mask(s.odd[1] + s.to_next, c.cols->piece_at);
    const auto known0 = mask(s.known, c.cols->piece_at);
    const auto known1 = mask(s.known + s.to_next, c.cols->piece_at);
    const auto blend = [&](int begin, int end, auto lower_half) HWY_ATTR {
      constexpr int kLower = decltype(lower_half)::value;
      const auto alone = mask(s.alone[kLower], c.cols->cell_at);
      for (int r = begin; r < end; ++r) {
        const auto load = [&](int h, int odd)
                              HWY_ATTR { return hn::Load(d16, s.samples[h][odd] + r * kPitch + x); };
        const auto above0 = load(0, 0);
        const auto above1 = load(0, 1);
        const auto below0 = load(1, 0);
        const auto below1 = load(1, 1);
        const auto p0 = hn::IfThenElse(odd0, above1, above0);
        const auto p1 = hn::IfThenElse(odd1, above1, above0);
        const auto p2 = hn::IfThenElse(known0, p0, hn::IfThenElse(odd2, below1, below0));
        const auto p3 = hn::IfThenElse(known1, p1, hn::IfThenElse(odd3, below1, below0));
        const auto upper = hn::Add(hn::ShiftLeft<5>(p0), hn::Mul(right, hn::Sub(p1, p0)));
        const auto lower = hn::Add(hn::ShiftLeft<5>(p2), hn::Mul(right, hn::Sub(p3, p2)));
        // Both side by side make one multiply-add (pmaddwd).
        const auto weights = hn::BitCast(d16, hn::Set(d32, c.rows->pairs[r]));
        auto unused = hn::Zero(d32);
        const auto sums =
            hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, upper, lower), weights, half, unused);
        const auto more =
            hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, upper, lower), weights, half, unused);
        const auto blended = hn::ReorderDemote2To(d16, hn::ShiftRight<10>(sums), hn::ShiftRight<10>(more));
        const auto own = hn::IfThenElse(near, kLower == 0 ? p0 : p2, kLower == 0 ? p1 : p3);
        hn::StoreU(hn::IfThenElse(alone, own, blended), d16, out + r * pitch + x);
      }
    };
    const int middle = max_of(1, c.rows->size / 2);
    blend(0, middle, std::integral_constant<int, 0>());
    blend(middle, c.rows->size, std::integral_constant<int, 1>());
  }
}
#else
void Blend(const PieceRow& c, const Segment& s, int16_t* __restrict out, ptrdiff_t pitch) {
  // Masks of all columns first, so that the compiler vectorises the loop below.
  int16_t odd[2][2][kSegment], known[2][kSegment], alone[2][kSegment];
  const int cols = s.pieces * c.cols->size;
  const auto mask = [](uint8_t flag) { return static_cast<int16_t>(-(flag & 1)); };
  for (int x = 0; x < cols; ++x) {
    const int first = x / c.cols->size;
    const int own = first + (c.cols->near[x] != 0 ? 0 : s.to_next);
    for (int i = 0; i < 2; ++i) {
      const int cell = first + i * s.to_next;
      odd[0][i][x] = mask(s.odd[0][cell]);
      odd[1][i][x] = mask(s.odd[1][cell]);
      known[i][x] = mask(s.known[cell]);
      alone[i][x] = mask(s.alone[i][own]);
    }
  }
  const auto select = [](int16_t m, int16_t yes, int16_t no) {
    return static_cast<int16_t>((yes & m) | (no & ~m));
  };
  for (int r = 0; r < c.rows->size; ++r) {
    const bool above = r < max_of(1, c.rows->size / 2);
    CTV_KEEP_LOOP
    for (int x = 0; x < cols; ++x) {
      const int i = r * kPitch + x;
      const int16_t p0 = select(odd[0][0][x], s.samples[0][1][i], s.samples[0][0][i]);
      const int16_t p1 = select(odd[0][1][x], s.samples[0][1][i], s.samples[0][0][i]);
      const int16_t p2 =
          select(known[0][x], p0, select(odd[1][0][x], s.samples[1][1][i], s.samples[1][0][i]));
      const int16_t p3 =
          select(known[1][x], p1, select(odd[1][1][x], s.samples[1][1][i], s.samples[1][0][i]));
      const auto upper = static_cast<int16_t>(32 * p0 + c.cols->weights[x] * (p1 - p0));
      const auto lower = static_cast<int16_t>(32 * p2 + c.cols->weights[x] * (p3 - p2));
      const auto blended =
          static_cast<int16_t>((32 * upper + c.rows->weights[r] * (lower - upper) + 512) >> 10);
      const int16_t own = select(c.cols->near[x], above ? p0 : p2, above ? p1 : p3);
      out[r * pitch + x] = select(alone[above ? 0 : 1][x], own, blended);
    }
  }
}
#endif

// Writes the part of rows and columns that lies in the plane.
void Write(const PieceRow& c, int rows, int left, int cols, const int16_t* samples) {
  const int last_row = min_of(rows, c.prediction.rows - c.top);
  const int begin = max_of(0, -left);
  const int end = min_of(cols, c.prediction.cols - left);
  for (int r = max_of(0, -c.top); r < last_row; ++r)
    std::copy(samples + r * kPitch + begin, samples + r * kPitch + end,
              c.prediction.row(c.top + r) + left + begin);
}

// Whether so many columns of all rows can be written in place.
bool Inside(const PieceRow& c, int left, int cols) {
  return c.top >= 0 && c.top + c.rows->size <= c.prediction.rows && left >= 0 &&
         left + cols <= c.prediction.cols;
}

// Predicts a segment in place, if it has one vector, lies in the plane and is as wide as predictions are.
bool PredictInPlace(const PieceRow& c, const Segment& s) {
  const int cols = s.pieces * c.cols->size;
  const MotionVector v = s.vectors[0][0];
  const auto of_v = [&](const MotionVector* row) {
    return std::all_of(row, row + s.pieces + s.to_next, [v](MotionVector w) { return w == v; });
  };
  if (cols % 8 != 0 || !Inside(c, s.left, cols) || !of_v(s.vectors[0]) || !of_v(s.vectors[1])) return false;
  PredictColumns(c, c.rows->size, v, s.left, cols, false, c.prediction.row(c.top) + s.left,
                 c.prediction.stride);
  return true;
}

void CompensatePieces(const PieceRow& c) {
  const int size = c.cols->size;
  Segment s;
  alignas(64) int16_t samples[kPiece * kPitch];
  s.to_next = c.cols->between ? 1 : 0;
  s.first = 0;
  for (s.left = c.cols->begin; s.left < c.prediction.cols; s.left += s.pieces * size, s.first += s.pieces) {
    s.pieces = min_of(kSegment / size, ceil_div(c.prediction.cols - s.left, size));
    SetCells(c, s);
    PrefetchPrediction(c, size, s.vectors[0][s.pieces], s.left + s.pieces * size);
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

// Without overlap: two rows of cells, predicted together where they have the same vectors.
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
        PredictColumns(from, rows, v, x, min_of(kSegment, left + cols - x), false,
                       c.prediction.row(from.top) + x, c.prediction.stride);
      }
      return;
    }
    alignas(64) int16_t samples[kMostRows * kPitch];
    for (int x = 0; x < cols; x += kSegment) {
      const int n = min_of(kSegment, cols - x);
      PredictColumns(from, rows, v, left + x, n, true, samples, kPitch);
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

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
// Of its rows: whole lines of 64 bytes, and a prediction may be 16 columns too wide.
constexpr int kPitch = kSegment + 32;

// Pieces along one axis. They lie between the centres of cells; without overlap, or where cells have at most
// one sample, they are the cells, or every so many of them.
struct Axis {
  bool between;
  int count;                              // of cells
  int size, begin;                        // samples of the plane
  int cells;                              // from a piece to the next
  alignas(64) int16_t weights[kSegment];  // of the second cell of the pair, 32nds
  alignas(64) int16_t near[kSegment];     // -1 in the first half of a piece, where the first cell lies

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
  int first, pieces;
  int left;     // first sample, may be negative
  int to_next;  // from a piece's first cell to its second; 0: pieces have one cell
  const MotionVector* vectors[2];
  const uint8_t* alone[2];  // not 0: not blended in its quarters of pieces
  // Predictions, [half][odd][kPiece][kPitch]. Neighbouring runs of cells overlap by a piece, so they
  // alternate.
  alignas(64) int16_t samples[2][2][kPiece * kPitch];
  bool odd[2][kMostCells];  // which of both a cell's is
  bool known[kMostCells];   // a lower cell's is that of the cell above it
};

// Cells that are not side by side in the grid, as at its borders.
struct CellCopies {
  MotionVector vectors[2][Segment::kMostCells];
  uint8_t skips[2][Segment::kMostCells];
};

// Inlined, since gcc 12.2 takes its stores for dead and leaves the call out.
[[gnu::always_inline]] inline void SetCells(const PieceRow& c, Segment& s, CellCopies& copies) {
  const int first = c.cols->cell(s.first);
  const bool beside = c.cols->cell(s.first + s.pieces) == first + s.pieces;
  for (int half = 0; half < 2; ++half) {
    const ptrdiff_t row =
        ptrdiff_t{c.rows->cell(c.piece + (half != 0 && c.rows->between ? 1 : 0))} * c.geometry->grid.cols;
    s.vectors[half] = c.side.vectors + row + first;
    s.alone[half] = c.side.skips + row + first;
    if (beside && c.cols->cells == 1) continue;
    for (int k = 0; k <= s.pieces; ++k) {
      const int col = c.cols->cell(s.first + k) - first;
      copies.vectors[half][k] = s.vectors[half][col];
      copies.skips[half][k] = s.alone[half][col];
    }
    s.vectors[half] = copies.vectors[half];
    s.alone[half] = copies.skips[half];
  }
}

// Predicts the columns of `rows` rows from sample x on; 7 columns more may be written. out: [rows][pitch]
void PredictColumns(const PieceRow& c, int rows, MotionVector v, int x, int cols, int16_t* out,
                    ptrdiff_t pitch) {
  const ChromaShift shift{c.geometry->row_shift, c.geometry->col_shift};
  const auto predict = [&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    for (; cols > kWidth - 8; cols -= kWidth, x += kWidth, out += kWidth)
      Predict<kWidth>(c.reference, shift, v, c.top, x, rows, out, pitch);
  };
  predict(std::integral_constant<int, 32>());
  predict(std::integral_constant<int, 16>());
  predict(std::integral_constant<int, 8>());
}

// Predicts the cells of one half of the segment, run by run.
void PredictCells(const PieceRow& c, int half, Segment& s) {
  const int size = c.cols->size;
  bool odd = false;
  for (int k = 0; k <= s.pieces;) {
    const MotionVector v = s.vectors[half][k];
    const auto known = [&](int i) { return half == 1 && s.vectors[0][i] == s.vectors[1][i]; };
    s.known[k] = known(k);
    if (s.known[k]) {
      s.odd[1][k] = false;
      ++k;
      continue;
    }
    int16_t* out = s.samples[half][odd ? 1 : 0];
    const int begin = max_of(0, k - s.to_next) * size;
    for (; k <= s.pieces && s.vectors[half][k] == v && !known(k); ++k) {
      s.odd[half][k] = odd;
      s.known[k] = false;
    }
    const int end = min_of(s.pieces, k) * size;
    if (begin < end) PredictColumns(c, c.rows->size, v, s.left + begin, end - begin, out + begin, kPitch);
    odd = !odd;
  }
}

// Masks of a segment's columns, -1 or 0: where the predictions of a piece's first and second cells are, and
// which samples are not blended. They are blended without branches, which could not be foretold.
struct Choice {
  alignas(64) int16_t odd[2][2][kSegment];  // [half][first, second cell]
  alignas(64) int16_t known[2][kSegment];   // [first, second cell]
  alignas(64) int16_t alone[2][kSegment];   // [half]
};

template <int kSize>
void Choose(const Segment& s, Choice& to) {
  const auto set = [](int16_t* out, bool flag) { std::fill_n(out, kSize, static_cast<int16_t>(-int{flag})); };
  for (int k = 0; k < s.pieces; ++k) {
    const int next = k + s.to_next;
    const int x = k * kSize;
    for (int half = 0; half < 2; ++half) {
      set(to.odd[half][0] + x, s.odd[half][k]);
      set(to.odd[half][1] + x, s.odd[half][next]);
      constexpr int kNear = kSize / 2;
      std::fill_n(to.alone[half] + x, kNear, static_cast<int16_t>(-int{s.alone[half][k] != 0}));
      std::fill_n(to.alone[half] + x + kNear, kSize - kNear,
                  static_cast<int16_t>(-int{s.alone[half][next] != 0}));
    }
    set(to.known[0] + x, s.known[k]);
    set(to.known[1] + x, s.known[next]);
  }
}

// Blends the predictions of a segment: rows first (32nds, exact), then columns; quarters that are alone take
// theirs. Columns in whole vectors. out: [rows][pitch]
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
void Blend(const PieceRow& c, const Segment& s, const Choice& choice, int16_t* out, ptrdiff_t pitch) {
  const hn::CappedTag<int16_t, kSegment / 2> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const auto half = hn::Set(d32, 512);
  const int half_rows = max_of(1, c.rows->size / 2);
  for (int x = 0; x < s.pieces * c.cols->size; x += static_cast<int>(hn::Lanes(d16))) {
    const auto mask = [&](const int16_t* m) { return hn::MaskFromVec(hn::Load(d16, m + x)); };
    const auto right = hn::Load(d16, c.cols->weights + x);
    const auto near = mask(c.cols->near);
    const auto odd0 = mask(choice.odd[0][0]);
    const auto odd1 = mask(choice.odd[0][1]);
    const auto odd2 = mask(choice.odd[1][0]);
    const auto odd3 = mask(choice.odd[1][1]);
    const auto known0 = mask(choice.known[0]);
    const auto known1 = mask(choice.known[1]);
    for (int r = 0; r < c.rows->size; ++r) {
      const auto load = [&](int h, int odd) { return hn::Load(d16, s.samples[h][odd] + r * kPitch + x); };
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
      const int low = c.rows->weights[r];
      const auto weights = hn::BitCast(d16, hn::Set(d32, low << 16 | (32 - low)));
      auto unused = hn::Zero(d32);
      const auto sums =
          hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, upper, lower), weights, half, unused);
      const auto more =
          hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, upper, lower), weights, half, unused);
      const auto blended = hn::ReorderDemote2To(d16, hn::ShiftRight<10>(sums), hn::ShiftRight<10>(more));
      const bool above = r < half_rows;
      const auto own = hn::IfThenElse(near, above ? p0 : p2, above ? p1 : p3);
      hn::StoreU(hn::IfThenElse(mask(choice.alone[above ? 0 : 1]), own, blended), d16, out + r * pitch + x);
    }
  }
}
#else
void Blend(const PieceRow& c, const Segment& s, const Choice& choice, int16_t* __restrict out,
           ptrdiff_t pitch) {
  const int16_t* right = c.cols->weights;
  const int16_t* near = c.cols->near;
  const int half_rows = max_of(1, c.rows->size / 2);
  const auto select = [](int16_t mask, int16_t yes, int16_t no) {
    return static_cast<int16_t>((yes & mask) | (no & ~mask));
  };
  for (int r = 0; r < c.rows->size; ++r) {
    const int low = c.rows->weights[r];
    const bool above = r < half_rows;
    const int16_t* const alone = choice.alone[above ? 0 : 1];
    CTV_KEEP_LOOP
    for (int x = 0; x < kSegment; ++x) {
      const int i = r * kPitch + x;
      const int16_t p0 = select(choice.odd[0][0][x], s.samples[0][1][i], s.samples[0][0][i]);
      const int16_t p1 = select(choice.odd[0][1][x], s.samples[0][1][i], s.samples[0][0][i]);
      const int16_t p2 =
          select(choice.known[0][x], p0, select(choice.odd[1][0][x], s.samples[1][1][i], s.samples[1][0][i]));
      const int16_t p3 =
          select(choice.known[1][x], p1, select(choice.odd[1][1][x], s.samples[1][1][i], s.samples[1][0][i]));
      const auto upper = static_cast<int16_t>(32 * p0 + right[x] * (p1 - p0));
      const auto lower = static_cast<int16_t>(32 * p2 + right[x] * (p3 - p2));
      const auto blended = static_cast<int16_t>((32 * upper + low * (lower - upper) + 512) >> 10);
      const int16_t own = select(near[x], above ? p0 : p2, above ? p1 : p3);
      out[r * pitch + x] = select(alone[x], own, blended);
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
  PredictColumns(c, c.rows->size, v, s.left, cols, c.prediction.row(c.top) + s.left, c.prediction.stride);
  return true;
}

// Where the segment from column `left` on will be written: processors do not foresee so many rows.
void Prefetch(const PieceRow& c, int left) {
  if (left + kSegment > c.prediction.cols) return;
  const int last_row = min_of(c.top + c.rows->size, c.prediction.rows);
  for (int r = max_of(0, c.top); r < last_row; ++r) {
    for (int x = 0; x < kSegment; x += 32) __builtin_prefetch(c.prediction.row(r) + left + x, 1);
  }
}

void CompensatePieces(const PieceRow& c) {
  const int size = c.cols->size;
  Segment s;
  CellCopies copies;
  Choice choice;
  const auto choose = size == 8 ? Choose<8> : (size == 4 ? Choose<4> : (size == 2 ? Choose<2> : Choose<1>));
  alignas(64) int16_t samples[kPiece * kPitch];
  s.to_next = c.cols->between ? 1 : 0;
  s.first = 0;
  for (s.left = c.cols->begin; s.left < c.prediction.cols; s.left += s.pieces * size, s.first += s.pieces) {
    s.pieces = min_of(kSegment / size, ceil_div(c.prediction.cols - s.left, size));
    SetCells(c, s, copies);
    Prefetch(c, s.left + s.pieces * size);
    if (PredictInPlace(c, s)) continue;
    PredictCells(c, 0, s);
    PredictCells(c, 1, s);
    choose(s, choice);
    if (Inside(c, s.left, kSegment)) {
      Blend(c, s, choice, c.prediction.row(c.top) + s.left, c.prediction.stride);
    } else {
      Blend(c, s, choice, samples, kPitch);
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
      PredictColumns(from, rows, v, left, cols, c.prediction.row(from.top) + left, c.prediction.stride);
      return;
    }
    alignas(64) int16_t samples[kMostRows * kPitch];
    for (int x = 0; x < cols; x += kSegment) {
      const int n = min_of(kSegment, cols - x);
      PredictColumns(from, rows, v, left + x, n, samples, kPitch);
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
    a.weights[i] = static_cast<int16_t>(log2_size > 0 ? overlap_weight(log2_size, in_piece) : 0);
    a.near[i] = static_cast<int16_t>(in_piece < a.size / 2 ? -1 : 0);
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

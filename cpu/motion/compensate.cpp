// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping cells. By definition each sample is a weighted
// mean of four predictions of 64 products each. Here a plane is divided into pieces, each between the centres
// of four neighbouring cells, so that a piece has the same four vectors everywhere. Pieces side by side make
// a segment. In it, cells side by side with one vector are predicted together, by rows and then columns of
// the separable filter, and a cell with the vector of the one above it is not predicted again. The weights
// are separable too and blend rows, then columns. The quarter of a piece that lies in a skipped cell takes
// that cell's prediction alone. A segment of one vector is predicted in place. Without overlap the pieces are
// the cells, and all of their runs are predicted in place.
#include "cpu/motion/compensate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
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
constexpr int kPitch = kSegment + 16;   // of its rows; a prediction may be 16 columns too wide

// Pieces along one axis. They lie between the centres of cells; without overlap, or where cells have at most
// one sample, they are the cells, or every so many of them.
struct Axis {
  bool between;
  int count;                // of cells
  int size, begin;          // samples of the plane
  int cells;                // from a piece to the next
  int16_t weights[kPiece];  // of the second cell of the pair, 32nds

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
  const uint8_t* alone[2];                  // not 0: not blended in its quarters of pieces
  const int16_t* predicted[2][kMostCells];  // the segment's first column, [kPiece][kPitch]
  // Neighbouring runs of cells overlap by a piece, so they alternate.
  alignas(64) int16_t samples[2][2][kPiece * kPitch];
};

using CellFlags = std::array<uint8_t, Segment::kMostCells>;
constexpr CellFlags kAllAlone = [] {
  CellFlags flags{};
  for (uint8_t& flag : flags) flag = 1;
  return flags;
}();

// Cells that are not side by side in the grid, as at its borders.
struct CellCopies {
  MotionVector vectors[2][Segment::kMostCells];
  CellFlags skips[2];
};

// Inlined, since gcc 12.2 takes its stores for dead and leaves the call out.
[[gnu::always_inline]] inline void SetCells(const PieceRow& c, Segment& s, CellCopies& copies) {
  const int first = c.cols->cell(s.first);
  const bool beside = c.cols->cell(s.first + s.pieces) == first + s.pieces;
  for (int half = 0; half < 2; ++half) {
    const ptrdiff_t row =
        ptrdiff_t{c.rows->cell(c.piece + (half != 0 && c.rows->between ? 1 : 0))} * c.geometry->grid.cols;
    s.vectors[half] = c.side.vectors + row + first;
    s.alone[half] = c.geometry->overlap ? c.side.skips + row + first : kAllAlone.data();
    if (beside && c.cols->cells == 1) continue;
    for (int k = 0; k <= s.pieces; ++k) {
      const int col = c.cols->cell(s.first + k) - first;
      copies.vectors[half][k] = s.vectors[half][col];
      copies.skips[half][static_cast<size_t>(k)] = c.geometry->overlap ? s.alone[half][col] : 1;
    }
    s.vectors[half] = copies.vectors[half];
    s.alone[half] = copies.skips[half].data();
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
  int parity = 0;
  for (int k = 0; k <= s.pieces;) {
    const MotionVector v = s.vectors[half][k];
    const auto known = [&](int i) { return half == 1 && s.vectors[0][i] == s.vectors[1][i]; };
    if (known(k)) {
      s.predicted[1][k] = s.predicted[0][k];
      ++k;
      continue;
    }
    int16_t* out = s.samples[half][parity];
    const int begin = max_of(0, k - s.to_next) * size;
    for (; k <= s.pieces && s.vectors[half][k] == v && !known(k); ++k) s.predicted[half][k] = out;
    const int end = min_of(s.pieces, k) * size;
    if (begin < end) PredictColumns(c, c.rows->size, v, s.left + begin, end - begin, out + begin, kPitch);
    parity ^= 1;
  }
}

// Blends the predictions of a piece: rows first (32nds, exact), then columns; quarters that are alone take
// theirs. Masks, since branches could not be foretold. out: [rows][pitch], kPiece columns
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
void Blend(const PieceRow& c, const int16_t* const (&p)[4], const bool (&alone)[4], int16_t* out,
           ptrdiff_t pitch) {
  const hn::FixedTag<int16_t, kPiece> d16;
  const hn::FixedTag<int32_t, kPiece / 2> d32;
  const auto right = hn::LoadU(d16, c.cols->weights);
  const auto is_left = hn::FirstN(d16, static_cast<size_t>(c.cols->size / 2));
  const auto half = hn::Set(d32, 512);
  const int half_rows = max_of(1, c.rows->size / 2);
  for (int r = 0; r < c.rows->size; ++r) {
    const auto p0 = hn::LoadU(d16, p[0] + r * kPitch);
    const auto p1 = hn::LoadU(d16, p[1] + r * kPitch);
    const auto p2 = hn::LoadU(d16, p[2] + r * kPitch);
    const auto p3 = hn::LoadU(d16, p[3] + r * kPitch);
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
    const auto own = hn::IfThenElse(is_left, above ? p0 : p2, above ? p1 : p3);
    const auto mask = hn::IfThenElse(is_left, hn::Set(d16, alone[above ? 0 : 2] ? int16_t{-1} : int16_t{0}),
                                     hn::Set(d16, alone[above ? 1 : 3] ? int16_t{-1} : int16_t{0}));
    hn::StoreU(hn::IfThenElse(hn::MaskFromVec(mask), own, blended), d16, out + r * pitch);
  }
}
#else
void Blend(const PieceRow& c, const int16_t* const (&p)[4], const bool (&alone)[4], int16_t* __restrict out,
           ptrdiff_t pitch) {
  const int16_t* right = c.cols->weights;
  const int half_rows = max_of(1, c.rows->size / 2);
  int16_t left[kPiece];  // -1 or 0
  for (int x = 0; x < kPiece; ++x) left[x] = static_cast<int16_t>(x < c.cols->size / 2 ? -1 : 0);
  for (int r = 0; r < c.rows->size; ++r) {
    const int low = c.rows->weights[r];
    const int below = r < half_rows ? 0 : 2;
    const int16_t* const first = p[below];
    const int16_t* const second = p[below + 1];
    const auto first_alone = static_cast<int16_t>(alone[below] ? -1 : 0);
    const auto second_alone = static_cast<int16_t>(alone[below + 1] ? -1 : 0);
    CTV_KEEP_LOOP
    for (int x = 0; x < kPiece; ++x) {
      const int i = r * kPitch + x;
      const auto upper = static_cast<int16_t>(32 * p[0][i] + right[x] * (p[1][i] - p[0][i]));
      const auto lower = static_cast<int16_t>(32 * p[2][i] + right[x] * (p[3][i] - p[2][i]));
      const auto blended = static_cast<int16_t>((32 * upper + low * (lower - upper) + 512) >> 10);
      const auto own = static_cast<int16_t>((first[i] & left[x]) | (second[i] & ~left[x]));
      const auto mask = static_cast<int16_t>((first_alone & left[x]) | (second_alone & ~left[x]));
      out[r * pitch + x] = static_cast<int16_t>((own & mask) | (blended & ~mask));
    }
  }
}
#endif

// A copy of a word or two, whatever the compiler makes of loops.
inline void CopyEight(const int16_t* from, int16_t* to) { std::memcpy(to, from, 8 * sizeof(int16_t)); }

// Writes the part of cols columns that lies in the plane.
void Write(const PieceRow& c, int left, int cols, const int16_t* samples, int pitch) {
  const int last_row = min_of(c.rows->size, c.prediction.rows - c.top);
  const int begin = max_of(0, -left);
  const int end = min_of(cols, c.prediction.cols - left);
  for (int r = max_of(0, -c.top); r < last_row; ++r) {
    Sample* out = c.prediction.row(c.top + r) + left;
    if (begin == 0 && end == cols && cols % 8 == 0) {
      for (int x = 0; x < cols; x += 8) CopyEight(samples + r * pitch + x, out + x);
      continue;
    }
    for (int x = begin; x < end; ++x) out[x] = samples[r * pitch + x];
  }
}

void FillPiece(const PieceRow& c, const Segment& s, int k) {
  const int at = k * c.cols->size;
  const int next = k + s.to_next;
  const int16_t* const p[4] = {s.predicted[0][k] + at, s.predicted[0][next] + at, s.predicted[1][k] + at,
                               s.predicted[1][next] + at};
  const bool alone[4] = {s.alone[0][k] != 0, s.alone[0][next] != 0, s.alone[1][k] != 0,
                         s.alone[1][next] != 0};
  // In place where kPiece columns fit; what is too wide the next piece overwrites.
  alignas(64) int16_t samples[kPiece * kPiece];
  const int left = s.left + at;
  const bool inside = c.top >= 0 && c.top + c.rows->size <= c.prediction.rows && left >= 0 &&
                      left + kPiece <= c.prediction.cols;
  int16_t* const blended = inside ? c.prediction.row(c.top) + left : samples;
  const ptrdiff_t pitch = inside ? c.prediction.stride : kPiece;
  Blend(c, p, alone, blended, pitch);
  if (!inside) Write(c, left, c.cols->size, samples, kPiece);
}

// Predicts a segment in place, if it has one vector, lies in the plane and is as wide as predictions are.
bool PredictInPlace(const PieceRow& c, const Segment& s) {
  const int cols = s.pieces * c.cols->size;
  const MotionVector v = s.vectors[0][0];
  const auto of_v = [&](const MotionVector* row) {
    return std::all_of(row, row + s.pieces + s.to_next, [v](MotionVector w) { return w == v; });
  };
  if (cols % 8 != 0 || c.top < 0 || c.top + c.rows->size > c.prediction.rows || s.left < 0 ||
      s.left + cols > c.prediction.cols || !of_v(s.vectors[0]) || !of_v(s.vectors[1]))
    return false;
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
  s.to_next = c.cols->between ? 1 : 0;
  s.first = 0;
  for (s.left = c.cols->begin; s.left < c.prediction.cols; s.left += s.pieces * size, s.first += s.pieces) {
    s.pieces = min_of(kSegment / size, ceil_div(c.prediction.cols - s.left, size));
    SetCells(c, s, copies);
    Prefetch(c, s.left + s.pieces * size);
    if (PredictInPlace(c, s)) continue;
    PredictCells(c, 0, s);
    PredictCells(c, 1, s);
    // Pieces side by side with one prediction are written together.
    const auto uniform = [&](int k) {
      const int16_t* p = s.predicted[0][k];
      return s.predicted[0][k + s.to_next] == p && s.predicted[1][k] == p &&
             s.predicted[1][k + s.to_next] == p;
    };
    for (int k = 0; k < s.pieces;) {
      int end = k;
      while (end < s.pieces && uniform(end) && s.predicted[0][end] == s.predicted[0][k]) ++end;
      if (end == k) {
        FillPiece(c, s, k++);
        continue;
      }
      Write(c, s.left + k * size, (end - k) * size, s.predicted[0][k] + k * size, kPitch);
      k = end;
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
      for (int r = 0; r < min_of(rows, c.prediction.rows - from.top); ++r) {
        std::copy_n(samples + r * kPitch, min_of(n, c.prediction.cols - left - x),
                    c.prediction.row(from.top + r) + left + x);
      }
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
  for (int i = 0; i < a.size; ++i)
    a.weights[i] = static_cast<int16_t>(log2_size > 0 ? overlap_weight(log2_size, i) : 0);
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

// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping cells. By definition each sample is a weighted
// mean of four predictions of 64 products each. Here a plane is divided into pieces, each between the centres
// of four neighbouring cells. A piece has the same four vectors everywhere, so each distinct vector predicts
// it once, by rows and then columns of the separable filter. The weights are separable too and blend rows,
// then columns. The quarter of a piece that lies in a skipped cell takes that cell's prediction alone. Pieces
// side by side with one and the same vector are predicted together.
#include "cpu/motion/compensate.hpp"

#include <algorithm>

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

// Pieces along one axis.
struct Axis {
  int shift;                // of the plane
  int count;                // of cells
  int size, begin;          // samples of the plane
  int16_t weights[kPiece];  // of the second cell of the pair, 32nds

  BlockPair pair(int sample) const { return block_pair(max_of(sample, 0), shift, kLog2Cell, count); }
};

// One row of pieces.
struct PieceRow {
  PlaneView<const Sample> reference;
  PlaneView<Sample> prediction;
  ConstSideInfo side;
  const CompensationGeometry* geometry;
  const Axis* rows;
  const Axis* cols;
  int top;  // first sample row, may be negative
};

// The cells around a piece: upper left, upper right, lower left, lower right.
struct Piece {
  MotionVector vectors[4];
  bool alone[4];  // not blended in its quarter of the piece

  bool uniform() const {
    return vectors[0] == vectors[1] && vectors[0] == vectors[2] && vectors[0] == vectors[3];
  }
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Blends the predictions of a piece: rows first (32nds, exact), then columns.
void Blend(const int16_t* const (&p)[4], const PieceRow& c, int16_t* __restrict out) {
  const int16_t* right = c.cols->weights;
  for (int r = 0; r < c.rows->size; ++r) {
    const int low = c.rows->weights[r];
    CTV_KEEP_LOOP
    for (int x = 0; x < kPiece; ++x) {
      const int i = r * kPiece + x;
      const int16_t upper = static_cast<int16_t>((32 - right[x]) * p[0][i] + right[x] * p[1][i]);
      const int16_t lower = static_cast<int16_t>((32 - right[x]) * p[2][i] + right[x] * p[3][i]);
      out[i] = static_cast<int16_t>(((32 - low) * upper + low * lower + 512) >> 10);
    }
  }
}

// Writes the part of [rows][kWidth] samples that lies in the plane.
template <int kWidth>
void Write(const PieceRow& c, int left, int cols, const int16_t* samples) {
  const int first_row = max_of(0, -c.top);
  const int last_row = min_of(c.rows->size, c.prediction.rows - c.top);
  const int begin = max_of(0, -left);
  const int end = min_of(cols, c.prediction.cols - left);
  for (int r = first_row; r < last_row; ++r) {
    Sample* out = c.prediction.row(c.top + r) + left;
    for (int x = begin; x < end; ++x) out[x] = samples[r * kWidth + x];
  }
}

template <int kWidth>
void FillUniform(const PieceRow& c, int left, int cols, MotionVector v) {
  alignas(64) int16_t predicted[kPiece * kWidth];
  const ChromaShift shift{c.geometry->row_shift, c.geometry->col_shift};
  Predict<kWidth>(c.reference, shift, v, c.top, left, c.rows->size, predicted);
  Write<kWidth>(c, left, cols, predicted);
}

void FillPiece(const PieceRow& c, int left, const Piece& piece) {
  alignas(64) int16_t predicted[4][kPiece * kPiece];
  alignas(64) int16_t blended[kPiece * kPiece];
  const ChromaShift shift{c.geometry->row_shift, c.geometry->col_shift};
  const int16_t* p[4];
  for (int i = 0; i < 4; ++i) {
    int same = 0;
    while (!(piece.vectors[same] == piece.vectors[i])) ++same;
    if (same == i)
      Predict<kPiece>(c.reference, shift, piece.vectors[i], c.top, left, c.rows->size, predicted[i]);
    p[i] = predicted[same];
  }
  Blend(p, c, blended);
  // Along an axis of one sample both cells are the same.
  const int half_rows = max_of(1, c.rows->size / 2);
  const int half_cols = max_of(1, c.cols->size / 2);
  for (int i = 0; i < 4; ++i) {
    if (!piece.alone[i]) continue;
    const int first = (i & 2) != 0 ? c.rows->size - half_rows : 0;
    const int begin = (i & 1) != 0 ? c.cols->size - half_cols : 0;
    for (int r = first; r < first + half_rows; ++r) {
      for (int x = begin; x < begin + half_cols; ++x) blended[r * kPiece + x] = p[i][r * kPiece + x];
    }
  }
  Write<kPiece>(c, left, c.cols->size, blended);
}

void CompensatePieces(const PieceRow& c) {
  const MotionGrid& grid = c.geometry->grid;
  const BlockPair rows = c.rows->pair(c.top);
  const auto piece_at = [&](int left) {
    const BlockPair cols = c.cols->pair(left);
    Piece piece;
    for (int i = 0; i < 4; ++i) {
      const ptrdiff_t cell = ptrdiff_t{(i & 2) != 0 ? rows.second : rows.first} * grid.cols +
                             ((i & 1) != 0 ? cols.second : cols.first);
      piece.vectors[i] = c.side.vectors[cell];
      piece.alone[i] = !c.geometry->overlap || c.side.skips[cell] != 0;
    }
    return piece;
  };
  const int size = c.cols->size;
  constexpr int kMostCols = 32;
  Piece piece = piece_at(c.cols->begin);
  for (int left = c.cols->begin; left < c.prediction.cols;) {
    if (!piece.uniform()) {
      FillPiece(c, left, piece);
      left += size;
      if (left < c.prediction.cols) piece = piece_at(left);
      continue;
    }
    const MotionVector v = piece.vectors[0];
    int end = left;
    do {
      end += size;
      if (end >= c.prediction.cols) break;
      piece = piece_at(end);
    } while (end + size - left <= kMostCols && piece.uniform() && piece.vectors[0] == v);
    if (end - left > 16) {
      FillUniform<kMostCols>(c, left, end - left, v);
    } else if (end - left > 8) {
      FillUniform<16>(c, left, end - left, v);
    } else {
      FillUniform<8>(c, left, end - left, v);
    }
    left = end;
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(CompensatePieces);

namespace {

Axis make_axis(int count, int shift) {
  Axis a{};
  a.shift = shift;
  a.count = count;
  const int log2_size = std::max(0, kLog2Cell - shift);
  a.size = 1 << log2_size;
  a.begin = -(a.size / 2);
  for (int i = 0; i < a.size; ++i)
    a.weights[i] = static_cast<int16_t>(log2_size > 0 ? overlap_weight(log2_size, i) : 0);
  return a;
}

}  // namespace

void compensate_plane(int threads, PlaneView<const Sample> reference, const ConstSideInfo& side,
                      const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const Axis rows = make_axis(geometry.grid.rows, geometry.row_shift);
  const Axis cols = make_axis(geometry.grid.cols, geometry.col_shift);
  parallel_for(threads, (prediction.rows - rows.begin + rows.size - 1) / rows.size, [&](int i) {
    const PieceRow c{reference, prediction, side, &geometry, &rows, &cols, rows.begin + i * rows.size};
    HWY_DYNAMIC_DISPATCH(CompensatePieces)(c);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping blocks. By definition each sample is a weighted
// mean of four predictions of 64 products each. Here a plane is divided into cells, each between the centres
// of four neighbouring blocks. A cell has the same four vectors everywhere, so each distinct vector predicts
// the cell once, by rows and then columns of the separable filter. The weights are separable too and blend
// rows, then columns. Cells at the border read a copy of their surroundings with repeated edges, so inner
// loops test no positions. A cell next to a split block is divided further, along the grid of the vectors.
#include "cpu/motion/compensate.hpp"

#include <algorithm>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/compensate.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/interpolate-inl.hpp"

#ifndef CTV_CPU_COMPENSATE_ONCE
#define CTV_CPU_COMPENSATE_ONCE
namespace ctv {

constexpr int kMaxBlock = 32;  // samples

// Cells along one axis.
struct Axis {
  int shift;       // of the plane
  int log2_block;  // luma samples
  int count;       // of blocks
  bool overlap;
  int size, begin;             // samples of the plane
  int16_t weights[kMaxBlock];  // of the second block of the pair, 32nds

  // The pair of blocks at a sample. Without overlap both are equal.
  BlockPair pair(int sample) const {
    if (overlap) return block_pair(max_of(sample, 0), shift, log2_block, count);
    const int only = block_of(max_of(sample, 0), shift, log2_block, count);
    return {only, only, 0};
  }
  // The first sample of the cell that holds a sample.
  int start(int sample) const { return sample - ((sample - begin) & (size - 1)); }
};

// One row of cells.
struct CellRow {
  PlaneView<const Sample> reference;
  PlaneView<Sample> prediction;
  const MotionVector* vectors;
  const MotionGrid* grid;  // of the vectors
  ChromaShift shift;
  const Axis* rows;  // of the blocks
  const Axis* cols;
  const Axis* vector_rows;  // of the vectors
  const Axis* vector_cols;
  int top;  // first sample row of the cells, may be negative
};

// A part of a plane with the same four vectors.
struct Piece {
  int top, left, rows, cols;  // may begin before the plane
  MotionVector vectors[4];
  const int16_t* row_weights;  // of the lower vectors, 32nds, [rows]
  const int16_t* col_weights;  // of the right vectors, [cols]
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Copies kWidth x rows samples from (y, x) on, with the border of the filters. Positions are clamped to the
// plane.
template <int kWidth>
const Sample* Surroundings(const PlaneView<const Sample>& plane, int y, int x, int rows, Sample* patch) {
  constexpr int kPitch = kWidth + kTaps;
  for (int r = 0; r < rows + kTaps - 1; ++r) {
    const Sample* source = plane.row(clamp_to(y - kBefore + r, 0, plane.rows - 1));
    Sample* out = patch + r * kPitch;
    const int from = x - kBefore;
    const int begin = clamp_to(-from, 0, kPitch);
    const int end = clamp_to(plane.cols - from, begin, kPitch);
    for (int i = 0; i < begin; ++i) out[i] = source[0];
    for (int i = begin; i < end; ++i) out[i] = source[from + i];
    for (int i = end; i < kPitch; ++i) out[i] = source[plane.cols - 1];
  }
  return patch + kBefore * kPitch + kBefore;
}

// out [rows][kWidth]: the prediction of the samples from (y, x) on with vector v.
template <int kWidth>
void Predict(const PlaneView<const Sample>& reference, ChromaShift shift, MotionVector v, int y, int x,
             int rows, int16_t* out) {
  alignas(64) Sample patch[(kMaxBlock + kTaps) * (kWidth + kTaps)];
  const Displacement dy = displacement(v.y, shift.y);
  const Displacement dx = displacement(v.x, shift.x);
  y += dy.whole;
  x += dx.whole;
  const Sample* source;
  ptrdiff_t stride;
  if (y >= kBefore && x >= kBefore && y + rows + kTaps - kBefore <= reference.rows &&
      x + kWidth + kTaps - kBefore <= reference.cols) {
    source = reference.row(y) + x;
    stride = reference.stride;
  } else {
    source = Surroundings<kWidth>(reference, y, x, rows, patch);
    stride = kWidth + kTaps;
  }
  if (dx.eighth == 0 && dy.eighth == 0) {
    for (int r = 0; r < rows; ++r) {
      CTV_KEEP_LOOP
      for (int i = 0; i < kWidth; ++i) out[r * kWidth + i] = source[r * stride + i];
    }
  } else if (dy.eighth == 0) {
    FilterRows<kWidth>(source, stride, rows, dx.eighth, out);
  } else if (dx.eighth == 0) {
    FilterColumns<kWidth>(source, stride, rows, dy.eighth, out);
  } else {
    alignas(64) int16_t sums[(kMaxBlock + kTaps) * kWidth];
    RowSums<kWidth>(source - kBefore * stride, stride, rows + kTaps - 1, dx.eighth, sums);
    FilterColumnsOfSums<kWidth>(sums, rows, dy.eighth, out);
  }
}

// Blends the predictions of a piece: rows first (32nds, exact), then columns.
template <int kWidth>
void Blend(const int16_t* const (&p)[4], const Piece& c, int16_t* __restrict out) {
  int16_t right[kWidth];
  CTV_KEEP_LOOP
  for (int x = 0; x < kWidth; ++x) right[x] = x < c.cols ? c.col_weights[x] : int16_t{0};
  const int16_t* p0 = p[0];
  const int16_t* p1 = p[1];
  const int16_t* p2 = p[2];
  const int16_t* p3 = p[3];
  if (p0 == p1 && p2 == p3) {
    for (int r = 0; r < c.rows; ++r) {
      const int low = c.row_weights[r];
      CTV_KEEP_LOOP
      for (int x = 0; x < kWidth; ++x) {
        const int i = r * kWidth + x;
        const int16_t sum = static_cast<int16_t>((32 - low) * p0[i] + low * p2[i] + 16);
        out[i] = static_cast<int16_t>(sum >> 5);
      }
    }
  } else if (p0 == p2 && p1 == p3) {
    for (int r = 0; r < c.rows; ++r) {
      CTV_KEEP_LOOP
      for (int x = 0; x < kWidth; ++x) {
        const int i = r * kWidth + x;
        const int16_t sum = static_cast<int16_t>((32 - right[x]) * p0[i] + right[x] * p1[i] + 16);
        out[i] = static_cast<int16_t>(sum >> 5);
      }
    }
  } else {
    for (int r = 0; r < c.rows; ++r) {
      const int low = c.row_weights[r];
      CTV_KEEP_LOOP
      for (int x = 0; x < kWidth; ++x) {
        const int i = r * kWidth + x;
        const int16_t upper = static_cast<int16_t>((32 - right[x]) * p0[i] + right[x] * p1[i]);
        const int16_t lower = static_cast<int16_t>((32 - right[x]) * p2[i] + right[x] * p3[i]);
        out[i] = static_cast<int16_t>(((32 - low) * upper + low * lower + 512) >> 10);
      }
    }
  }
}

template <int kWidth>
void FillPiece(const CellRow& c, const Piece& piece) {
  alignas(64) int16_t predicted[4][kMaxBlock * kWidth];
  alignas(64) int16_t blended[kMaxBlock * kWidth];
  const int16_t* p[4];
  for (int i = 0; i < 4; ++i) {
    int same = 0;
    while (!(piece.vectors[same] == piece.vectors[i])) ++same;
    if (same == i) {
      Predict<kWidth>(c.reference, c.shift, piece.vectors[i], piece.top, piece.left, piece.rows,
                      predicted[i]);
    }
    p[i] = predicted[same];
  }
  const int16_t* result = p[0];
  if (p[0] != p[1] || p[0] != p[2] || p[0] != p[3]) {
    Blend<kWidth>(p, piece, blended);
    result = blended;
  }
  const int first_row = max_of(0, -piece.top);
  const int last_row = min_of(piece.rows, c.prediction.rows - piece.top);
  const int begin = max_of(0, -piece.left);
  const int end = min_of(piece.cols, c.prediction.cols - piece.left);
  for (int r = first_row; r < last_row; ++r) {
    Sample* out = c.prediction.row(piece.top + r) + piece.left;
    for (int x = begin; x < end; ++x) out[x] = result[r * kWidth + x];
  }
}

// The vectors of two pairs of blocks of the vectors' grid.
void SetVectors(const CellRow& c, int upper, int lower, int left, int right, Piece& piece) {
  const MotionVector* first = c.vectors + static_cast<ptrdiff_t>(upper) * c.grid->cols;
  const MotionVector* second = c.vectors + static_cast<ptrdiff_t>(lower) * c.grid->cols;
  piece.vectors[0] = first[left];
  piece.vectors[1] = first[right];
  piece.vectors[2] = second[left];
  piece.vectors[3] = second[right];
}

// Divides a cell at a split block along the vectors' grid. kWidth: at least the width of the parts.
template <int kWidth>
void FillSplitCell(const CellRow& c, int left) {
  const int bottom = min_of(c.top + c.rows->size, c.prediction.rows);
  const int right = min_of(left + c.cols->size, c.prediction.cols);
  Piece piece{};
  for (int y = max_of(c.top, 0); y < bottom; y += piece.rows) {
    const int row_start = c.vector_rows->start(y);
    const BlockPair rows = c.vector_rows->pair(y);
    piece.top = y;
    piece.rows = min_of(row_start + c.vector_rows->size, bottom) - y;
    piece.row_weights = c.vector_rows->weights + (y - row_start);
    for (int x = max_of(left, 0); x < right; x += piece.cols) {
      const int col_start = c.vector_cols->start(x);
      const BlockPair cols = c.vector_cols->pair(x);
      piece.left = x;
      piece.cols = min_of(col_start + c.vector_cols->size, right) - x;
      piece.col_weights = c.vector_cols->weights + (x - col_start);
      SetVectors(c, rows.first, rows.second, cols.first, cols.second, piece);
      FillPiece<kWidth>(c, piece);
    }
  }
}

template <int kWidth>
void Cells(const CellRow& c) {
  const int split = c.grid->split;
  const BlockPair rows = c.rows->pair(c.top);
  for (int left = c.cols->begin; left < c.prediction.cols; left += c.cols->size) {
    const BlockPair cols = c.cols->pair(left);
    if (split != 0 && any_split(c.vectors, c.grid->cols, rows, cols)) {
      FillSplitCell<(kWidth > 8 ? kWidth / 2 : kWidth)>(c, left);
      continue;
    }
    Piece piece{c.top, left, c.rows->size, c.cols->size, {}, c.rows->weights, c.cols->weights};
    SetVectors(c, rows.first << split, rows.second << split, cols.first << split, cols.second << split,
               piece);
    FillPiece<kWidth>(c, piece);
  }
}

void CompensateCells(const CellRow& c) {
  if (c.cols->size <= 8) {
    Cells<8>(c);
  } else if (c.cols->size == 16) {
    Cells<16>(c);
  } else {
    Cells<32>(c);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(CompensateCells);

namespace {

Axis make_axis(int log2_block, int count, int shift, bool overlap) {
  Axis a{};
  a.shift = shift;
  a.log2_block = log2_block;
  a.count = count;
  a.overlap = overlap;
  const int log2_size = std::max(0, log2_block - shift);
  a.size = 1 << log2_size;
  a.begin = overlap ? -(a.size / 2) : 0;
  for (int i = 0; i < a.size; ++i) {
    a.weights[i] = static_cast<int16_t>(overlap && log2_size > 0 ? overlap_weight(log2_size, i) : 0);
  }
  return a;
}

}  // namespace

void compensate_plane(int threads, PlaneView<const Sample> reference, const MotionVector* vectors,
                      const CompensationGeometry& geometry, PlaneView<Sample> prediction) {
  const MotionGrid& grid = geometry.grid;
  const MotionGrid blocks = grid.blocks();
  const ChromaShift shift{geometry.row_shift, geometry.col_shift};
  const Axis rows = make_axis(blocks.log2_block, blocks.rows, shift.y, geometry.overlap);
  const Axis cols = make_axis(blocks.log2_block, blocks.cols, shift.x, geometry.overlap);
  const Axis vector_rows = make_axis(grid.log2_block, grid.rows, shift.y, geometry.overlap);
  const Axis vector_cols = make_axis(grid.log2_block, grid.cols, shift.x, geometry.overlap);
  parallel_for(threads, (prediction.rows - rows.begin + rows.size - 1) / rows.size, [&](int i) {
    const CellRow c{reference, prediction, vectors,      &grid,        shift,
                    &rows,     &cols,      &vector_rows, &vector_cols, rows.begin + i * rows.size};
    HWY_DYNAMIC_DISPATCH(CompensateCells)(c);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

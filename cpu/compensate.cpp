// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation with sub-sample vectors and overlapping blocks. By definition each sample is a weighted
// mean of four predictions of 64 products. Here a plane is cut into cells between the middles of four
// neighbouring blocks: in a cell the same four vectors hold everywhere, so each distinct vector predicts the
// cell once (rows, then columns of the separable filter), and the weights, separable too, blend
// rows and then columns. Cells at the border read a copy of their surroundings with repeated edges, so no
// inner loop tests a position.
#include "cpu/compensate.hpp"

#include <algorithm>

#include "codec/base/parallel.hpp"
#include "codec/math/motion.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/compensate.cpp"
#include "cpu/simd_foreach.hpp"

#include "cpu/interpolate-inl.hpp"

#ifndef CTV_CPU_COMPENSATE_ONCE
#define CTV_CPU_COMPENSATE_ONCE
namespace ctv {

constexpr int kMaxBlock = 32;  // samples of a plane

// One row of cells.
struct CellRow {
  PlaneView<const Sample> reference;
  PlaneView<Sample> prediction;
  const MotionVector* upper;  // vectors of the two rows of blocks
  const MotionVector* lower;
  int top;     // first sample row of the cells, may be negative
  int height;  // of a cell
  int width;
  int left;  // first column of the first cell, may be negative
  int grid_cols;
  CompensationGeometry geometry;
  const int16_t* row_weights;  // of the lower blocks, 32nds, [height]
  const int16_t* col_weights;  // of the right blocks, [width]
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// The kWidth x rows samples from (y, x) on, with the border of the filters, positions clamped to the plane.
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

// out [rows][kWidth]: the samples from (y, x) on, moved by v.
template <int kWidth>
void Predict(const PlaneView<const Sample>& reference, const CompensationGeometry& geometry, MotionVector v,
             int y, int x, int rows, int16_t* out) {
  alignas(64) Sample patch[(kMaxBlock + kTaps) * (kWidth + kTaps)];
  const Displacement dy = displacement(v.y, geometry.row_shift);
  const Displacement dx = displacement(v.x, geometry.col_shift);
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

// out = blend of the predictions of a cell: rows first (32nds, exact), then columns.
template <int kWidth>
void Blend(const int16_t* const (&p)[4], const CellRow& c, int16_t* __restrict out) {
  int16_t right[kWidth];
  CTV_KEEP_LOOP
  for (int x = 0; x < kWidth; ++x) right[x] = x < c.width ? c.col_weights[x] : int16_t{0};
  const int16_t* p0 = p[0];
  const int16_t* p1 = p[1];
  const int16_t* p2 = p[2];
  const int16_t* p3 = p[3];
  if (p0 == p1 && p2 == p3) {
    for (int r = 0; r < c.height; ++r) {
      const int low = c.row_weights[r];
      CTV_KEEP_LOOP
      for (int x = 0; x < kWidth; ++x) {
        const int i = r * kWidth + x;
        const int16_t sum = static_cast<int16_t>((32 - low) * p0[i] + low * p2[i] + 16);
        out[i] = static_cast<int16_t>(sum >> 5);
      }
    }
  } else if (p0 == p2 && p1 == p3) {
    for (int r = 0; r < c.height; ++r) {
      CTV_KEEP_LOOP
      for (int x = 0; x < kWidth; ++x) {
        const int i = r * kWidth + x;
        const int16_t sum = static_cast<int16_t>((32 - right[x]) * p0[i] + right[x] * p1[i] + 16);
        out[i] = static_cast<int16_t>(sum >> 5);
      }
    }
  } else {
    for (int r = 0; r < c.height; ++r) {
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
void Cells(const CellRow& c) {
  alignas(64) int16_t predicted[4][kMaxBlock * kWidth];
  alignas(64) int16_t blended[kMaxBlock * kWidth];
  const MotionGrid& grid = c.geometry.grid;
  const int first_row = max_of(0, -c.top);
  const int last_row = min_of(c.height, c.prediction.rows - c.top);
  for (int left = c.left; left < c.prediction.cols; left += c.width) {
    // The pair of blocks of this cell's columns; without overlap both are the same.
    const int sample = max_of(left, 0);
    const BlockPair pair =
        c.geometry.overlap
            ? block_pair(sample, c.geometry.col_shift, grid.log2_block, c.grid_cols)
            : BlockPair{block_of(sample, c.geometry.col_shift, grid.log2_block, c.grid_cols), 0, 0};
    const int second = c.geometry.overlap ? pair.second : pair.first;
    const MotionVector v[4] = {c.upper[pair.first], c.upper[second], c.lower[pair.first], c.lower[second]};
    const int16_t* p[4];
    for (int i = 0; i < 4; ++i) {
      int same = 0;
      while (!(v[same] == v[i])) ++same;
      if (same == i) Predict<kWidth>(c.reference, c.geometry, v[i], c.top, left, c.height, predicted[i]);
      p[i] = predicted[same];
    }
    const int16_t* result = p[0];
    if (p[0] != p[1] || p[0] != p[2] || p[0] != p[3]) {
      Blend<kWidth>(p, c, blended);
      result = blended;
    }
    const int begin = max_of(0, -left);
    const int end = min_of(c.width, c.prediction.cols - left);
    for (int r = first_row; r < last_row; ++r) {
      Sample* out = c.prediction.row(c.top + r) + left;
      for (int x = begin; x < end; ++x) out[x] = result[r * kWidth + x];
    }
  }
}

void CompensateCells(const CellRow& c) {
  if (c.width <= 8) {
    Cells<8>(c);
  } else if (c.width == 16) {
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

// Cells along one axis: their size, where the first begins, and the weights of the second block of the pair.
struct Axis {
  int size, begin;
  int16_t weights[kMaxBlock];
};

Axis make_axis(int log2_block, int shift, bool overlap) {
  Axis a{};
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
  const Axis rows = make_axis(grid.log2_block, geometry.row_shift, geometry.overlap);
  const Axis cols = make_axis(grid.log2_block, geometry.col_shift, geometry.overlap);
  parallel_for(threads, (prediction.rows - rows.begin + rows.size - 1) / rows.size, [&](int i) {
    const int top = rows.begin + i * rows.size;
    const int sample = std::max(top, 0);
    int upper = block_of(sample, geometry.row_shift, grid.log2_block, grid.rows);
    int lower = upper;
    if (geometry.overlap) {
      const BlockPair pair = block_pair(sample, geometry.row_shift, grid.log2_block, grid.rows);
      upper = pair.first;
      lower = pair.second;
    }
    const CellRow c{reference,
                    prediction,
                    vectors + static_cast<ptrdiff_t>(upper) * grid.cols,
                    vectors + static_cast<ptrdiff_t>(lower) * grid.cols,
                    top,
                    rows.size,
                    cols.size,
                    cols.begin,
                    grid.cols,
                    geometry,
                    rows.weights,
                    cols.weights};
    HWY_DYNAMIC_DISPATCH(CompensateCells)(c);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

// SPDX-License-Identifier: BSD-3-Clause
// Subband prediction (Katsigiannis et al., section II). A level is predicted by the previous frame's level at
// the position to which its block's vector points, scaled to the subband's grid. The definition looks up each
// level. Here runs of columns with equal scaled vectors are found once per row of blocks, copied row by row
// into a buffer, and subtracted or added as a whole.
#include "cpu/transform/subband_prediction.hpp"

#include <algorithm>
#include <cstring>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/subband_prediction.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kPiece = 1024;  // columns at a time
constexpr int kChunk = 8;     // levels copied at once

// Columns [begin, end) of a piece move by (dy, dx).
struct Run {
  int begin, end, dy, dx;
};

// moved[j - run.begin] = source[clamped j + dx]. May write up to kChunk - 1 further levels.
void CopyRun(const Run& run, const Level* source, int cols, Level* moved) {
  int j = run.begin;
  for (; j < run.end && j + run.dx < 0; ++j) *moved++ = source[0];
  for (; j < run.end && j + run.dx + kChunk <= cols; j += kChunk, moved += kChunk) {
    std::memcpy(moved, source + j + run.dx, kChunk * sizeof(Level));
  }
  for (; j < run.end; ++j) *moved++ = source[min_of(j + run.dx, cols - 1)];
}

// Processes rows [top, bottom) of a subband, all in one row of blocks with vectors v.
void PredictRows(int sign, const Subband& s, int top, int bottom, int row_shift, int col_shift,
                 const MotionGrid& grid, const MotionVector* v, const Level* in, const Level* previous,
                 Level* out) {
  Run runs[kPiece];
  Level moved[kPiece + kChunk];
  const int block = max_of(1, (1 << grid.log2_block) >> col_shift);
  for (int first = 0; first < s.cols; first += kPiece) {
    const int last = min_of(first + kPiece, s.cols);
    int count = 0;
    for (int begin = first; begin < last; begin += block) {
      const MotionVector vector = v[block_of(begin, col_shift, grid.log2_block, grid.cols)];
      const Run run{begin, min_of(begin + block, last),
                    scale_vector(vector.y, kVectorFractionBits + row_shift),
                    scale_vector(vector.x, kVectorFractionBits + col_shift)};
      if (count > 0 && runs[count - 1].dy == run.dy && runs[count - 1].dx == run.dx) {
        runs[count - 1].end = run.end;
      } else {
        runs[count++] = run;
      }
    }
    for (int row = top; row < bottom; ++row) {
      for (int i = 0; i < count; ++i) {
        const int from = clamp_to(row + runs[i].dy, 0, s.rows - 1);
        CopyRun(runs[i], previous + static_cast<ptrdiff_t>(from) * s.cols, s.cols,
                moved + runs[i].begin - first);
      }
      const ptrdiff_t offset = static_cast<ptrdiff_t>(row) * s.cols + first;
      const Level* a = in + offset;
      Level* o = out + offset;  // may be a
      if (sign > 0) {
        for (int j = 0; j < last - first; ++j) o[j] = static_cast<Level>(a[j] + moved[j]);
      } else {
        for (int j = 0; j < last - first; ++j) o[j] = static_cast<Level>(a[j] - moved[j]);
      }
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(PredictRows);

void predict_subbands(Direction direction, int threads, const SubbandLayout& layout, ChromaShift chroma,
                      const MotionGrid& grid, const MotionVector* vectors, const Level* in,
                      const Level* previous, int layers, Level* out) {
  const int sign = direction == Direction::kAdd ? 1 : -1;
  constexpr int kSlices = 8;  // of each subband's rows; a task each
  parallel_for(threads, static_cast<int>(layout.subbands.size()) * kSlices, [&](int task) {
    const Subband& s = layout.subbands[static_cast<size_t>(task / kSlices)];
    if (s.layer >= layers) return;
    const int row_shift = s.row_shift + chroma.y;
    const int col_shift = s.col_shift + chroma.x;
    const int block = std::max(1, (1 << grid.log2_block) >> row_shift);
    const int slice_rows = round_up(ceil_div(s.rows, kSlices), block);
    const int end = std::min(s.rows, (task % kSlices + 1) * slice_rows);
    for (int top = task % kSlices * slice_rows; top < end; top += block) {
      const MotionVector* v =
          vectors + static_cast<ptrdiff_t>(block_of(top, row_shift, grid.log2_block, grid.rows)) * grid.cols;
      HWY_DYNAMIC_DISPATCH(PredictRows)
      (sign, s, top, std::min(top + block, end), row_shift, col_shift, grid, v, in + s.offset,
       previous + s.offset, out + s.offset);
    }
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

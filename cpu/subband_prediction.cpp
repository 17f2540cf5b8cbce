// SPDX-License-Identifier: BSD-3-Clause
// The paper's prediction (seed paper, section II): a level is predicted by the level of the previous frame to
// which its block's vector, scaled to the subband's grid, points. A lookup per level; but neighbours with
// equal scaled vectors form long runs of a row, and inside the subband a run is a vector addition of two
// rows.
#include "cpu/subband_prediction.hpp"

#include <algorithm>

#include "codec/base/parallel.hpp"
#include "codec/math/motion.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/subband_prediction.cpp"
#include "cpu/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// out[j] = in[j] +- source[clamped j + dx] for j in [begin, end) of a row of `cols`; out may be in.
template <int kSign>
void Run(const Level* in, const Level* source, int cols, int begin, int end, int dx, Level* out) {
  const int inside_begin = clamp_to(-dx, begin, end);
  const int inside_end = clamp_to(cols - dx, inside_begin, end);
  for (int j = begin; j < inside_begin; ++j) out[j] = static_cast<Level>(in[j] + kSign * source[0]);
  for (int j = inside_begin; j < inside_end; ++j) out[j] = static_cast<Level>(in[j] + kSign * source[j + dx]);
  for (int j = inside_end; j < end; ++j) out[j] = static_cast<Level>(in[j] + kSign * source[cols - 1]);
}

void PredictRow(int sign, const Subband& s, int row, int row_shift, int col_shift, const MotionGrid& grid,
                const MotionVector* vectors, const Level* in, const Level* previous, Level* out) {
  const MotionVector* v =
      vectors + static_cast<size_t>(block_of(row, row_shift, grid.log2_block, grid.rows)) *
                    static_cast<size_t>(grid.cols);
  const int block = max_of(1, (1 << grid.log2_block) >> col_shift);
  for (int begin = 0; begin < s.cols;) {
    const MotionVector first = v[block_of(begin, col_shift, grid.log2_block, grid.cols)];
    const int dy = scale_vector(first.y, kVectorFractionBits + row_shift);
    const int dx = scale_vector(first.x, kVectorFractionBits + col_shift);
    int end = begin + block;
    while (end < s.cols) {
      const MotionVector next = v[block_of(end, col_shift, grid.log2_block, grid.cols)];
      if (scale_vector(next.x, kVectorFractionBits + col_shift) != dx ||
          scale_vector(next.y, kVectorFractionBits + row_shift) != dy) {
        break;
      }
      end += block;
    }
    end = min_of(end, s.cols);
    const Level* source = previous + static_cast<ptrdiff_t>(clamp_to(row + dy, 0, s.rows - 1)) * s.cols;
    const ptrdiff_t offset = static_cast<ptrdiff_t>(row) * s.cols;
    if (sign > 0) {
      Run<1>(in + offset, source, s.cols, begin, end, dx, out + offset);
    } else {
      Run<-1>(in + offset, source, s.cols, begin, end, dx, out + offset);
    }
    begin = end;
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(PredictRow);

void predict_subbands(Direction direction, int threads, const SubbandLayout& layout, ChromaShift chroma,
                      const MotionGrid& grid, const MotionVector* vectors, const Level* in,
                      const Level* previous, int layers, Level* out) {
  const int sign = direction == Direction::kAdd ? 1 : -1;
  constexpr int kSlices = 8;  // of each subband's rows; a task each
  parallel_for(threads, static_cast<int>(layout.subbands.size()) * kSlices, [&](int task) {
    const Subband& s = layout.subbands[static_cast<size_t>(task / kSlices)];
    if (s.layer >= layers) return;
    const int slice = task % kSlices;
    for (int row = s.rows * slice / kSlices; row < s.rows * (slice + 1) / kSlices; ++row) {
      HWY_DYNAMIC_DISPATCH(PredictRow)
      (sign, s, row, s.row_shift + chroma.y, s.col_shift + chroma.x, grid, vectors, in + s.offset,
       previous + s.offset, out + s.offset);
    }
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

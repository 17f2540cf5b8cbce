// SPDX-License-Identifier: BSD-3-Clause
// What skipped cells change around compensation: their residual is 0, and the inverse transform does not
// reach them.
#include <algorithm>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/motion/compensate.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/skipped_cells.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

void SubtractRow(const Sample* a, const Sample* b, int count, Sample* __restrict out) {
  for (int i = 0; i < count; ++i) out[i] = static_cast<Sample>(a[i] - b[i]);
}

void ClampRow(const Sample* from, int count, SampleRange range, Sample* __restrict out) {
  for (int i = 0; i < count; ++i) out[i] = static_cast<Sample>(clamp_to<int>(from[i], range.lo, range.hi));
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(SubtractRow);
HWY_EXPORT(ClampRow);

namespace {

// Calls code(begin, end) for each run of samples of a row that skipped cells cover.
template <typename Code>
void for_skipped(const uint8_t* skips, const CompensationGeometry& g, int row, int cols, Code code) {
  const uint8_t* flags = skips + ptrdiff_t{block_of(row, g.row_shift, kLog2Cell, g.grid.rows)} * g.grid.cols;
  const int step = std::max(1, (1 << kLog2Cell) >> g.col_shift);
  const auto skipped = [&](int c) { return flags[block_of(c, g.col_shift, kLog2Cell, g.grid.cols)] != 0; };
  for (int begin = 0; begin < cols;) {
    const bool is_skipped = skipped(begin);
    int end = begin + step;
    while (end < cols && skipped(end) == is_skipped) end += step;
    if (is_skipped) code(begin, std::min(end, cols));
    begin = end;
  }
}

constexpr int kRows = 16;  // of a task

}  // namespace

void subtract_prediction(int threads, PlaneView<const Sample> samples, PlaneView<const Sample> prediction,
                         const uint8_t* skips, const CompensationGeometry& geometry,
                         PlaneView<Sample> residual) {
  parallel_ranges(threads, residual.rows, kRows, [&](int first, int last) {
    for (int r = first; r < last; ++r) {
      Sample* out = residual.row(r);
      HWY_DYNAMIC_DISPATCH(SubtractRow)(samples.row(r), prediction.row(r), residual.cols, out);
      for_skipped(skips, geometry, r, residual.cols,
                  [&](int begin, int end) { std::fill(out + begin, out + end, Sample{0}); });
    }
  });
}

void copy_skipped(int threads, PlaneView<const Sample> from, const uint8_t* skips,
                  const CompensationGeometry& geometry, PlaneView<Sample> to) {
  parallel_ranges(threads, to.rows, kRows, [&](int first, int last) {
    for (int r = first; r < last; ++r) {
      for_skipped(skips, geometry, r, to.cols, [&](int begin, int end) {
        HWY_DYNAMIC_DISPATCH(ClampRow)(from.row(r) + begin, end - begin, geometry.range, to.row(r) + begin);
      });
    }
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

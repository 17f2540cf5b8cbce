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

#ifndef CTV_CPU_SKIPPED_CELLS_ONCE
#define CTV_CPU_SKIPPED_CELLS_ONCE
namespace ctv {

// Rows [first, last) of columns [begin, end).
struct Part {
  int first, last, begin, end;
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

void Subtract(const PlaneView<const Sample>& a, const PlaneView<const Sample>& b, const Part& part,
              const PlaneView<Sample>& to) {
  for (int r = part.first; r < part.last; ++r) {
    const Sample* x = a.row(r);
    const Sample* y = b.row(r);
    Sample* __restrict out = to.row(r);
    for (int i = part.begin; i < part.end; ++i) out[i] = static_cast<Sample>(x[i] - y[i]);
  }
}

// Most parts are short: cells of a constant width are faster than a loop over all columns.
template <int kSide>
void ClampCells(const PlaneView<const Sample>& from, const Part& part, SampleRange range,
                const PlaneView<Sample>& to) {
  const auto lo = static_cast<Sample>(range.lo);
  const auto hi = static_cast<Sample>(range.hi);
  for (int r = part.first; r < part.last; ++r) {
    const Sample* x = from.row(r);
    Sample* __restrict out = to.row(r);
    for (int i = part.begin; i < part.end; i += kSide) {
      for (int j = i; j < i + kSide; ++j) out[j] = clamp_to(x[j], lo, hi);
    }
  }
}
void Clamp(const PlaneView<const Sample>& from, const Part& part, SampleRange range,
           const PlaneView<Sample>& to) {
  const int cols = part.end - part.begin;
  if (cols % 8 == 0) return ClampCells<8>(from, part, range, to);
  if (cols % 4 == 0) return ClampCells<4>(from, part, range, to);
  ClampCells<1>(from, part, range, to);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(Subtract);
HWY_EXPORT(Clamp);

namespace {

// Calls code(part, skipped) for each run of cells that are skipped, or of which none is, in rows
// [first, last).
template <typename Code>
void for_runs(const uint8_t* skips, const CompensationGeometry& g, int first, int last, int cols, Code code) {
  const int step = std::max(1, (1 << kLog2Cell) >> g.col_shift);
  while (first < last) {
    const int cell_row = block_of(first, g.row_shift, kLog2Cell, g.grid.rows);
    int next = first + 1;
    while (next < last && block_of(next, g.row_shift, kLog2Cell, g.grid.rows) == cell_row) ++next;
    const uint8_t* flags = skips + ptrdiff_t{cell_row} * g.grid.cols;
    const auto skipped = [&](int c) { return flags[block_of(c, g.col_shift, kLog2Cell, g.grid.cols)] != 0; };
    for (int begin = 0; begin < cols;) {
      const bool is_skipped = skipped(begin);
      int end = begin + step;
      while (end < cols && skipped(end) == is_skipped) end += step;
      code(Part{first, next, begin, std::min(end, cols)}, is_skipped);
      begin = end;
    }
    first = next;
  }
}

constexpr int kRows = 16;  // of a task

}  // namespace

void subtract_prediction(int threads, PlaneView<const Sample> samples, PlaneView<const Sample> prediction,
                         const uint8_t* skips, const CompensationGeometry& geometry,
                         PlaneView<Sample> residual) {
  parallel_ranges(threads, residual.rows, kRows, [&](int first, int last) {
    for_runs(skips, geometry, first, last, residual.cols, [&](const Part& part, bool skipped) {
      if (!skipped) {
        HWY_DYNAMIC_DISPATCH(Subtract)(samples, prediction, part, residual);
        return;
      }
      for (int r = part.first; r < part.last; ++r)
        std::fill(residual.row(r) + part.begin, residual.row(r) + part.end, Sample{0});
    });
  });
}

void copy_skipped(int threads, PlaneView<const Sample> from, const uint8_t* skips,
                  const CompensationGeometry& geometry, PlaneView<Sample> to) {
  parallel_ranges(threads, to.rows, kRows, [&](int first, int last) {
    for_runs(skips, geometry, first, last, to.cols, [&](const Part& part, bool skipped) {
      if (skipped) HWY_DYNAMIC_DISPATCH(Clamp)(from, part, geometry.range, to);
    });
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

// SPDX-License-Identifier: BSD-3-Clause
// The loop filter. Pieces of a row that are not skipped as a whole are filtered throughout with 16-bit
// arithmetic, and a mask takes the corrections off skipped cells. The two columns at each border of the plane
// are filtered sample by sample.
#include "cpu/picture/loop_filter.hpp"

#include <algorithm>
#include <atomic>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/loop_filter.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#ifndef CTV_CPU_LOOP_FILTER_ONCE
#define CTV_CPU_LOOP_FILTER_ONCE
namespace ctv {

constexpr int kFilterPiece = 128;  // columns at a time
constexpr int kFilterRows = 16;    // of a task

// A row and the rows around it, repeated beyond the plane.
struct FilterRow {
  const Sample* rows[2 * kFilterReach + 1];
  int cols;  // of the plane
  FilterRow(const PlaneView<const Sample>& plane, int row) : rows{}, cols(plane.cols) {
    for (int i = 0; i <= 2 * kFilterReach; ++i)
      rows[i] = plane.row(std::clamp(row + i - kFilterReach, 0, plane.rows - 1));
  }
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// corrections: of columns [begin, end), at most kFilterPiece.
void Corrections(const FilterRow& r, const LoopFilter& f, int begin, int end,
                 int16_t* __restrict corrections) {
  const auto at_border = [&](int from, int to) {
    for (int x = from; x < to; ++x) {
      corrections[x - begin] = filter_correction_of(
          f, [&](int dy, int dx) { return r.rows[kFilterReach + dy][std::clamp(x + dx, 0, r.cols - 1)]; });
    }
  };
  const int first = std::clamp(kFilterReach, begin, end);
  const int last = std::clamp(r.cols - kFilterReach, first, end);
  const LoopFilter filter = f;
  const Sample* const above2 = r.rows[0];
  const Sample* const above = r.rows[1];
  const Sample* const here = r.rows[2];
  const Sample* const below = r.rows[3];
  const Sample* const below2 = r.rows[4];
  at_border(begin, first);
  // A lambda that reads neighbours would have another instruction set than filter_correction_of(), and would
  // not be inlined there.
  CTV_INDEPENDENT
  for (int x = first; x < last; ++x) {
    const int16_t s = here[x];
    const int16_t b = filter.bound;
    const auto near = static_cast<int16_t>(filter_pull(here[x - 1], s, b) + filter_pull(here[x + 1], s, b) +
                                           filter_pull(above[x], s, b) + filter_pull(below[x], s, b));
    const auto diagonal =
        static_cast<int16_t>(filter_pull(above[x - 1], s, b) + filter_pull(above[x + 1], s, b) +
                             filter_pull(below[x - 1], s, b) + filter_pull(below[x + 1], s, b));
    const auto far = static_cast<int16_t>(filter_pull(here[x - 2], s, b) + filter_pull(here[x + 2], s, b) +
                                          filter_pull(above2[x], s, b) + filter_pull(below2[x], s, b));
    corrections[x - begin] = filter_correction(filter, near, diagonal, far);
  }
  at_border(last, end);
}

// mask: -1 or, in skipped cells, 0, of columns [begin, end). False: all are skipped.
bool MaskOf(const FilteredCells& cells, int row, int begin, int end, int16_t* mask) {
  const CompensationGeometry& g = cells.geometry;
  if (cells.skips == nullptr) {
    std::fill_n(mask, end - begin, int16_t{-1});
    return true;
  }
  const uint8_t* skips =
      cells.skips + ptrdiff_t{block_of(row, g.row_shift, kLog2Cell, g.grid.rows)} * g.grid.cols;
  const int side = std::max(1, (1 << kLog2Cell) >> g.col_shift);  // pieces begin with a cell
  bool any = false;
  for (int x = begin; x < end; x += side) {
    const bool filtered = skips[block_of(x, g.col_shift, kLog2Cell, g.grid.cols)] == 0;
    any = any || filtered;
    std::fill_n(mask + (x - begin), std::min(side, end - x), static_cast<int16_t>(filtered ? -1 : 0));
  }
  return any;
}

// Calls code(row, begin, end, corrections, mask) for pieces of rows [first, last), with null for those that
// are skipped.
template <typename Code>
void ForPieces(const PlaneView<const Sample>& samples, const LoopFilter& filter, const FilteredCells& cells,
               int first, int last, Code code) {
  alignas(64) int16_t corrections[kFilterPiece];
  alignas(64) int16_t mask[kFilterPiece];
  for (int begin = 0; begin < samples.cols; begin += kFilterPiece) {
    const int end = std::min(begin + kFilterPiece, samples.cols);
    int cell_row = -1;
    bool any = true;
    for (int r = first; r < last; ++r) {
      const int now = block_of(r, cells.geometry.row_shift, kLog2Cell, cells.geometry.grid.rows);
      if (now != cell_row) any = MaskOf(cells, r, begin, end, mask);
      cell_row = now;
      if (any) Corrections(FilterRow(samples, r), filter, begin, end, corrections);
      code(r, begin, end, any ? corrections : nullptr, mask);
    }
  }
}

void FilterRows(const PlaneView<const Sample>& from, const LoopFilter& filter, const FilteredCells& cells,
                int first, int last, const PlaneView<Sample>& to) {
  const auto lo = static_cast<int16_t>(cells.geometry.range.lo);
  const auto hi = static_cast<int16_t>(cells.geometry.range.hi);
  ForPieces(from, filter, cells, first, last,
            [&](int r, int begin, int end, const int16_t* corrections, const int16_t* mask) {
              const Sample* x = from.row(r) + begin;
              Sample* __restrict out = to.row(r) + begin;
              if (corrections == nullptr) {
                std::copy_n(x, end - begin, out);
                return;
              }
              for (int i = 0; i < end - begin; ++i)
                out[i] = clamp_to(static_cast<int16_t>(x[i] + (corrections[i] & mask[i])), lo, hi);
            });
}

int64_t RowsChange(const PlaneView<const Sample>& source, const PlaneView<const Sample>& samples,
                   const LoopFilter& filter, const FilteredCells& cells, int first, int last) {
  int64_t change = 0;
  ForPieces(samples, filter, cells, first, last,
            [&](int r, int begin, int end, const int16_t* corrections, const int16_t* mask) {
              if (corrections == nullptr) return;
              const Sample* x = samples.row(r) + begin;
              const Sample* y = source.row(r) + begin;
              FilterGain gain;
              for (int i = 0; i < end - begin; ++i)
                gain.add(static_cast<int16_t>(y[i] - x[i]) & mask[i], corrections[i] & mask[i]);
              change += gain.change();
            });
  return change;
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FilterRows);
HWY_EXPORT(RowsChange);

int64_t filter_change(int threads, PlaneView<const Sample> source, PlaneView<const Sample> samples,
                      const LoopFilter& filter, const FilteredCells& cells) {
  std::atomic<int64_t> change = 0;
  parallel_ranges(threads, samples.rows, kFilterRows, [&](int first, int last) {
    change += HWY_DYNAMIC_DISPATCH(RowsChange)(source, samples, filter, cells, first, last);
  });
  return change;
}

void filter_plane(int threads, PlaneView<const Sample> from, const LoopFilter& filter,
                  const FilteredCells& cells, PlaneView<Sample> to) {
  parallel_ranges(threads, to.rows, kFilterRows, [&](int first, int last) {
    if (cells.change == nullptr || *cells.change < 0)
      return HWY_DYNAMIC_DISPATCH(FilterRows)(from, filter, cells, first, last, to);
    for (int r = first; r < last; ++r) std::copy_n(from.row(r), to.cols, to.row(r));
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

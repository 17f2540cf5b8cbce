// SPDX-License-Identifier: BSD-3-Clause
// The loop filter. A row of cells is filtered in pieces with 16-bit arithmetic, but for pieces that are
// skipped as a whole; elsewhere a mask takes the corrections off skipped cells. At the borders of the plane a
// piece is filtered in a copy.
#include "cpu/picture/loop_filter.hpp"

#include <algorithm>
#include <atomic>

#include "codec/dsp/motion_vectors.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/loop_filter.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/predict-inl.hpp"

#ifndef CTV_CPU_LOOP_FILTER_ONCE
#define CTV_CPU_LOOP_FILTER_ONCE
namespace ctv {

constexpr int kFilterPiece = 32;  // columns at a time
constexpr int kFilterRows = 16;   // of a task

// The part of a piece that lies in the plane.
struct FilterPiece {
  int row, rows, col, cols;
  bool whole() const { return cols == kFilterPiece; }
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Of kFilterPiece samples from `at` on. Declares its neighbours as pointers, since a lambda would have
// another instruction set than filter_correction(), and would not be inlined.
void Corrections(const Sample* at, ptrdiff_t stride, LoopFilter f, int16_t* __restrict corrections) {
  const Sample* const above2 = at - 2 * stride;
  const Sample* const above = at - stride;
  const Sample* const below = at + stride;
  const Sample* const below2 = at + 2 * stride;
  const int16_t b = f.bound;
  CTV_KEEP_LOOP
  for (int x = 0; x < kFilterPiece; ++x) {
    const int16_t s = at[x];
    const auto near = static_cast<int16_t>(filter_pull(at[x - 1], s, b) + filter_pull(at[x + 1], s, b) +
                                           filter_pull(above[x], s, b) + filter_pull(below[x], s, b));
    const auto diagonal =
        static_cast<int16_t>(filter_pull(above[x - 1], s, b) + filter_pull(above[x + 1], s, b) +
                             filter_pull(below[x - 1], s, b) + filter_pull(below[x + 1], s, b));
    const auto far = static_cast<int16_t>(filter_pull(at[x - 2], s, b) + filter_pull(at[x + 2], s, b) +
                                          filter_pull(above2[x], s, b) + filter_pull(below2[x], s, b));
    corrections[x] = filter_correction(f, near, diagonal, far);
  }
}

// mask: -1 or, in skipped cells, 0. False: all are skipped.
bool MaskOf(const FilteredCells& cells, const FilterPiece& piece, int16_t (&mask)[kFilterPiece]) {
  const CompensationGeometry& g = cells.geometry;
  if (cells.skips == nullptr) {
    std::fill_n(mask, kFilterPiece, int16_t{-1});
    return true;
  }
  const int row = block_of(piece.row, g.row_shift, kLog2Cell, g.grid.rows);
  const uint8_t* const skips = cells.skips + ptrdiff_t{row} * g.grid.cols;
  const auto cell = [&](int x) { return block_of(piece.col + x, g.col_shift, kLog2Cell, g.grid.cols); };
  const int last = cell(piece.cols - 1);
  if (std::find(skips + cell(0), skips + last + 1, 0) == skips + last + 1) return false;
  const int side = std::max(1, (1 << kLog2Cell) >> g.col_shift);  // pieces begin with a cell
  for (int x = 0; x < piece.cols; x += side)
    std::fill_n(mask + x, side, static_cast<int16_t>(skips[cell(x)] == 0 ? -1 : 0));
  return true;
}

// Calls code(piece, corrections, mask) for the pieces of rows [first, last), with null for those that are
// skipped. corrections: [rows][kFilterPiece]
template <typename Code>
void ForPieces(const PlaneView<const Sample>& samples, const LoopFilter& filter, const FilteredCells& cells,
               int first, int last, Code code) {
  constexpr int kMost = 1 << kLog2Cell;
  alignas(64) int16_t corrections[kMost * kFilterPiece];
  alignas(64) int16_t mask[kFilterPiece];
  Sample patch[(kMost + kTaps) * (kFilterPiece + kTaps)];
  const int side = std::max(1, kMost >> cells.geometry.row_shift);
  FilterPiece piece{};
  for (piece.row = first; piece.row < last; piece.row += side) {
    piece.rows = std::min(side, last - piece.row);
    for (piece.col = 0; piece.col < samples.cols; piece.col += kFilterPiece) {
      piece.cols = std::min(kFilterPiece, samples.cols - piece.col);
      if (!MaskOf(cells, piece, mask)) {
        code(piece, nullptr, mask);
        continue;
      }
      const bool inside = piece.row >= kFilterReach && piece.col >= kFilterReach &&
                          piece.row + piece.rows + kFilterReach <= samples.rows &&
                          piece.col + kFilterPiece + kFilterReach <= samples.cols;
      const Sample* const at =
          inside ? samples.row(piece.row) + piece.col
                 : Surroundings<kFilterPiece>(samples, piece.row, piece.col, piece.rows, patch);
      const ptrdiff_t stride = inside ? samples.stride : kFilterPiece + kTaps;
      for (int r = 0; r < piece.rows; ++r)
        Corrections(at + r * stride, stride, filter, corrections + r * kFilterPiece);
      code(piece, corrections, mask);
    }
  }
}

void FilterPieces(const PlaneView<const Sample>& from, const LoopFilter& filter, const FilteredCells& cells,
                  int first, int last, const PlaneView<Sample>& to) {
  const auto lo = static_cast<int16_t>(cells.geometry.range.lo);
  const auto hi = static_cast<int16_t>(cells.geometry.range.hi);
  ForPieces(from, filter, cells, first, last,
            [&](const FilterPiece& piece, const int16_t* corrections, const int16_t* mask) {
              for (int r = piece.row; r < piece.row + piece.rows; ++r) {
                const Sample* x = from.row(r) + piece.col;
                Sample* __restrict out = to.row(r) + piece.col;
                if (corrections == nullptr) {
                  std::copy_n(x, piece.cols, out);
                  continue;
                }
                const auto filtered = [&](int i) {
                  return clamp_to(static_cast<int16_t>(x[i] + (corrections[i] & mask[i])), lo, hi);
                };
                if (piece.whole()) {
                  for (int i = 0; i < kFilterPiece; ++i) out[i] = filtered(i);
                } else {
                  for (int i = 0; i < piece.cols; ++i) out[i] = filtered(i);
                }
                corrections += kFilterPiece;
              }
            });
}

int64_t PiecesChange(const PlaneView<const Sample>& source, const PlaneView<const Sample>& samples,
                     const LoopFilter& filter, const FilteredCells& cells, int first, int last) {
  int64_t change = 0;
  ForPieces(samples, filter, cells, first, last,
            [&](const FilterPiece& piece, const int16_t* corrections, const int16_t* mask) {
              if (corrections == nullptr) return;
              FilterGain gain;
              for (int r = piece.row; r < piece.row + piece.rows; ++r) {
                const Sample* x = samples.row(r) + piece.col;
                const Sample* y = source.row(r) + piece.col;
                const auto add = [&](int i) {
                  gain.add(static_cast<int16_t>(y[i] - x[i]) & mask[i], corrections[i] & mask[i]);
                };
                if (piece.whole()) {
                  for (int i = 0; i < kFilterPiece; ++i) add(i);
                } else {
                  for (int i = 0; i < piece.cols; ++i) add(i);
                }
                corrections += kFilterPiece;
              }
              change += gain.change();
            });
  return change;
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FilterPieces);
HWY_EXPORT(PiecesChange);

int64_t filter_change(int threads, PlaneView<const Sample> source, PlaneView<const Sample> samples,
                      const LoopFilter& filter, const FilteredCells& cells) {
  std::atomic<int64_t> change = 0;
  parallel_ranges(threads, samples.rows, kFilterRows, [&](int first, int last) {
    change += HWY_DYNAMIC_DISPATCH(PiecesChange)(source, samples, filter, cells, first, last);
  });
  return change;
}

void filter_plane(int threads, PlaneView<const Sample> from, const LoopFilter& filter,
                  const FilteredCells& cells, PlaneView<Sample> to) {
  parallel_ranges(threads, to.rows, kFilterRows, [&](int first, int last) {
    if (cells.change == nullptr || *cells.change < 0)
      return HWY_DYNAMIC_DISPATCH(FilterPieces)(from, filter, cells, first, last, to);
    for (int r = first; r < last; ++r) std::copy_n(from.row(r), to.cols, to.row(r));
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

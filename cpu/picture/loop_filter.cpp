// SPDX-License-Identifier: BSD-3-Clause
// The loop filter. A row of cells is filtered in pieces, as bytes where the samples are bytes and else with
// 16-bit arithmetic, but for pieces that stay as a whole; elsewhere a mask takes the corrections off cells
// that stay. At the borders of the plane a piece is filtered in a copy.
#include "cpu/picture/loop_filter.hpp"

#include <algorithm>
#include <atomic>

#include "codec/dsp/filter_weights.hpp"
#include "codec/util/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/loop_filter.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/motion/predict-inl.hpp"
#include "cpu/picture/filter_bytes-inl.hpp"

#ifndef CTV_CPU_LOOP_FILTER_ONCE
#define CTV_CPU_LOOP_FILTER_ONCE
namespace ctv {

constexpr int kFilterRows = 16;          // of a task
constexpr int kSums = kFilterPiece + 2;  // sums of differences: of a piece and one column to each side

// The part of a piece that lies in the plane.
struct FilterPiece {
  int row, rows, col, cols;
  bool whole() const { return cols == kFilterPiece; }
};

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// The differences across each sample of a row, in each direction (filter_class()), alone or added up.
template <int kCount>
struct Differences {
  alignas(64) int16_t across[kCount], down[kCount], falling[kCount], rising[kCount];
};

// Of kSums samples from `at` on.
void FindDifferences(const Sample* at, ptrdiff_t stride, Differences<kSums>& __restrict out) {
  const Sample* const above = at - stride;
  const Sample* const below = at + stride;
  CTV_KEEP_LOOP
  for (int x = 0; x < kSums; ++x) {
    out.across[x] = filter_difference(at[x - 1], at[x + 1]);
    out.down[x] = filter_difference(above[x], below[x]);
    out.falling[x] = filter_difference(above[x - 1], below[x + 1]);
    out.rising[x] = filter_difference(above[x + 1], below[x - 1]);
  }
}

// to[x] = the sum of the differences of three samples in a row.
void AddThree(const int16_t* from, int16_t* __restrict to) {
  CTV_KEEP_LOOP
  for (int x = 0; x < kFilterPiece; ++x) to[x] = static_cast<int16_t>(from[x] + from[x + 1] + from[x + 2]);
}
void AddAlongRow(const Differences<kSums>& in, Differences<kFilterPiece>& __restrict out) {
  AddThree(in.across, out.across);
  AddThree(in.down, out.down);
  AddThree(in.falling, out.falling);
  AddThree(in.rising, out.rising);
}

// a, b, c: of the row above, of the row, of the row below.
void FindClasses(const Differences<kFilterPiece>& a, const Differences<kFilterPiece>& b,
                 const Differences<kFilterPiece>& c, LoopFilter f, uint8_t* __restrict classes) {
  CTV_KEEP_LOOP
  for (int x = 0; x < kFilterPiece; ++x) {
    const auto across = static_cast<int16_t>(a.across[x] + b.across[x] + c.across[x]);
    const auto down = static_cast<int16_t>(a.down[x] + b.down[x] + c.down[x]);
    const auto falling = static_cast<int16_t>(a.falling[x] + b.falling[x] + c.falling[x]);
    const auto rising = static_cast<int16_t>(a.rising[x] + b.rising[x] + c.rising[x]);
    classes[x] = static_cast<uint8_t>(filter_class(f, across, down, falling, rising));
  }
}

// weights[x] = table[classes[x]].
void LookUp(const int8_t (&table)[kFilterClasses], const uint8_t* classes, int8_t* __restrict weights) {
#if defined(CTV_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<uint8_t, kFilterPiece> d;
  const auto quarter = [&](int i) HWY_ATTR {
    return hn::LoadDup128(d, reinterpret_cast<const uint8_t*>(table) + 16 * i);
  };
  const auto low = hn::Set(d, 15);
  for (int x = 0; x < kFilterPiece; x += static_cast<int>(hn::Lanes(d))) {
    const auto index = hn::LoadU(d, classes + x);
    const auto place = hn::And(index, low);
    const auto strength = hn::AndNot(low, index);
    auto weight = hn::TableLookupBytes(quarter(0), place);
    for (int i = 1; i < kFilterClasses / 16; ++i) {
      const auto chosen = hn::Eq(strength, hn::Set(d, static_cast<uint8_t>(16 * i)));
      weight = hn::IfThenElse(chosen, hn::TableLookupBytes(quarter(i), place), weight);
    }
    hn::StoreU(weight, d, reinterpret_cast<uint8_t*>(weights) + x);
  }
#else
  for (int x = 0; x < kFilterPiece; ++x) weights[x] = table[classes[x]];
#endif
}

// Of kFilterPiece samples from `at` on. Declares its neighbours as pointers, since a lambda would have
// another instruction set than filter_correction(), and would not be inlined.
void Correct(const Sample* at, ptrdiff_t stride, LoopFilter f, const uint8_t* classes,
             int16_t* __restrict corrections) {
  alignas(64) int8_t w[kFilterPairs][kFilterPiece];
  for (int k = 0; k < kFilterPairs; ++k) LookUp(kFilterWeights[f.table][k], classes, w[k]);
  const Sample* const above2 = at - 2 * stride;
  const Sample* const above = at - stride;
  const Sample* const below = at + stride;
  const Sample* const below2 = at + 2 * stride;
  const int16_t b = f.bound;
  CTV_KEEP_LOOP
  for (int x = 0; x < kFilterPiece; ++x) {
    const int16_t s = at[x];
    auto sum = static_cast<int16_t>(w[0][x] * filter_pull(at[x - 1], at[x + 1], s, b));
    sum = static_cast<int16_t>(sum + w[1][x] * filter_pull(above[x], below[x], s, b));
    sum = static_cast<int16_t>(sum + w[2][x] * filter_pull(above[x - 1], below[x + 1], s, b));
    sum = static_cast<int16_t>(sum + w[3][x] * filter_pull(above[x + 1], below[x - 1], s, b));
    sum = static_cast<int16_t>(sum + w[4][x] * filter_pull(at[x - 2], at[x + 2], s, b));
    sum = static_cast<int16_t>(sum + w[5][x] * filter_pull(above2[x], below2[x], s, b));
    corrections[x] = filter_correction(sum);
  }
}

// corrections: [rows][kFilterPiece]. Each step passes over all rows: what it stores has arrived when the next
// reads it at other places.
void Corrections(const Sample* at, ptrdiff_t stride, int rows, const LoopFilter& f, int16_t* corrections) {
  Differences<kSums> differences[kMostFilterRows + 2];
  Differences<kFilterPiece> sums[kMostFilterRows + 2];
  alignas(64) uint8_t classes[kMostFilterRows][kFilterPiece];
  for (int r = 0; r < rows + 2; ++r) FindDifferences(at + (r - 1) * stride - 1, stride, differences[r]);
  for (int r = 0; r < rows + 2; ++r) AddAlongRow(differences[r], sums[r]);
  for (int r = 0; r < rows; ++r) FindClasses(sums[r], sums[r + 1], sums[r + 2], f, classes[r]);
  for (int r = 0; r < rows; ++r)
    Correct(at + r * stride, stride, f, classes[r], corrections + r * kFilterPiece);
}

// mask: -1 or, in cells that stay, 0. False: all stay. kSide: columns of a cell; pieces begin with one.
template <int kSide>
bool MaskOf(const FilteredCells& cells, const FilterPiece& piece, int16_t (&mask)[kFilterPiece]) {
  const int row = cells.row_of(piece.row);
  const int last = cells.geometry.grid.cols - 1;
  const uint8_t* const skips =
      cells.skips == nullptr ? nullptr : cells.skips + ptrdiff_t{row} * cells.geometry.grid.cols;
  const int64_t* const changes = cells.changes == nullptr ? nullptr : cells.changes + cells.root(row, 0);
  int col = cells.col_of(piece.col);
  bool any = false;
  for (int x = 0; x < kFilterPiece; x += kSide) {
    const bool filtered = x < piece.cols && (changes == nullptr || changes[col >> kRootLevel] < 0) &&
                          (skips == nullptr || skips[col] == 0);
    std::fill_n(mask + x, kSide, static_cast<int16_t>(filtered ? -1 : 0));
    any = any || filtered;
    if (kSide > 1) {
      col = std::min(col + 1, last);
    } else {
      col = cells.col_of(piece.col + x + 1);
    }
  }
  return any;
}
bool MaskOf(const FilteredCells& cells, const FilterPiece& piece, int16_t (&mask)[kFilterPiece]) {
  switch (cells.geometry.col_shift) {
    case 0:
      return MaskOf<8>(cells, piece, mask);
    case 1:
      return MaskOf<4>(cells, piece, mask);
    case 2:
      return MaskOf<2>(cells, piece, mask);
    default:
      return MaskOf<1>(cells, piece, mask);
  }
}

// Calls code(piece, corrections, mask) for the pieces of rows [first, last), with null for those that
// stay. corrections: [rows][kFilterPiece]. kDecides: of the rows that decide alone (filter_decides()).
template <bool kDecides, typename Code>
void ForPieces(const PlaneView<const Sample>& samples, const LoopFilter& filter, const FilteredCells& cells,
               int first, int last, Code code) {
  alignas(64) int16_t corrections[kMostFilterRows * kFilterPiece];
  alignas(64) int16_t mask[kFilterPiece];
  Sample patch[(kMostFilterRows + kTaps) * (kFilterPiece + kTaps)];
  const int side = cells.cell_rows();
  const int left_out = kDecides && side > 2 ? side / 4 : 0;  // rows, above and below
  FilterPiece piece{};
  for (piece.row = first + left_out; piece.row < last; piece.row += side) {
    piece.rows = std::min(side - 2 * left_out, last - piece.row);
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
      if (!ByteCorrections(at, stride, piece.rows, filter, corrections))
        Corrections(at, stride, piece.rows, filter, corrections);
      code(piece, corrections, mask);
    }
  }
}

void FilterPieces(const PlaneView<const Sample>& from, const LoopFilter& filter, const FilteredCells& cells,
                  int first, int last, const PlaneView<Sample>& to) {
  const auto lo = static_cast<int16_t>(cells.geometry.range.lo);
  const auto hi = static_cast<int16_t>(cells.geometry.range.hi);
  ForPieces<false>(from, filter, cells, first, last,
                   [&](const FilterPiece& piece, const int16_t* corrections, const int16_t* mask) {
                     for (int r = piece.row; r < piece.row + piece.rows; ++r) {
                       const Sample* x = from.row(r) + piece.col;
                       Sample* __restrict out = to.row(r) + piece.col;
                       if (corrections == nullptr) {
                         piece.whole() ? std::copy_n(x, kFilterPiece, out) : std::copy_n(x, piece.cols, out);
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

// Rows of other planes and of other tasks add to the same roots.
void PiecesChanges(const UnfilteredPlane& plane, const FilteredCells& cells, int first, int last,
                   int64_t* changes) {
  constexpr int kRootSide = 1 << (kLog2Cell + kRootLevel);
  const int part = std::min(kFilterPiece, kRootSide >> cells.geometry.col_shift);  // of one root
  ForPieces<true>(plane.samples, plane.filter, cells, first, last,
                  [&](const FilterPiece& piece, const int16_t* corrections, const int16_t* mask) {
                    if (corrections == nullptr) return;
                    for (int begin = 0; begin < piece.cols; begin += part) {
                      FilterGain gain;
                      for (int r = 0; r < piece.rows; ++r) {
                        const Sample* x = plane.samples.row(piece.row + r) + piece.col;
                        const Sample* y = plane.source.row(piece.row + r) + piece.col;
                        const int16_t* c = corrections + r * kFilterPiece;
                        const auto add = [&](int i) {
                          gain.add(static_cast<int16_t>(y[i] - x[i]) & mask[i], c[i] & mask[i]);
                        };
                        if (piece.whole() && part == kFilterPiece) {
                          for (int i = 0; i < kFilterPiece; ++i) add(i);
                        } else {
                          for (int i = begin; i < std::min(begin + part, piece.cols); ++i) add(i);
                        }
                      }
                      const int root = cells.root(cells.row_of(piece.row), cells.col_of(piece.col + begin));
                      std::atomic_ref(changes[root]).fetch_add(gain.change(), std::memory_order_relaxed);
                    }
                  });
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FilterPieces);
HWY_EXPORT(PiecesChanges);

void filter_changes(int threads, std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                    int64_t* changes) {
  std::fill_n(changes, planes[0].geometry.grid.roots(), 0);
  for (const UnfilteredPlane& plane : planes) {
    parallel_ranges(threads, plane.samples.rows, kFilterRows, [&](int first, int last) {
      HWY_DYNAMIC_DISPATCH(PiecesChanges)(plane, {plane.geometry, skips, nullptr}, first, last, changes);
    });
  }
}

void filter_plane(int threads, PlaneView<const Sample> from, const LoopFilter& filter,
                  const FilteredCells& cells, PlaneView<Sample> to) {
  parallel_ranges(threads, to.rows, kFilterRows, [&](int first, int last) {
    HWY_DYNAMIC_DISPATCH(FilterPieces)(from, filter, cells, first, last, to);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

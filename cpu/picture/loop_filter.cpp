// SPDX-License-Identifier: BSD-3-Clause
// The loop filter. A row of cells is filtered in runs of pieces. Pieces without filtered cells are left out;
// in other pieces a mask removes the corrections of unfiltered cells. Runs are filtered as bytes; a piece
// whose samples do not fit in bytes is filtered in 16 bits, in a copy. The filter works in place, and keeps
// copies of unfiltered rows that are still needed.
#include "cpu/picture/loop_filter.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "codec/dsp/filter_weights.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/runtime/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/loop_filter.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/picture/filter_bytes-inl.hpp"
#include "cpu/picture/filter_gain-inl.hpp"

#ifndef CTV_CPU_LOOP_FILTER_ONCE
#define CTV_CPU_LOOP_FILTER_ONCE
namespace ctv {

constexpr int kFilterRows = 16;          // rows of a task
constexpr int kSums = kFilterPiece + 2;  // sums of differences of a piece and one more column on each side

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// The differences of a row's samples in each direction (filter_class()), or sums of them.
template <int kCount>
struct Differences {
  alignas(64) int16_t across[kCount], down[kCount], falling[kCount], rising[kCount];
};

// For kSums samples from `at` on.
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

// to[x] = the sum of three horizontally adjacent differences.
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

// a, b, c: differences of the row above, of the row, and of the row below.
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

void LookUp(const int8_t (&table)[kFilterClasses], const uint8_t* classes, int8_t* __restrict weights) {
#if CTV_VECTORS
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

// For kFilterPiece samples from `at` on. Neighbours are plain pointers: a lambda would be compiled for
// another instruction set than filter_correction() and not be inlined.
void Correct(const Sample* at, ptrdiff_t stride, LoopFilter f, const uint8_t* classes,
             int8_t* __restrict corrections) {
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
    corrections[x] = static_cast<int8_t>(filter_correction(sum));
  }
}

// corrections: [rows][kFilterRun]. Each step runs over all rows, so that its stores are complete when the
// next step loads them at other offsets.
void Corrections(const Sample* at, ptrdiff_t stride, int rows, const LoopFilter& f, int8_t* corrections) {
  Differences<kSums> differences[kMostFilterRows + 2];
  Differences<kFilterPiece> sums[kMostFilterRows + 2];
  alignas(64) uint8_t classes[kMostFilterRows][kFilterPiece];
  for (int r = 0; r < rows + 2; ++r) FindDifferences(at + (r - 1) * stride - 1, stride, differences[r]);
  for (int r = 0; r < rows + 2; ++r) AddAlongRow(differences[r], sums[r]);
  for (int r = 0; r < rows; ++r) FindClasses(sums[r], sums[r + 1], sums[r + 2], f, classes[r]);
  for (int r = 0; r < rows; ++r)
    Correct(at + r * stride, stride, f, classes[r], corrections + r * kFilterRun);
}

// For all pieces of a run.
void RunCorrections(const RunRows& rows, const FilterPiece& run, const LoopFilter& f, int8_t* corrections) {
  if (ByteCorrections(rows, run, f, corrections)) return;
  constexpr int kPatch = kFilterPiece + 2 * kFilterReach;
  Sample patch[(kMostFilterRows + 2 * kFilterReach) * kPatch];
  FilterPiece piece = run;
  for (; piece.col < run.col + run.cols; piece.col += kFilterPiece, corrections += kFilterPiece) {
    piece.cols = min_of(kFilterPiece, run.col + run.cols - piece.col);
    if (run.cols > kFilterPiece && ByteCorrections(rows, piece, f, corrections)) continue;
    const int from = piece.col - kFilterReach;
    const int begin = max_of(0, -from);
    const int end = min_of(kPatch, rows.cols - from);
    for (int r = 0; r < piece.rows + 2 * kFilterReach; ++r) {
      const Sample* const row = rows.of[r];
      Sample* const out = patch + r * kPatch;
      const auto shifted = [&](Sample s) { return static_cast<Sample>(s >> f.down); };
      std::fill_n(out, begin, shifted(row[0]));
      std::transform(row + from + begin, row + from + end, out + begin, shifted);
      std::fill(out + end, out + kPatch, shifted(row[rows.cols - 1]));
    }
    Corrections(patch + kFilterReach * (kPatch + 1), kPatch, piece.rows, f, corrections);
  }
}

// mask: -1 in filtered cells, else 0. Returns false if no cell is filtered; the mask is then undefined.
// kSide: columns of a cell; pieces begin with a cell.
template <int kSide>
bool MaskOf(const FilteredCells& cells, const FilterPiece& piece, int8_t* mask) {
  const int row = cells.row_of(piece.row);
  const int last = cells.geometry.grid.cols - 1;
  const uint8_t* const skips =
      cells.skips == nullptr ? nullptr : cells.skips + ptrdiff_t{row} * cells.geometry.grid.cols;
  const int64_t* const changes = cells.changes == nullptr ? nullptr : cells.changes + cells.root(row, 0);
  int col = cells.col_of(piece.col);
  if constexpr (kSide >= 4) {  // whole cells of one root
    constexpr int kCells = kFilterPiece / kSide;
    if (piece.cols == kFilterPiece && col + kCells <= last + 1) {
      if (changes != nullptr && changes[col >> kRootLevel] >= 0) return false;
      uint8_t stay[kCells] = {};  // 1: not filtered
      if (skips != nullptr) std::memcpy(stay, skips + col, kCells);
      int count = 0;
      for (const uint8_t one : stay) count += one;
      if (count == kCells) return false;
      for (int k = 0; k < kCells; ++k) {
        const uint64_t kept = uint64_t{stay[k]} - 1;
        std::memcpy(mask + k * kSide, &kept, kSide);
      }
      return true;
    }
  }
  bool any = false;
  for (int x = 0; x < kFilterPiece; x += kSide) {
    const bool filtered = x < piece.cols && (changes == nullptr || changes[col >> kRootLevel] < 0) &&
                          (skips == nullptr || skips[col] == 0);
    std::fill_n(mask + x, kSide, static_cast<int8_t>(filtered ? -1 : 0));
    any = any || filtered;
    if (kSide > 1) {
      col = std::min(col + 1, last);
    } else {
      col = cells.col_of(piece.col + x + 1);
    }
  }
  return any;
}
bool MaskOf(const FilteredCells& cells, const FilterPiece& piece, int8_t* mask) {
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

template <typename RowAt>
RunRows RowsAround(const FilterPiece& run, Extent extent, RowAt row_at) {
  RunRows rows{{}, extent.cols};
  for (int i = 0; i < run.rows + 2 * kFilterReach; ++i)
    rows.of[i] = row_at(clamp_to(run.row + i - kFilterReach, 0, extent.rows - 1));
  return rows;
}

// Calls code(run, corrections, mask) for the runs of filtered pieces in rows [first, last). A run does not
// see the changes of the runs before it. rows_of(run): the run with its rows. load(run): prefetches.
// corrections: [rows][kFilterRun]. kDecides: only the rows that decide (filter_decides()).
template <bool kDecides, typename RowsOf, typename Load, typename Code>
void ForRuns(Extent extent, const LoopFilter& filter, const FilteredCells& cells, int first, int last,
             RowsOf rows_of, Load load, Code code) {
  alignas(64) int8_t corrections[2][kMostFilterRows * kFilterRun];
  alignas(64) int8_t mask[3][kFilterRun];
  const int side = cells.cell_rows();
  const int left_out = kDecides && side > 2 ? side / 4 : 0;  // rows above and below
  FilterPiece run{};
  const auto find = [&](int n) {  // finds the next run
    for (; run.col < extent.cols; run.col += run.cols) {
      bool filtered = false;
      run.cols = 0;
      for (FilterPiece piece = run; piece.col < extent.cols && run.cols < kFilterRun;
           piece.col += kFilterPiece) {
        piece.cols = min_of(kFilterPiece, extent.cols - piece.col);
        const bool any = MaskOf(cells, piece, mask[n % 3] + run.cols);
        if (run.cols == 0) filtered = any;
        if (any != filtered) break;
        run.cols += piece.cols;
      }
      if (!filtered) continue;
      load(run);
      return true;
    }
    return false;
  };
  for (run.row = first + left_out; run.row < last; run.row += side) {
    run.rows = min_of(side - 2 * left_out, last - run.row);
    run.col = 0;
    const RunRows rows = rows_of(run);
    FilterPiece before{};  // the run to code next
    int n = 0;
    for (bool any = find(n); any; ++n) {
      const FilterPiece own = run;
      run.col += run.cols;
      any = find(n + 1);
      RunCorrections(rows, own, filter, corrections[n % 2]);
      if (n > 0) code(before, corrections[(n + 1) % 2], mask[(n + 2) % 3]);
      before = own;
    }
    if (n > 0) code(before, corrections[(n + 1) % 2], mask[(n + 2) % 3]);
  }
}

void FilterRuns(const PlaneView<Sample>& samples, const LoopFilter& filter, const FilteredCells& cells,
                int first, int last, const PlaneView<Sample>& border) {
  // Number of rows that are kept: the last ones of a cell while those above it are needed, for any height of
  // cells.
  constexpr int kKept = 3 * kFilterReach;
  const auto memory = std::make_unique_for_overwrite<Sample[]>(static_cast<size_t>(kKept) *
                                                               static_cast<size_t>(samples.cols));
  Sample* const kept = memory.get();
  const auto kept_row = [&](int r) { return kept + ptrdiff_t{r % kKept} * samples.cols; };
  const auto lo = static_cast<int16_t>(cells.geometry.range.lo);
  const auto hi = static_cast<int16_t>(cells.geometry.range.hi);
  const auto scale = static_cast<int16_t>(1 << filter.down);
  ForRuns<false>(
      samples.extent(), filter, cells, first, last,
      [&](const FilterPiece& run) {
        const int end = run.row + run.rows;
        for (int r = end < last ? max_of(run.row, end - kFilterReach) : end; r < end; ++r)
          std::copy_n(samples.row(r), samples.cols, kept_row(r));
        return RowsAround(run, samples.extent(), [&](int r) -> const Sample* {
          if (r < first || r >= last) return border.row(r);
          return r < run.row ? kept_row(r) : samples.row(r);
        });
      },
      [&](const FilterPiece& run) {
        prefetch_block(samples, run.row, run.col, run.rows + kFilterReach, run.cols);
      },
      [&](const FilterPiece& run, const int8_t* corrections, const int8_t* mask) {
        for (int r = run.row; r < run.row + run.rows; ++r, corrections += kFilterRun) {
          Sample* const x = samples.row(r) + run.col;
          CTV_INDEPENDENT
          for (int i = 0; i < run.cols; ++i)
            x[i] = clamp_to(
                static_cast<int16_t>(x[i] + static_cast<int8_t>(corrections[i] & mask[i]) * scale), lo, hi);
        }
      });
}

// Rows of other planes and tasks add to the same roots. The sums of a row of roots are added together: an
// atomic addition waits for all earlier stores.
void RunsChanges(const UnfilteredPlane& plane, const FilteredCells& cells, int first, int last,
                 int64_t* changes) {
  constexpr int kRootSide = 1 << (kLog2Cell + kRootLevel);
  const int part =
      min_of(kFilterPiece, kRootSide >> cells.geometry.col_shift);  // columns that belong to one root
  std::vector<int64_t> sums(static_cast<size_t>(cells.geometry.grid.root_cols()));
  int64_t* row = changes + cells.root(cells.row_of(first), 0);  // per root
  const auto add_sums = [&] {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] != 0) std::atomic_ref(row[i]).fetch_add(sums[i], std::memory_order_relaxed);
    }
  };
  ForRuns<true>(
      plane.samples.extent(), plane.filter, cells, first, last,
      [&](const FilterPiece& run) {
        return RowsAround(run, plane.samples.extent(), [&](int r) { return plane.samples.row(r); });
      },
      [&](const FilterPiece& run) {
        prefetch_block(plane.samples, run.row - kFilterReach, run.col, run.rows + 2 * kFilterReach, run.cols);
        prefetch_block(plane.source, run.row, run.col, run.rows, run.cols);
      },
      [&](const FilterPiece& run, const int8_t* corrections, const int8_t* mask) {
        int64_t* const own = changes + cells.root(cells.row_of(run.row), 0);
        if (own != row) {
          add_sums();
          std::fill(sums.begin(), sums.end(), 0);
          row = own;
        }
        FilterPiece piece = run;
        for (int begin = 0; begin < run.cols; begin += part, piece.col += part) {
          piece.cols = min_of(part, run.cols - begin);
          sums[static_cast<size_t>(cells.col_of(piece.col) >> kRootLevel)] +=
              GainOf(plane, piece, corrections + begin, mask + begin).change();
        }
      });
  add_sums();
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FilterRuns);
HWY_EXPORT(RunsChanges);

void filter_changes(int threads, std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                    int64_t* changes) {
  std::fill_n(changes, planes[0].geometry.grid.roots(), 0);
  for (const UnfilteredPlane& plane : planes) {
    parallel_ranges(threads, plane.samples.rows, kFilterRows, [&](int first, int last) {
      HWY_DYNAMIC_DISPATCH(RunsChanges)(plane, {plane.geometry, skips, nullptr}, first, last, changes);
    });
  }
}

void filter_plane(int threads, PlaneView<Sample> samples, const LoopFilter& filter,
                  const FilteredCells& cells, PlaneView<Sample> spare) {
  // Rows at the border of two ranges, saved for the other range before either changes them.
  std::vector<std::once_flag> kept(static_cast<size_t>(samples.rows / kFilterRows + 1));
  const auto keep = [&](int border) {
    if (border <= 0 || border >= samples.rows) return;
    std::call_once(kept[static_cast<size_t>(border / kFilterRows)], [&] {
      const int last = std::min(border + kFilterReach, samples.rows);
      for (int r = border - kFilterReach; r < last; ++r)
        std::copy_n(samples.row(r), samples.cols, spare.row(r));
    });
  };
  parallel_ranges(threads, samples.rows, kFilterRows, [&](int first, int last) {
    keep(first);
    keep(last);
    HWY_DYNAMIC_DISPATCH(FilterRuns)(samples, filter, cells, first, last, spare);
  });
}

}  // namespace ctv
#endif  // HWY_ONCE

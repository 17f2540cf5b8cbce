// SPDX-License-Identifier: BSD-3-Clause
// Directional filter bank without resampling (after Bamberger and Smith 1992, Do and Vetterli 2005). Each
// split rotates two cosets of a lattice by 45 degrees with three integer shears. A kernel of N x N taps costs
// N*N products per sample. It is separable along the lattice vectors b1 and b2, and odd, so 2 * N/2 products
// and as many differences suffice. Each row is stored by column phase. So the
// samples that a kernel reads along a row are contiguous for all lattice vectors, and the loops vectorise.
// Borders are periodic: rows by their index, columns by margins that are refreshed after each shear.
#include "cpu/transform/directional.hpp"

#include <algorithm>
#include <cstring>

#include "codec/dsp/directional.hpp"
#include "codec/dsp/mirror.hpp"
#include "codec/util/parallel.hpp"

namespace ctv {
namespace {

constexpr int kMaxHalfTaps = kMaxDirectionalTaps / 2;
constexpr int kFilteredMargin = 8;  // elements before a filtered row: the second pass reaches 7
constexpr int kRing = 16;           // filtered rows, at least 2 * kMaxHalfTaps
constexpr int kGrain = 1 << 14;     // fewest samples worth a thread

int filtered_stride(int count) { return round_up(count + 2 * kFilteredMargin, kBlock) + kBlock; }
// Number of ring buffers for the pieces of all splits of one depth; see pieces_of().
int rings_of(int threads) { return 2 * threads + 8; }
int log2_of(int power) { return power == 1 ? 0 : 1 + log2_of(power / 2); }

}  // namespace

DirectionalBank::DirectionalBank(Extent band, int directions_log2, int taps, int threads)
    : band_(band),
      directions_log2_(directions_log2),
      half_taps_(taps / 2),
      threads_(std::max(1, threads)),
      column_phases_(1 << std::max(0, directions_log2 - 2)),
      run_stride_(round_up(band.cols / 2 / column_phases_, kBlock) + 2 * kMargin),
      half_stride_(column_phases_ * run_stride_),
      plan_(make_directional_plan(directions_log2)),
      data_(static_cast<size_t>(band.rows) * static_cast<size_t>(2 * half_stride_) + kBlock),
      filtered_(static_cast<size_t>(kRing * rings_of(threads_)) *
                static_cast<size_t>(filtered_stride(band.cols / 2))),
      spare_(static_cast<size_t>(2 * threads_) * static_cast<size_t>(round_up(band.cols / 2, kBlock))) {
  make_splits();
}

void DirectionalBank::make_splits() {
  groups_.resize(static_cast<size_t>(directions_log2_));
  groups_[0] = {{{{0, 1, 0, 0, 1, true}, {0, 1, 1, 0, 1, true}}, {1, 1}, {-1, 1}, false}};
  if (directions_log2_ < 2) return;
  groups_[1] = {{{{0, 2, 0, 0, 1, false}, {1, 2, 1, 0, 1, false}}, {2, 0}, {0, 2}, false},   // A, D
                {{{0, 2, 1, 0, 1, false}, {1, 2, 0, 0, 1, false}}, {2, 0}, {0, 2}, false}};  // B, C
  for (const PhaseSplit& s : plan_.splits) {
    const int row = s.phase >> 1;
    const int col = s.phase & 1;
    const bool transposed = is_transposed(s.phase);
    const auto coset = [&](int first) -> Coset {
      if (!transposed) return {row + 2 * first, 2 * s.row_stride, col, 0, 1, false};
      return {row, 2, col + 2 * first, 2 * s.row_stride, column_phases_ / s.row_stride, false};
    };
    const Vec along = transposed ? Vec{2 * s.shear, 2 * s.row_stride} : Vec{2 * s.row_stride, 2 * s.shear};
    const Vec across = transposed ? Vec{2, 0} : Vec{0, 2};
    groups_[static_cast<size_t>(s.depth - 1)].push_back(
        {{coset(s.row0), coset(s.row1)}, along, across, true});
  }
}

// The sample at row y (any, periodic) and column x (margins included). The next element is one column step
// further.
Coefficient* DirectionalBank::at(int y, int x, bool columns_split) const {
  while (y < 0) y += band_.rows;  // cheaper than a division; at most one iteration except in tiny bands
  while (y >= band_.rows) y -= band_.rows;
  Coefficient* half = row(y) + (x & 1) * half_stride_ + kMargin;
  const int i = x >> 1;
  if (!columns_split || ((x + y) & 1) == 0) return half + i;
  return half + (i & (column_phases_ - 1)) * run_stride_ + (i >> log2_of(column_phases_));
}

Coefficient* DirectionalBank::subband_row(int k, int r) const {
  if (directions_log2_ == 1) return at(r, (r + k) & 1, false);
  const Leaf& leaf = plan_.leaves[static_cast<size_t>(k)];
  return at(leaf.row + r * leaf.row_stride, leaf.col, true);
}

void DirectionalBank::refresh_margins(Coefficient* first, int count) const {
  if (count >= kMargin) {
    std::memcpy(first - kMargin, first + count - kMargin, kMargin * sizeof(Coefficient));
    std::memcpy(first + count, first, kMargin * sizeof(Coefficient));
    return;
  }
  for (int i = 0; i < kMargin; ++i) first[count + i] = first[i % count];
  for (int i = 1; i <= kMargin; ++i) first[-i] = first[wrap(-i, count)];
}

void DirectionalBank::transform(std::span<DirectionalBank* const> banks, bool inverse) {
  if (banks.empty()) return;
  const DirectionalBank& one = *banks.front();
  if (one.threads_ == 1 && banks.size() > 1) {  // one after the other, so that a band stays in the cache
    for (const auto& bank : banks) transform({&bank, 1}, inverse);
    return;
  }
  transform_groups(banks, 0, static_cast<int>(one.groups_.size()), inverse);
}

void DirectionalBank::transform_levels(int first, int last, bool inverse) {
  DirectionalBank* const one = this;
  transform_groups({&one, 1}, first - 1, last, inverse);
}

void DirectionalBank::transform_groups(std::span<DirectionalBank* const> banks, int first, int end,
                                       bool inverse) {
  for_rows(banks, &DirectionalBank::refresh_rows, inverse && end > 2);
  for (int i = first; i < end; ++i) {
    const int group = inverse ? first + end - 1 - i : i;
    if (!inverse && group == 2) for_rows(banks, &DirectionalBank::split_columns, false);
    shear(banks, group, 0, {.sine = false, .subtract = !inverse});
    shear(banks, group, 1, {.sine = true, .subtract = inverse});
    shear(banks, group, 0, {.sine = false, .subtract = !inverse});
    if (inverse && group == 2) for_rows(banks, &DirectionalBank::split_columns, true);
  }
}

// The number of tasks for `rows` rows of each of `bands` bands.
int DirectionalBank::pieces_of(size_t bands, int rows, int cols) const {
  if (threads_ == 1) return 1;
  const int most = std::min(ceil_div(2 * threads_, static_cast<int>(bands)), rows);
  return std::clamp(rows * cols / kGrain, 1, most);
}

void DirectionalBank::for_rows(std::span<DirectionalBank* const> banks, RowsTask task, bool how) {
  const DirectionalBank& one = *banks.front();
  const int pieces = one.pieces_of(banks.size(), one.band_.rows, one.band_.cols);
  parallel_for(one.threads_, pieces * static_cast<int>(banks.size()), [&](int i) {
    const int piece = i % pieces;
    DirectionalBank* bank = banks[static_cast<size_t>(i / pieces)];
    (bank->*task)(how, piece, one.band_.rows * piece / pieces, one.band_.rows * (piece + 1) / pieces);
  });
}

// Runs one shear of all splits of one depth of the tree, in all banks. Their samples are disjoint.
void DirectionalBank::shear(std::span<DirectionalBank* const> banks, int group, int target, Shear how) {
  const DirectionalBank& one = *banks.front();
  const int splits = static_cast<int>(one.groups_[static_cast<size_t>(group)].size());
  const int all = splits * static_cast<int>(banks.size());
  const int pieces =
      one.pieces_of(static_cast<size_t>(splits), one.band_.rows, one.band_.cols / (2 * splits));
  parallel_for(one.threads_, pieces * all, [&](int i) {
    const int piece = i % pieces;
    const int split = i / pieces % splits;
    DirectionalBank* bank = banks[static_cast<size_t>(i / pieces / splits)];
    const Split& s = bank->groups_[static_cast<size_t>(group)][static_cast<size_t>(split)];
    const int rows = one.band_.rows / s.coset[target].row_step;
    const int begin = rows * piece / pieces;
    const int end = rows * (piece + 1) / pieces;
    bank->shear_rows(s, target, how, split * pieces + piece, begin, end);
  });
}

void DirectionalBank::refresh_rows(bool columns_split, int, int begin, int end) {
  for (int y = begin; y < end; ++y) {
    for (int x = 0; x < 2; ++x) {
      const int runs = columns_split && ((x + y) & 1) != 0 ? column_phases_ : 1;
      for (int q = 0; q < runs; ++q) {
        refresh_margins(at(y, x + 2 * q, columns_split), band_.cols / 2 / runs);
      }
    }
  }
}

// Deinterleaves the half rows of phases B and C by column phase, or interleaves them again.
void DirectionalBank::split_columns(bool inverse, int piece, int begin, int end) {
  const int count = band_.cols / 2;
  const int run = count / column_phases_;
  Coefficient* spare = spare_.data() + static_cast<ptrdiff_t>(piece) * round_up(count, kBlock);
  for (int y = begin; y < end; ++y) {
    Coefficient* whole = at(y, (y + 1) & 1, false);
    if (!inverse) std::copy_n(whole, count, spare);
    for (int q = 0; q < column_phases_; ++q) {
      Coefficient* part = whole + q * run_stride_;
      for (int i = 0; i < run; ++i) {
        if (inverse) {
          spare[i * column_phases_ + q] = part[i];
        } else {
          part[i] = spare[i * column_phases_ + q];
        }
      }
      if (!inverse) refresh_margins(part, run);
    }
    if (inverse) {
      std::copy_n(spare, count, whole);
      refresh_margins(whole, count);
    }
  }
}

int DirectionalBank::run_length(const Coset& coset) const {
  return band_.cols / 2 / (coset.col_step == 0 ? 1 : column_phases_);
}

// First pass along b1: source rows, filtered, into a ring buffer. Second pass along b2: the centre of target
// row i is filtered row i, and b2 leads to filtered row i + b2_rows, where b2_rows is 0, 1 or -1.
void DirectionalBank::shear_rows(const Split& split, int target, Shear how, int ring_index, int begin,
                                 int end) {
  const Coset& t = split.coset[target];
  const Vec b1 = split.b1;
  const Vec b2 = split.b2;
  const bool s = split.columns_split;
  const int count = run_length(t);
  const int element = t.col_step == 0 ? 2 : 2 * column_phases_;  // columns between elements
  const int element_log2 = log2_of(element);
  const int b2_rows = b2.y / t.row_step;
  const int reach = b2_rows == 0 ? 0 : half_taps_;
  const int stride = filtered_stride(band_.cols / 2);
  int32_t* ring = filtered_.data() + static_cast<ptrdiff_t>(ring_index) * kRing * stride;
  const auto filtered_row = [&](int i) { return ring + static_cast<ptrdiff_t>(i & (kRing - 1)) * stride; };
  for (int j = 0; j < t.sub_rows; ++j) {
    int made = begin - reach;  // next filtered row to compute
    for (int i = begin; i < end; ++i) {
      const int y = t.row + i * t.row_step;
      const int x = t.quincunx ? (t.col + y) & 1 : t.col + j * t.col_step;
      const int ux = x + (b1.x + b2.x) / 2;
      const Coefficient* sources[2][kMaxHalfTaps];
      for (; made <= i + reach; ++made) {
        const int fy = t.row + made * t.row_step + (b1.y + b2.y) / 2;
        const int fx = (t.quincunx ? (t.col + 1 + fy) & 1 : ux & (element - 1)) - kFilteredMargin * element;
        for (int k = 0; k < half_taps_; ++k) {
          sources[0][k] = at(fy + k * b1.y, fx + k * b1.x, s);
          sources[1][k] = at(fy - (k + 1) * b1.y, fx - (k + 1) * b1.x, s);
        }
        filter_row(half_taps_, filtered_row(made), sources[0], sources[1], count + 2 * kFilteredMargin);
      }
      const int32_t* filtered[2][kMaxHalfTaps];
      for (int k = 0; k < half_taps_; ++k) {
        filtered[0][k] = filtered_row(i + k * b2_rows) + kFilteredMargin + ((ux + k * b2.x) >> element_log2);
        filtered[1][k] =
            filtered_row(i - (k + 1) * b2_rows) + kFilteredMargin + ((ux - (k + 1) * b2.x) >> element_log2);
      }
      Coefficient* p = at(y, x, s);
      shear_row(how, half_taps_, p, filtered[0], filtered[1], count);
      refresh_margins(p, count);
    }
  }
}

}  // namespace ctv

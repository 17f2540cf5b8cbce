// SPDX-License-Identifier: BSD-3-Clause
// The samples of a plane in skipped cells, row by row. There are more rows of samples than of cells, so each
// row of cells is kept as bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/format/skipped_cells.hpp"
#include "codec/util/little_endian.hpp"
#include "codec/util/memory_budget.hpp"
#include "cpu/picture/sample_rows.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

class SkippedRuns {
 public:
  /// plane: the largest extent of later calls. Cells of streams have at least 4 samples in each dimension.
  explicit SkippedRuns(Extent plane) {
    const auto rows = static_cast<size_t>(ceil_div(plane.rows, 4));
    coded_.reserve(rows);
    reached_.reserve(rows);
    bits_.reserve(rows * static_cast<size_t>(ceil_div(plane.cols, 4 * kBits)));
    keep_.reserve(rows * static_cast<size_t>(round_up(ceil_div(plane.cols + 7, 2), kBlock)));
  }

  /// Sets the cells of a plane.
  void begin(const SkippedCells& cells, Extent plane) {
    cells_ = cells;
    if (cells.skips == nullptr) return;
    step_ = cells.cell_cols();
    const int count = ceil_div(plane.cols, step_);
    words_ = ceil_div(count, kBits);
    const int grid_cols = cells.geometry.grid.cols;
    coded_.assign(static_cast<size_t>(cells.geometry.grid.rows), kAllBlocks);
    reached_.assign(coded_.size(), kAllBlocks);
    bits_.resize(coded_.size() * static_cast<size_t>(words_));
    half_ = round_up(ceil_div(count * step_, 2), kBlock);
    keep_.resize(coded_.size() * static_cast<size_t>(keep_pitch()));
    for (int row = 0; row < plane.rows; row += cells.cell_rows()) {
      const uint8_t* const flags = cells.flags(row);
      uint64_t* const bits = bits_.data() + ptrdiff_t{cells.row_of(row)} * words_;
      std::fill_n(bits, words_, 0);
      for (int i = 0; i < count;) {
        const int col = cells.col_of(i * step_);
        const bool eight = i % 8 == 0 && cells.geometry.col_shift <= kLog2Cell && col + 8 <= grid_cols;
        bits[i / kBits] |= (eight ? eight_bits(flags + col) : uint64_t{flags[col]}) << (i % kBits);
        i += eight ? 8 : 1;
      }
      find_kept(row, count);
      find_blocks(row, plane.cols);
    }
  }

  bool any() const { return cells_.skips != nullptr; }
  /// The blocks of a row's even and odd columns with samples in coded cells.
  BlockMask coded_blocks(int row) const {
    return cells_.skips == nullptr ? kAllBlocks : coded_[static_cast<size_t>(cells_.row_of(row))];
  }

  /// The same, plus the blocks that horizontal wavelet steps reach from these samples.
  BlockMask reached_blocks(int row) const {
    return cells_.skips == nullptr ? kAllBlocks : reached_[static_cast<size_t>(cells_.row_of(row))];
  }

  /// Calls code(first, n) for runs of samples in skipped cells among columns [begin, end). `begin` must be
  /// the first column of a cell.
  template <typename Code>
  void for_runs(int row, int begin, int end, Code code) const {
    if (cells_.skips == nullptr) return;
    const uint64_t* const bits = bits_.data() + ptrdiff_t{cells_.row_of(row)} * words_;
    const int last = ceil_div(end, step_);
    for (int cell = begin / step_; cell < last;) {
      const uint64_t rest = bits[cell / kBits] >> (cell % kBits);
      const int n = rest == 0 ? kBits - cell % kBits : std::countr_zero(rest);
      if (n == 0) {
        const int next = std::min(cell + std::countr_one(rest), last);
        code(cell * step_, std::min(next * step_, end) - cell * step_);
        cell = next;
      } else {
        cell += n;
      }
    }
  }

  /// Clears them in x[0 .. end - begin), or in n even and odd columns of a row from `first` on, in whole
  /// blocks.
  void clear(int row, int begin, int end, Coefficient* x) const {
    for_runs(row, begin, end, [&](int first, int n) { std::fill_n(x + first - begin, n, Coefficient{0}); });
  }
  void clear(int row, int first, int n, Coefficient* even, Coefficient* odd) const {
    if (cells_.skips == nullptr) return;
    const Coefficient* const keep = keep_.data() + ptrdiff_t{cells_.row_of(row)} * keep_pitch() + first;
    mask_columns(keep, keep + (step_ == 1 ? half_ : 0), n, even + first, odd + first);
  }

 private:
  static constexpr int kBits = 64;
  static constexpr int kReach = 8;  // columns, of the 9/7 4
  // Packs eight flags in bits, the first in the lowest bit.
  static uint64_t eight_bits(const uint8_t* flags) {
    uint64_t word = 0;
    std::memcpy(&word, flags, sizeof word);
    return little_endian(word) * 0x0102040810204080U >> 56;
  }
  // Computes coded_ and reached_.
  void find_blocks(int row, int cols) {
    BlockMask& coded = coded_[static_cast<size_t>(cells_.row_of(row))];
    BlockMask& reached = reached_[static_cast<size_t>(cells_.row_of(row))];
    int begin = 0;
    int end = 0;
    const auto take = [&] {
      coded &= ~blocks_within(ceil_div(begin, 2), end / 2);
      reached &= ~blocks_within(begin == 0 ? 0 : ceil_div(begin + kReach, 2),
                                (end == cols ? end : end - kReach) / 2);
    };
    for_runs(row, 0, cols, [&](int first, int n) {
      if (first != end) {
        take();
        begin = first;
      }
      end = first + n;  // a run continues in the next word
    });
    take();
  }
  // -1 in coded columns, 0 in skipped cells: for even and odd columns, which differ in cells of one column.
  int keep_pitch() const { return (step_ == 1 ? 2 : 1) * half_; }
  void find_kept(int row, int count) {
    const uint8_t* const flags = cells_.flags(row);
    Coefficient* const to = keep_.data() + ptrdiff_t{cells_.row_of(row)} * keep_pitch();
    int done = 0;
    if (step_ == 8) done = put<uint64_t>(flags, count, to);
    if (step_ == 4) done = put<uint32_t>(flags, count, to);
    for (int i = done * step_; i < count * step_; ++i) {
      const bool skipped = flags[cells_.col_of(i)] != 0;
      to[(step_ == 1 ? i % 2 * half_ : 0) + i / 2] = static_cast<Coefficient>(skipped ? 0 : -1);
    }
  }
  // For cells inside the grid. A word holds the columns of a cell.
  template <typename Word>
  int put(const uint8_t* flags, int count, Coefficient* to) const {
    const int inside = std::min(count, cells_.geometry.grid.cols);
    for (int i = 0; i < inside; ++i) {
      const Word kept = Word{flags[i]} - 1;
      std::memcpy(to + static_cast<ptrdiff_t>(i) * (sizeof kept / sizeof *to), &kept, sizeof kept);
    }
    return inside;
  }

  SkippedCells cells_;
  int step_ = 1;                    // columns per cell
  int words_ = 0;                   // words per row of cells
  CountedVector<BlockMask> coded_;  // [row of cells]
  CountedVector<BlockMask> reached_;
  CountedVector<uint64_t> bits_;     // [row of cells][words_], 1: skipped
  int half_ = 0;                     // even columns
  CountedVector<Coefficient> keep_;  // [row of cells][keep_pitch()]
};

}  // namespace ctv

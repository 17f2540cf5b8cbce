// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank of one band, in place.
#pragma once

#include <span>
#include <vector>

#include "codec/format/directional_plan.hpp"
#include "codec/util/types.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/directional_rows.hpp"

namespace ctv {

class DirectionalBank {
 public:
  /// taps 6 or 12; directions_log2 1..4; both extents are multiples of 2^max(1, directions_log2 - 1).
  DirectionalBank(Extent band, int directions_log2, int taps, int threads);

  /// The even and the odd columns of the band's row r.
  Coefficient* even_row(int r) const { return row(r) + kMargin; }
  Coefficient* odd_row(int r) const { return row(r) + half_stride_ + kMargin; }
  Coefficient* subband_row(int k, int r) const;

  /// Transforms bands to subbands, or back, in place. The banks have equal extents and parameters.
  static void transform(std::span<DirectionalBank* const> banks, bool inverse);
  /// The same for levels first .. last of the tree only, in a bank of four directions.
  void transform_levels(int first, int last, bool inverse);

 private:
  static constexpr int kMargin = kBlock;

  struct Vec {
    int y, x;
  };
  /// A coset, as the target of a shear.
  struct Coset {
    int row, row_step;  // its rows
    int col, col_step;  // first column in each row, distance of sub-rows in columns
    int sub_rows;       // contiguous runs in a row
    bool quincunx;      // col alternates by one from row to row
  };
  struct Split {
    Coset coset[2];
    Vec b1, b2;
    bool columns_split;  // phases B and C are deinterleaved by column phase
  };

  using RowsTask = void (DirectionalBank::*)(bool how, int piece, int begin, int end);

  void make_splits();
  Coefficient* row(int r) const { return data_.data() + static_cast<ptrdiff_t>(r) * 2 * half_stride_; }
  Coefficient* at(int y, int x, bool columns_split) const;
  int pieces_of(size_t bands, int rows, int cols) const;
  int run_length(const Coset& coset) const;
  static void transform_groups(std::span<DirectionalBank* const> banks, int first, int end, bool inverse);
  static void for_rows(std::span<DirectionalBank* const> banks, RowsTask task, bool how);
  static void shear(std::span<DirectionalBank* const> banks, int group, int target, Shear how);
  void shear_rows(const Split& split, int target, Shear how, int ring, int begin, int end);
  void refresh_margins(Coefficient* first, int count) const;
  void refresh_rows(bool columns_split, int piece, int begin, int end);
  void split_columns(bool inverse, int piece, int begin, int end);

  Extent band_;
  int directions_log2_;
  int half_taps_;
  int threads_;
  int column_phases_;  // runs in a half row of phases B and C after depth 2
  int run_stride_;     // elements between runs
  int half_stride_;    // elements from the even to the odd half of a row
  DirectionalPlan plan_;
  std::vector<std::vector<Split>> groups_;  // by depth of the tree
  AlignedBuffer<Coefficient> data_;         // [rows][even | odd][runs with margins]
  AlignedBuffer<int32_t> filtered_;         // rings of rows filtered along b1, in 64ths
  AlignedBuffer<Coefficient> spare_;        // per piece: one half row
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The directional filter bank of one band, in place.
#pragma once

#include <vector>

#include "codec/base/types.hpp"
#include "codec/transform/directional_plan.hpp"
#include "cpu/aligned_buffer.hpp"
#include "cpu/directional_rows.hpp"

namespace ctv {

class DirectionalBank {
 public:
  /// directions_log2 1..4; both extents are multiples of 2^max(1, directions_log2 - 1).
  DirectionalBank(Extent band, int directions_log2, int taps, int threads);

  /// The band's row r, split by columns: even ones from the first place on, odd ones from the second.
  Coefficient* even_row(int r) const { return row(r) + kMargin; }
  Coefficient* odd_row(int r) const { return row(r) + half_stride_ + kMargin; }
  /// Row r of subband k, contiguous.
  Coefficient* subband_row(int k, int r) const;

  void forward();  // band to subbands
  void inverse();  // subbands to band

 private:
  static constexpr int kMargin = kBlock;

  struct Vec {
    int y, x;
  };
  /// One coset as the target of a shear.
  struct Coset {
    int row, row_step;  // its rows
    int col, col_step;  // first column in each row, columns from sub-row to sub-row
    int sub_rows;       // contiguous runs in a row
    bool quincunx;      // col changes by one from row to row
  };
  struct Split {
    Coset coset[2];
    Vec b1, b2;
    bool columns_split;  // phases B and C are stored by column phase
  };

  void make_splits(const DirectionalPlan& plan);
  Coefficient* row(int r) const { return data_.data() + static_cast<ptrdiff_t>(r) * 2 * half_stride_; }
  Coefficient* at(int y, int x, bool columns_split) const;
  int pieces_of(int rows, int cols) const;
  int run_length(const Coset& coset) const;
  void rotate(const Split& split, bool inverse);
  void shear(const Split& split, int target, Shear how);
  void shear_rows(const Split& split, int target, Shear how, int piece, int begin, int end);
  void shear_rows_2(const Split& split, int target, Shear how, int begin, int end);
  void refresh_margins(Coefficient* first, int count) const;
  void refresh_all(bool columns_split);
  void split_columns(bool inverse);

  Extent band_;
  int directions_log2_;
  int half_taps_;
  int threads_;
  int column_phases_;  // Q: runs that a half row of phases B and C is cut into after level 2
  int run_stride_;     // elements from run to run
  int half_stride_;    // elements from the even to the odd half of a row
  DirectionalPlan plan_;
  std::vector<Split> splits_;
  AlignedBuffer<Coefficient> data_;   // [rows][even | odd][runs with margins]
  AlignedBuffer<int32_t> filtered_;   // per piece: ring of rows filtered along b1, in 64ths
  AlignedBuffer<Coefficient> spare_;  // per piece: one half row
};

}  // namespace ctv

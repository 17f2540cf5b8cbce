// SPDX-License-Identifier: BSD-3-Clause
// The 9/7 of a range of rows, vertically along slopes (directional lifting: Ding et al. 2007; Chang and Girod
// 2007): a step uses a column to one side in the row above, and one as far to the other side in the row
// below. Rows must then be complete, so the vertical steps come before the horizontal ones.
#include <algorithm>

#include "cpu/transform/wavelet_ring.hpp"

namespace ctv {

void Wavelet::forward_piece_along(const Ring& ring, int begin, int end, SlopeView slopes,
                                  WaveletRows& rows) const {
  const int pairs = ring.pairs();
  const auto load = [&](int r) {
    Coefficient* row = ring.at(r);
    rows.read_picture(r, ring.low(row), ring.high(row));
    ring.mirror_both(row);
  };
  const auto lift = [&](int step, int pair, int first) {
    const int r = 2 * pair + step % 2;
    if (pair < std::max(first, 0) || pair >= pairs) return;
    Coefficient* row = ring.at(r);
    lift_9_7_along(step, false, ring.split(row), ring.split(ring.at(r - 1)), ring.split(ring.at(r + 1)),
                   slopes.row(r), ring.half);
    ring.mirror_both(row);
  };
  const auto finish = [&](Coefficient* row, int band, int pair) {
    Coefficient* s = ring.low(row);
    Coefficient* t = ring.high(row);
    lift_9_7_row(false, s, t, ring.half);
    rows.write_band(band, pair, s, kAllBlocks);
    rows.write_band(band + 1, pair, t, kAllBlocks);
  };
  const auto lift_due = [&](int k) { forward_steps_9_7(k, begin, lift); };
  forward_cascade_9_7(begin, end, pairs, load, lift_due, [&](int i) {
    finish(ring.even(i), 0, i);
    // Step 4 of the next pair still needs the odd row unchanged.
    std::copy_n(ring.odd(i), ring.width(), ring.spare());
    finish(ring.spare(), 2, i);
  });
}

void Wavelet::inverse_piece_along(const Ring& ring, int begin, int end, SlopeView slopes,
                                  WaveletRows& rows) const {
  const int pairs = ring.pairs();
  const auto load = [&](Coefficient* row, int band, int pair) {
    Coefficient* s = ring.low(row);
    Coefficient* t = ring.high(row);
    rows.read_band(band, pair, s, kAllBlocks);
    rows.read_band(band + 1, pair, t, kAllBlocks);
    lift_9_7_row(true, s, t, ring.half);
    ring.mirror_both(row);
  };
  const auto lift = [&](int step, int pair, int first) {
    const int r = 2 * pair + step % 2;
    if (pair < std::max(first, 0) || pair >= pairs) return;
    Coefficient* row = ring.at(r);
    lift_9_7_along(step, true, ring.split(row), ring.split(ring.at(r - 1)), ring.split(ring.at(r + 1)),
                   slopes.row(r), ring.half);
    ring.mirror_both(row);
  };
  for (int k = std::max(begin - kReach97, 0); k < end + kReach97; ++k) {
    if (k < pairs) {
      load(ring.even(k), 0, k);
      load(ring.odd(k), 2, k);
    }
    lift(4, k, begin - 1);
    lift(3, k - 1, begin - 1);
    lift(2, k - 1, begin);
    lift(1, k - 2, begin);
    if (k - 2 < begin) continue;
    for (int r = 2 * (k - 2); r < 2 * (k - 2) + 2; ++r) {
      rows.write_picture(r, ring.low(ring.at(r)), ring.high(ring.at(r)), kAllBlocks);
    }
  }
}

}  // namespace ctv

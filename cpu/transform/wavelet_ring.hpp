// SPDX-License-Identifier: BSD-3-Clause
// The rows of a wavelet scale that are being lifted.
#pragma once

#include <algorithm>

#include "codec/dsp/mirror.hpp"
#include "cpu/transform/lift_9_7.hpp"
#include "cpu/transform/wavelet.hpp"

namespace ctv {

inline constexpr int kRing = 4;         // row pairs, a power of two
inline constexpr int kMargin = kBlock;  // elements around each half of a row
inline constexpr int kReach97 = 2;      // row pairs that the 9/7 needs beyond a range

/// mirror() without division, for positions up to 3 outside.
inline int mirror_near(int i, int n) {
  if (n < 4) return mirror(i, n);
  return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
}

inline int half_stride(int half) { return round_up(half, kBlock) + 2 * kMargin; }

// The rows in the ring. Each is [margin | even columns, later lowpass | margin | margin | odd columns, later
// highpass | margin]. Row pair k is in slot k modulo kRing.
struct Wavelet::Ring {
  Coefficient* data;
  BlockMask* masks;  // per row, for either half
  Extent picture;
  int half;  // columns of each half
  int stride;
  std::span<const BlockMask> wanted;  // inverse: per row pair; empty: all

  int pairs() const { return picture.rows / 2; }
  int width() const { return 2 * stride; }
  Coefficient* slot(int i) const { return data + static_cast<ptrdiff_t>(i) * width(); }
  Coefficient* even(int k) const { return slot(2 * k & (2 * kRing - 1)); }
  Coefficient* odd(int k) const { return slot((2 * k & (2 * kRing - 1)) + 1); }
  Coefficient* spare() const { return slot(2 * kRing); }
  /// The row at position r, mirrored at the borders. Even r are even rows.
  Coefficient* at(int r) const { return slot(slot_at(r)); }
  BlockMask& mask(int r) const { return masks[slot_at(r)]; }
  BlockMask wanted_of(int r) const {
    return wanted.empty() ? kAllBlocks : wanted[static_cast<size_t>(r / 2)];
  }
  int slot_at(int r) const {
    if (r < 0 || r >= picture.rows) r = mirror(r, picture.rows);  // divides
    return r & (2 * kRing - 1);
  }
  /// Calls code(first, n) for each half of a row.
  template <typename Code>
  void for_halves(Code code) const {
    code(kMargin, half);
    code(stride + kMargin, half);
  }
  Coefficient* low(Coefficient* row) const { return row + kMargin; }
  Coefficient* high(Coefficient* row) const { return row + stride + kMargin; }
  SplitRow split(Coefficient* row) const { return {low(row), high(row)}; }
  void mirror_even(Coefficient* s) const {
    for (const int p : {-2, 2 * half}) s[p / 2] = s[mirror_near(p, 2 * half) / 2];
  }
  void mirror_odd(Coefficient* t) const {
    for (const int p : {-1, 2 * half + 1}) t[(p - 1) / 2] = t[(mirror_near(p, 2 * half) - 1) / 2];
  }
  /// Mirrors the columns that steps along slopes need.
  void mirror_both(Coefficient* row) const {
    const auto at = [&](int p) -> Coefficient& {
      Coefficient* const columns = (p & 1) != 0 ? high(row) : low(row);
      return columns[p >>
                     1];  // two expressions: in one, gcc 12 with -fsanitize=shift takes p as uninitialised
    };
    for (int i = 1; i <= kSlopeReach; ++i) {
      for (const int p : {-i, 2 * half - 1 + i}) at(p) = at(mirror(p, 2 * half));
    }
  }
};

/// Lifts row pairs begin .. end - 1 forward. Each step of the 9/7 reads one row above and below, so the four
/// steps form a cascade, and a range needs two more pairs at either end. load(row) fills a row, lift(k) does
/// the steps due when pair k is in the ring, finish(pair) takes a complete pair.
template <typename Load, typename Lift, typename Finish>
void forward_cascade_9_7(int begin, int end, int pairs, Load load, Lift lift, Finish finish) {
  for (int k = std::max(begin - kReach97, 0); k < end + kReach97; ++k) {
    if (k < pairs) {
      load(2 * k);
      load(2 * k + 1);
    }
    lift(k);
    if (k - 2 >= begin) finish(k - 2);
  }
}
/// Step 1 is due on odd row k - 1, step 2 on even row k - 1, step 3 on odd row k - 2, and step 4 on even row
/// k - 2, which is then complete. lift(step, pair, first) does a step unless the pair is before `first` or
/// outside the picture.
template <typename Lift>
void forward_steps_9_7(int k, int begin, Lift lift) {
  lift(1, k - 1, begin - 2);
  lift(2, k - 1, begin - 1);
  lift(3, k - 2, begin - 1);
  lift(4, k - 2, begin);
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The loop filter reduces quantisation noise of decoded samples. Normative, except for the encoder's
// decision. Twelve neighbours pull the sample towards themselves, each by at most `bound`, which preserves
// edges. Their weights depend on the class of the sample: the direction of least change around it, how clear
// that direction is, and how strong the change is relative to the step. The adaptive loop filter of H.266 is
// similar but sends its weights; these are trained and fixed.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr int kFilterReach = 2;  // samples to each side
inline constexpr int kFilterBits = 7;   // fraction bits of the weights
inline constexpr int kMostFilterBound = 32;
inline constexpr int kFilterPairs = 6;     // neighbours on opposite sides share a weight
inline constexpr int kFilterClasses = 64;  // 16 x strength + 4 x clarity + direction
inline constexpr int kFilterTables = 4;    // luma of key frames, of predicted frames; chroma of both

/// One neighbour of each pair; the other is opposite.
struct FilterPair {
  int y, x;
};
inline constexpr FilterPair kFilterNeighbours[kFilterPairs] = {{0, 1},  {1, 0}, {1, 1},
                                                               {1, -1}, {0, 2}, {2, 0}};

/// Parameters of the filter for a plane of a frame. It works on samples >> down.
struct LoopFilter {
  int8_t down = 0;
  int16_t bound = 0;       // samples
  int16_t strengths[3]{};  // thresholds of the strength: sums of differences
  int8_t table = 0;        // index of the weights
  friend bool operator==(const LoopFilter&, const LoopFilter&) = default;
};

/// The largest step, in sixteenths, at which the filter works on samples of more than 8 bits.
inline constexpr uint32_t kMostFineStep = 1024;
inline constexpr int kMostFineBits = 2;  // beyond 8: sums of differences fit in 15 bits

/// base_step: sixteenths of a sample of 8 bits. shift: bits of a sample beyond 8.
CTV_HOST_DEVICE LoopFilter loop_filter(uint32_t base_step, bool key, bool chroma, int shift) {
  int fine = min_of(shift, kMostFineBits);  // bits beyond 8 that the filter uses
  while (fine > 0 && base_step << fine > kMostFineStep) --fine;
  const int own_step = static_cast<int>(base_step << fine);
  const int step = min_of(own_step, 16384);  // sums of differences are smaller, but for the coarsest steps
  const int bound = max_of(key ? 0 : 1, (own_step + 64) >> 7);
  return {static_cast<int8_t>(shift - fine),
          static_cast<int16_t>(min_of(bound, kMostFilterBound)),
          {static_cast<int16_t>(step >> 3), static_cast<int16_t>(3 * step >> 3), static_cast<int16_t>(step)},
          static_cast<int8_t>((chroma ? 2 : 0) + (key ? 0 : 1))};
}

CTV_HOST_DEVICE int16_t filter_difference(int16_t a, int16_t b) {
  return static_cast<int16_t>(max_of(a, b) - min_of(a, b));
}
/// The class of a sample. Arguments: for each direction, the sum of absolute differences of opposite
/// neighbours over the sample and its eight neighbours. Directions: horizontal, vertical, falling (upper left
/// to lower right), rising (lower left to upper right).
CTV_HOST_DEVICE int16_t filter_class(const LoopFilter& f, int16_t across, int16_t down, int16_t falling,
                                     int16_t rising) {
  const auto fall = static_cast<int16_t>(falling - (falling >> 2));  // diagonal neighbours are further away
  const auto rise = static_cast<int16_t>(rising - (rising >> 2));
  const int16_t straight = filter_difference(across, down);
  const int16_t diagonal = filter_difference(fall, rise);
  const auto total = static_cast<int16_t>(across + down);
  const int16_t most = max_of(straight, diagonal);
  const auto eighth = static_cast<int16_t>(total >> 3);  // 16 bits, which keeps the loop's vectors narrow
  const auto quarter = static_cast<int16_t>(total >> 2);
  const auto half = static_cast<int16_t>(total >> 1);
  const int16_t axis = across > down ? 1 : 0;
  const int16_t slanted = fall > rise ? 3 : 2;
  int16_t at = diagonal > straight ? slanted : axis;
  at = static_cast<int16_t>(at + (most > eighth ? 4 : 0));
  at = static_cast<int16_t>(at + (most > quarter ? 4 : 0));
  at = static_cast<int16_t>(at + (most > half ? 4 : 0));
  at = static_cast<int16_t>(at + (total > f.strengths[0] ? 16 : 0));
  at = static_cast<int16_t>(at + (total > f.strengths[1] ? 16 : 0));
  at = static_cast<int16_t>(at + (total > f.strengths[2] ? 16 : 0));
  return at;
}

/// Sum of the clipped differences of two opposite neighbours and the sample.
CTV_HOST_DEVICE int16_t filter_pull(int16_t a, int16_t b, int16_t sample, int16_t bound) {
  const auto lo = static_cast<int16_t>(-bound);
  const int16_t first =
      min_of(max_of(static_cast<int16_t>(a - sample), lo), bound);  // compiles to two instructions
  const int16_t second = min_of(max_of(static_cast<int16_t>(b - sample), lo), bound);
  return static_cast<int16_t>(first + second);
}
/// The correction of a sample >> down. sum: of pulls times weights, within 15 bits.
CTV_HOST_DEVICE int16_t filter_correction(int16_t sum) {
  return static_cast<int16_t>((sum + (1 << (kFilterBits - 1))) >> kFilterBits);
}

/// Rows that the encoder's decision measures, which is not normative: the middle half of the rows of each
/// cell, or all if there are at most two.
CTV_HOST_DEVICE bool filter_decides(int row, int cell_rows) {
  const int at = row % cell_rows;
  return cell_rows <= 2 || (at >= cell_rows / 4 && at < cell_rows / 4 * 3);
}
/// Squared errors before and after the filter.
struct FilterGain {
  int before = 0, after = 0;
  /// error: the source minus the sample, both >> down.
  CTV_HOST_DEVICE void add(int error, int correction) {
    const auto left =
        static_cast<int16_t>(error - correction);  // 16 bits, so that loops multiply and add pairs
    before += error * error;
    after += left * left;
  }
  /// Negative if the filter helps. It must reduce the error by a 128th, because later frames lose the
  /// smoothed detail, too.
  CTV_HOST_DEVICE int64_t change() const { return 129 * int64_t{after} - 128 * int64_t{before}; }
};

}  // namespace ctv

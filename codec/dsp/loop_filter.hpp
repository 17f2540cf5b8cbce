// SPDX-License-Identifier: BSD-3-Clause
// The loop filter: takes some of the quantiser's noise off a decoded sample. Normative, but for the choice.
// Each of twelve neighbours pulls the sample towards itself, but no stronger than `bound`, so that edges
// stay.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr int kFilterReach = 2;  // samples to each side
inline constexpr int kFilterBits = 7;   // of the weights' fraction
inline constexpr int kMostFilterBound = 32;

/// The filter of a plane of a frame.
struct LoopFilter {
  int16_t bound = 1;                        // samples
  int16_t near = 0, diagonal = 0, far = 0;  // weights of neighbours at distance 1, on the diagonal, at 2
  friend bool operator==(const LoopFilter&, const LoopFilter&) = default;
};

/// Weights were fitted to the errors of decoded pictures (docs/compression.md). Key frames are fine, and
/// their luma has texture that the filter would take away.
CTV_HOST_DEVICE LoopFilter loop_filter(uint32_t base_step, bool key, bool chroma) {
  const auto bound =
      static_cast<int16_t>(clamp_to((static_cast<int>(base_step) + 128) >> 8, 1, kMostFilterBound));
  if (chroma) return key ? LoopFilter{bound, 15, 8, 8} : LoopFilter{bound, 14, 9, 12};
  return key ? LoopFilter{bound, 0, 0, 0} : LoopFilter{bound, 18, 5, 9};
}

/// How far a neighbour pulls. Neither is beyond 14 bits.
CTV_HOST_DEVICE int16_t filter_pull(int16_t neighbour, int16_t sample, int16_t bound) {
  const auto difference = static_cast<int16_t>(neighbour - sample);
  return min_of(max_of(difference, static_cast<int16_t>(-bound)), bound);  // two instructions
}

/// What is added to a sample. The arguments: sums of four pulls each.
CTV_HOST_DEVICE int16_t filter_correction(const LoopFilter& f, int16_t near, int16_t diagonal, int16_t far) {
  const auto sum =
      static_cast<int16_t>(near * f.near + diagonal * f.diagonal + far * f.far + (1 << (kFilterBits - 1)));
  return static_cast<int16_t>(sum >> kFilterBits);
}
/// The same for the sample at(0, 0) among its neighbours at(dy, dx).
template <typename At>
CTV_HOST_DEVICE int16_t filter_correction_of(const LoopFilter& f, At at) {
  const int16_t sample = at(0, 0);
  const auto pulls = [&](int ay, int ax, int by, int bx) {
    return static_cast<int16_t>(
        filter_pull(at(ay, ax), sample, f.bound) + filter_pull(at(-ay, -ax), sample, f.bound) +
        filter_pull(at(by, bx), sample, f.bound) + filter_pull(at(-by, -bx), sample, f.bound));
  };
  return filter_correction(f, pulls(0, 1, 1, 0), pulls(1, 1, 1, -1), pulls(0, 2, 2, 0));
}

/// The encoder's decision, which is not normative: squared errors before the filter and after it.
struct FilterGain {
  int before = 0, after = 0;
  /// error: the source minus the sample.
  CTV_HOST_DEVICE void add(int error, int correction) {
    before += error * error;
    after += (error - correction) * (error - correction);
  }
  /// Negative if the filter helps. What it smooths is lost for later frames too, so it must gain a 128th.
  CTV_HOST_DEVICE int64_t change() const { return 129 * int64_t{after} - 128 * int64_t{before}; }
};

}  // namespace ctv

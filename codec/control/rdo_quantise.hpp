// SPDX-License-Identifier: BSD-3-Clause
// Rate-distortion optimised quantisation (RDOQ), a decision of the encoder. Both backends compile these
// formulas. Not normative.
#pragma once

#include "codec/dsp/quantise.hpp"
#include "codec/util/host_device.hpp"

#include <cstdint>

namespace ctv {

/// With zero activity, the rounding offset of a coefficient is reduced by this many 65536ths of a step. The
/// reduction halves with each 32 units of activity.
inline constexpr uint32_t kQuietReduction = 28000;
inline constexpr uint32_t kLog2ActivityHalving = 5;
inline constexpr uint32_t kMostActivity = 16;   // of one coefficient
inline constexpr uint32_t kBesideWeight = 3;    // for the four neighbours in the row and the column
inline constexpr uint32_t kDiagonalWeight = 2;  // for the four diagonal neighbours

/// Contribution of a coefficient to the activity: its magnitude in eighths of a step, minus one, clamped.
CTV_HOST_DEVICE uint16_t activity_of(int c, uint32_t multiplier) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -c : c);
  const int less =
      static_cast<int>(magnitude * multiplier - (1U << 13)) >> 13;  // both factors are at most 2^31
  return static_cast<uint16_t>(clamp_to(less, 0, static_cast<int>(kMostActivity)));
}

/// quantise() with a smaller rounding offset where activity is low: a nonzero level costs many bits there,
/// and magnitudes are more often below their level than above. activity: weighted sum of activity_of() of the
/// neighbours in the subband. It depends on coefficients only, so all decisions are independent.
CTV_HOST_DEVICE Level quantise_rdo(int c, uint32_t multiplier, uint32_t offset, uint32_t activity) {
  constexpr uint32_t kHalving = 1U << kLog2ActivityHalving;
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -c : c);
  const uint32_t reduction =  // exponential, linear between the halvings
      kQuietReduction * (2 * kHalving - activity % kHalving) / (2 * kHalving) >>
      (activity >> kLog2ActivityHalving);
  const uint32_t sum = magnitude * multiplier + offset;
  const int level = static_cast<int>((max_of(sum, reduction) - reduction) >> 16);
  return static_cast<Level>(c < 0 ? -level : level);
}

/// Whether quantise_rdo() applies: neither to the lowpass nor to steps of one unit.
CTV_HOST_DEVICE bool decides_by_rate(int layer, const SubbandQuantiser& quantiser) {
  return layer > 0 && quantiser.step > kMinStep;
}

}  // namespace ctv

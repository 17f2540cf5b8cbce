// SPDX-License-Identifier: BSD-3-Clause
// Rate-distortion optimised quantisation (RDOQ), a decision of the encoder. Both backends compile these
// formulas. Not normative.
#pragma once

#include "codec/dsp/quantise.hpp"

#include <cstdint>

namespace ctv {

/// With all-zero neighbours the dead zone is this many 65536ths of a step wider. The addition halves with
/// each unit of activity.
inline constexpr uint32_t kDeadZoneGrowth = 19661;  // 0.3

/// Contribution of a coefficient to the activity of its neighbours.
CTV_HOST_DEVICE uint32_t activity_of(Coefficient c, uint32_t multiplier, uint32_t offset) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -static_cast<int>(c) : c);
  const uint32_t level = (magnitude * multiplier + offset) >> 16;
  return level < 2 ? level : 2;
}

/// quantise(), except that a level of +-1 barely above the threshold becomes 0 in quiet surroundings: there
/// it costs many bits and removes little error. activity: sum of activity_of() of the eight neighbours in the
/// subband, 0..16. So all coefficients are decided independently.
CTV_HOST_DEVICE Level quantise_rdo(Coefficient c, uint32_t multiplier, uint32_t offset, uint32_t activity) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -static_cast<int>(c) : c);
  const uint32_t sum = magnitude * multiplier + offset;
  const int level = sum < 65536 + (kDeadZoneGrowth >> activity) ? 0 : static_cast<int>(sum >> 16);
  return static_cast<Level>(c < 0 ? -level : level);
}

/// Whether quantise_rdo() applies: not to the lowpass, nor to lossless subbands.
CTV_HOST_DEVICE bool decides_by_rate(int layer, const SubbandQuantiser& quantiser) {
  return layer > 0 && quantiser.step > kMinStep;
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Rate-distortion optimised quantisation (RDOQ), an encoder's decision: both backends compile these formulas;
// decoders do not need them.
#pragma once

#include "codec/dsp/quantise.hpp"

#include <cstdint>

namespace ctv {

/// In silence the dead zone reaches so many 65536ths of a step further; half as far with each unit of
/// activity.
inline constexpr uint32_t kDeadZoneGrowth = 19661;  // 0.3

/// What a level adds to the activity around its neighbours.
CTV_HOST_DEVICE uint32_t activity_of(Coefficient c, uint32_t multiplier, uint32_t offset) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -static_cast<int>(c) : c);
  const uint32_t level = (magnitude * multiplier + offset) >> 16;
  return level < 2 ? level : 2;
}

/// quantise(), but a level of +-1 that is hardly one and stands in quiet surroundings becomes 0: there it
/// costs many bits and removes little error. activity: sum of activity_of() the eight neighbours in the
/// subband, 0..16, so that every coefficient's decision is independent of the others'.
CTV_HOST_DEVICE Level quantise_rdo(Coefficient c, uint32_t multiplier, uint32_t offset, uint32_t activity) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -static_cast<int>(c) : c);
  const uint32_t sum = magnitude * multiplier + offset;
  const int level = sum < 65536 + (kDeadZoneGrowth >> activity) ? 0 : static_cast<int>(sum >> 16);
  return static_cast<Level>(c < 0 ? -level : level);
}

/// Which subbands quantise_rdo() is for: not the lowpass, not those without loss.
CTV_HOST_DEVICE bool decides_by_rate(int layer, const SubbandQuantiser& quantiser) {
  return layer > 0 && quantiser.step > kMinStep;
}

}  // namespace ctv

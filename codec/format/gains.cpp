// SPDX-License-Identifier: BSD-3-Clause
// Gains are measured per band and direction. The pyramids are not orthonormal and their bands
// are not flat, so a direction's gain is not a constant times its band's. The table has integers only, so all
// encoders agree.
#include "codec/format/gains.hpp"

#include <algorithm>

#include "codec/format/gain_table.hpp"

namespace ctv {
uint32_t subband_gain(const TransformParameters& transform, const Subband& subband) {
  const PyramidTraits& pyramid = transform.pyramid_traits();
  const GainSet& gains = kGainSets[pyramid.gains + (transform.projection ? 1 : 0)];
  const bool lowpass = subband.scale == 0;
  const int scale = std::clamp(lowpass ? transform.scales : subband.scale, 1, kGainScales);
  const uint32_t* row = kBandGains[gains.bands][scale - 1];
  if (lowpass) return row[0];
  const uint32_t gain = row[subband.orientation == 3 ? 2 : 1];
  const int n = transform.directions_log2[static_cast<size_t>(scale - 1)];
  if (n == 0) return gain;
  const int band = std::max(subband.orientation, 1) - 1;
  const auto& directions =
      kDirectionGains[gains.directions + (std::min(scale, kDirectionGainScales) - 1) * pyramid.bands + band];
  const int column = (1 << n) - 2 + subband.direction;
  return (gain * directions[column] + 50) / 100;
}

uint32_t subband_weight(const TransformParameters& transform, const Subband& subband) {
  const uint32_t gain = subband_gain(transform, subband);
  return std::max(1U, ((1U << 24) + gain / 2) / gain);
}

}  // namespace ctv

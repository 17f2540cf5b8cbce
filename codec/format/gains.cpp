// SPDX-License-Identifier: BSD-3-Clause
// Gains are measured per band, number of taps and direction. The pyramids are not orthonormal and their bands
// are not flat, so a direction's gain is not a constant times its band's. The table has integers only, so all
// encoders agree.
#include "codec/format/gains.hpp"

#include <algorithm>

#include "codec/format/gain_table.hpp"

namespace ctv {
namespace {

constexpr uint32_t kOrthonormal = 4096;  // block transforms, with H.264's quantiser

int kind_of(const TransformParameters& t) {
  if (t.pyramid == Pyramid::kLaplacian) return t.projection ? 1 : 0;
  return 1 + static_cast<int>(t.pyramid);  // 5/3, 13/7, 9/7
}

int taps_row(int taps) { return taps >= 12 ? 4 : std::clamp(taps / 2 - 1, 0, 3); }

}  // namespace

uint32_t subband_gain(const TransformParameters& transform, const Subband& subband) {
  if (transform.kind != TransformKind::kContourlet) return kOrthonormal;
  const int kind = kind_of(transform);
  const bool lowpass = subband.scale == 0;
  const int scale = std::clamp(lowpass ? transform.scales : subband.scale, 1, kGainScales);
  const uint32_t* row = kBandGains[kind][scale - 1];
  if (lowpass) return row[0];
  const uint32_t gain = row[subband.orientation == 3 ? 2 : 1];
  const int n = transform.directions_log2[static_cast<size_t>(scale - 1)];
  if (n == 0) return gain;
  const int group = kind < 2 ? kind * 3 + std::min(scale, 3) - 1
                             : 6 + ((kind - 2) * 3 + std::min(scale, 3) - 1) * 3 + subband.orientation - 1;
  const int column = (1 << n) - 2 + subband.direction;
  return (gain * kDirectionGains[group][taps_row(transform.taps)][column] + 50) / 100;
}

uint32_t subband_weight(const TransformParameters& transform, const Subband& subband) {
  const uint32_t gain = subband_gain(transform, subband);
  return std::max(1U, ((1U << 24) + gain / 2) / gain);
}

}  // namespace ctv

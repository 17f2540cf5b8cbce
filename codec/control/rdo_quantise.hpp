// SPDX-License-Identifier: BSD-3-Clause
// Rate-distortion optimised quantisation (RDOQ), a decision of the encoder. Both backends compile these
// formulas. Not normative.
#pragma once

#include "codec/dsp/quantise.hpp"
#include "codec/format/frame_parameters.hpp"
#include "codec/format/subband_layout.hpp"

#include <array>
#include <cstdint>

namespace ctv {

/// With nothing around it a coefficient's dead zone is this many 65536ths of a step wider. The addition
/// halves with each four units of weighted activity.
inline constexpr uint32_t kDeadZoneGrowth = 22938;  // 0.35
inline constexpr uint32_t kBesideWeight = 5;        // the four neighbours in the row and the column
inline constexpr uint32_t kDiagonalWeight = 3;      // the other four
inline constexpr uint32_t kSiblingWeight = 4;       // the same place in each sibling

/// The least magnitudes that the plain quantiser gives levels of 1 and of 2; above 32768 there are none.
struct LevelThresholds {
  uint16_t one, two;
};
inline LevelThresholds level_thresholds(const SubbandQuantiser& q) {
  const auto least = [&](uint32_t level) {
    const uint32_t magnitude = (level * 65536 - q.rounding_offset + q.multiplier - 1) / q.multiplier;
    return static_cast<uint16_t>(magnitude < 65535 ? magnitude : 65535);
  };
  return {least(1), least(2)};
}

/// Contribution of a coefficient to the activity around it: its level, at most 2.
CTV_HOST_DEVICE uint16_t activity_of(Coefficient c, LevelThresholds least) {
  const auto magnitude = static_cast<uint16_t>(c < 0 ? -c : c);
  return static_cast<uint16_t>((magnitude >= least.one ? 1 : 0) + (magnitude >= least.two ? 1 : 0));
}

/// quantise(), except that a level of +-1 barely above the threshold becomes 0 in quiet surroundings: there
/// it costs many bits and removes little error. activity: weighted sum of activity_of() of the neighbours in
/// the subband and of the siblings, 0..80. So all coefficients are decided independently.
CTV_HOST_DEVICE Level quantise_rdo(Coefficient c, uint32_t multiplier, uint32_t offset, uint32_t activity) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -static_cast<int>(c) : c);
  const uint32_t sum = magnitude * multiplier + offset;
  const uint32_t growth = kDeadZoneGrowth >> ((activity + 2) / 4);
  const int level = sum < 65536 + growth ? 0 : static_cast<int>(sum >> 16);
  return static_cast<Level>(c < 0 ? -level : level);
}

/// Whether quantise_rdo() applies: not to the lowpass, nor to lossless subbands.
CTV_HOST_DEVICE bool decides_by_rate(int layer, const SubbandQuantiser& quantiser) {
  return layer > 0 && quantiser.step > kMinStep;
}

/// Of predicted frames, the nearest subbands of the same layer and extent, at most two: other directions of
/// the same place. In key frames they would keep noise and cost bits.
struct Siblings {
  int count = 0;
  std::array<int, 2> subbands{};
};
inline Siblings siblings_of(const SubbandLayout& layout, FrameType type, int i) {
  const auto& all = layout.subbands;
  const Subband& own = all[static_cast<size_t>(i)];
  Siblings siblings;
  if (type == FrameType::kKey) return siblings;
  for (const int k : {i - 1, i + 1, i - 2, i + 2}) {
    if (siblings.count == 2 || k < 0 || k >= static_cast<int>(all.size())) continue;
    const Subband& s = all[static_cast<size_t>(k)];
    if (s.layer != own.layer || s.rows != own.rows || s.cols != own.cols) continue;
    siblings.subbands[static_cast<size_t>(siblings.count++)] = k;
  }
  return siblings;
}

}  // namespace ctv

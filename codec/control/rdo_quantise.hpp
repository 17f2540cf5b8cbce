// SPDX-License-Identifier: BSD-3-Clause
// Rate-distortion optimised quantisation (RDOQ), a decision of the encoder. Both backends compile these
// formulas. Not normative.
#pragma once

#include "codec/dsp/quantise.hpp"
#include "codec/format/frame_parameters.hpp"
#include "codec/format/subband_layout.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace ctv {

/// With zero activity, the rounding offset of a coefficient is reduced by this many 65536ths of a step. The
/// reduction halves with each 32 units of activity.
inline constexpr uint32_t kQuietReduction = 28000;
inline constexpr uint32_t kLog2ActivityHalving = 5;
inline constexpr uint32_t kMostActivity = 16;   // of one coefficient
inline constexpr uint32_t kBesideWeight = 3;    // for the four neighbours in the row and the column
inline constexpr uint32_t kDiagonalWeight = 2;  // for the four diagonal neighbours
inline constexpr uint32_t kSiblingWeight = 3;   // for the same position in each sibling

/// Contribution of a coefficient to the activity: its magnitude in eighths of a step, minus one, clamped.
CTV_HOST_DEVICE uint16_t activity_of(int c, uint32_t multiplier) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -c : c);
  const int less =
      static_cast<int>(magnitude * multiplier - (1U << 13)) >> 13;  // both factors are at most 2^31
  return static_cast<uint16_t>(clamp_to(less, 0, static_cast<int>(kMostActivity)));
}

/// quantise() with a smaller rounding offset where activity is low: a nonzero level costs many bits there,
/// and magnitudes are more often below their level than above. activity: weighted sum of activity_of() of the
/// neighbours in the subband and in the siblings. It depends on coefficients only, so all decisions are
/// independent.
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

/// Rounding offsets for chroma of predicted frames. Chroma errors below a step accumulate from frame to
/// frame, mostly in coarse subbands: these round normally. The two finest layers round less, which
/// compensates the bits.
inline constexpr int kFineChromaLayers = 2;
inline constexpr uint32_t kCoarseChromaOffset = 26214;  // 0.40
inline constexpr uint32_t kFineChromaOffset = 19661;    // 0.30
inline void round_chroma(const SubbandLayout& layout, std::span<SubbandQuantiser> quantisers) {
  for (size_t i = 0; i < quantisers.size(); ++i) {
    const int layer = layout.subbands[i].layer;
    SubbandQuantiser& q = quantisers[i];
    if (layer == 0 || q.step == kMinStep) continue;
    q.plain = layer < layout.layers - kFineChromaLayers;
    q.rounding_offset = q.plain ? kCoarseChromaOffset : kFineChromaOffset;
  }
}

/// Whether quantise_rdo() applies: not to the lowpass, nor to lossless or plain subbands.
CTV_HOST_DEVICE bool decides_by_rate(int layer, const SubbandQuantiser& quantiser) {
  return layer > 0 && !quantiser.plain && quantiser.step > kMinStep;
}

/// In predicted frames, up to two nearest subbands of the same layer and extent: other directions at the same
/// position. In key frames they would keep noise and cost bits.
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

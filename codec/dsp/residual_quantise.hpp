// SPDX-License-Identifier: BSD-3-Clause
// Quantiser of the residual of predicted frames. Steps are in units of coefficients: 2^-kResidualFraction
// samples of 8 bits, or 2^(shift - kResidualFraction) samples of 8 + shift bits.
#pragma once

#include <cstdint>

#include "codec/dsp/dct.hpp"
#include "codec/dsp/quantise.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr uint32_t kLeastResidualStep = 2;
inline constexpr uint32_t kMostCoefficient = 32767;

/// base_step: sixteenths of a sample of 8 bits. weight: of the plane, in 4096ths. At most kMostCoefficient.
CTV_HOST_DEVICE uint32_t residual_step(uint32_t base_step, uint32_t weight) {
  constexpr int kShift = 4 - kResidualFraction + 12;
  const uint64_t step = (uint64_t{base_step} * weight + (1U << (kShift - 1))) >> kShift;
  return static_cast<uint32_t>(
      clamp_to<uint64_t>(step, uint64_t{kLeastResidualStep}, uint64_t{kMostCoefficient}));
}
/// The base step of chroma: finer where steps are coarse, since tints of whole blocks are seen.
CTV_HOST_DEVICE uint32_t chroma_base_step(uint32_t base_step) {
  constexpr uint32_t kKnee = 256;  // 16 samples of 8 bits
  return base_step <= kKnee ? base_step : kKnee + ((base_step - kKnee) >> 1);
}

/// Luma's step depends on the activity of the macroblock's prediction, which hides errors: it is multiplied
/// by (variance + 1)^(masking / 64) / 2^(masking / 8). In logarithms of 16 to an octave:
inline constexpr int kMostMask = 16;
inline constexpr int kMasks = 2 * kMostMask + 1;
/// sum, squares: of the 256 predicted samples >> shift and of their squares. Returns 0..kMasks - 1;
/// kMostMask: the step stays.
CTV_HOST_DEVICE int mask_of(uint32_t masking, uint32_t sum, uint32_t squares) {
  // None exceeds 255, so all products fit in 32 bits.
  const uint32_t activity = ((256 * squares - sum * sum) >> 16) + 1;
  const uint32_t octave = log2_of(activity);
  const auto quarters = static_cast<int>(octave << 2 | ((activity << 2 >> octave) & 3U));
  const int mask = (static_cast<int>(masking) * (quarters - 32) + 8) >> 4;
  return clamp_to(mask, -kMostMask, kMostMask) + kMostMask;
}
/// The least and the greatest mask that occur.
struct MaskRange {
  int least, most;
};
CTV_HOST_DEVICE MaskRange masks_of(uint32_t masking) {
  return {mask_of(masking, 0, 0), mask_of(masking, 128 * 255, 128 * 255 * 255)};
}
CTV_HOST_DEVICE uint32_t masked_step(uint32_t step, int mask) {
  constexpr uint16_t kFactors[kMasks] = {512,  535,  558,  583,  609,  636,  664,  693,  724,  756,  790,
                                         825,  861,  899,  939,  981,  1024, 1069, 1117, 1166, 1218, 1272,
                                         1328, 1387, 1448, 1512, 1579, 1649, 1722, 1798, 1878, 1961, 2048};
  const uint32_t masked = (step * kFactors[mask] + 512) >> 10;
  return clamp_to(masked, kLeastResidualStep, kMostCoefficient);
}

/// 65536 / step, rounded.
CTV_HOST_DEVICE uint32_t residual_reciprocal(uint32_t step) { return (65536 + step / 2) / step; }

/// offset: of rounding, in units. magnitude + offset and the reciprocal fit in 16 bits. Returns the level
/// times 2^kResidualLevelShift, and a fraction.
inline constexpr int kResidualLevelShift = 16;
CTV_HOST_DEVICE uint32_t scaled_residual(uint32_t magnitude, uint32_t offset, uint32_t reciprocal) {
  return (magnitude + offset) * reciprocal;
}
CTV_HOST_DEVICE uint32_t quantise_residual(uint32_t magnitude, uint32_t offset, uint32_t reciprocal) {
  return scaled_residual(magnitude, offset, reciprocal) >> kResidualLevelShift;
}
/// The magnitude of a coefficient; for every level.
CTV_HOST_DEVICE uint32_t dequantise_residual(uint32_t level, uint32_t step) {
  return min_of(level * step, kMostCoefficient);
}

}  // namespace ctv

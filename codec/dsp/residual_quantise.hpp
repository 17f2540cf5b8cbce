// SPDX-License-Identifier: BSD-3-Clause
// Quantiser of the residual of predicted frames. Steps are in units of coefficients: 2^-kResidualFraction
// samples.
#pragma once

#include <cstdint>

#include "codec/dsp/dct.hpp"
#include "codec/dsp/quantise.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr uint32_t kLeastResidualStep = 2;
inline constexpr uint32_t kMostCoefficient = 32767;

/// base_step: sixteenths of a sample. weight: of the plane, in 4096ths. At most kMostCoefficient.
CTV_HOST_DEVICE uint32_t residual_step(uint32_t base_step, uint32_t weight) {
  constexpr int kShift = 4 - kResidualFraction + 12;
  const uint64_t step = (uint64_t{base_step} * weight + (1U << (kShift - 1))) >> kShift;
  return static_cast<uint32_t>(
      clamp_to<uint64_t>(step, uint64_t{kLeastResidualStep}, uint64_t{kMostCoefficient}));
}
/// 65536 / step, rounded.
CTV_HOST_DEVICE uint32_t residual_reciprocal(uint32_t step) { return (65536 + step / 2) / step; }

/// offset: of rounding, in units. magnitude + offset and the reciprocal fit in 16 bits.
CTV_HOST_DEVICE uint32_t quantise_residual(uint32_t magnitude, uint32_t offset, uint32_t reciprocal) {
  return (magnitude + offset) * reciprocal >> 16;
}
/// The magnitude of a coefficient; for every level.
CTV_HOST_DEVICE uint32_t dequantise_residual(uint32_t level, uint32_t step) {
  return min_of(level * step, kMostCoefficient);
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Uniform quantiser with a dead zone, by multiplication and shift (as in H.264; Husemann et al. 2011). Steps
// are in sixteenths of a coefficient unit, kMinStep..kMaxStep.
#pragma once

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

#include <cstdint>

namespace ctv {

inline constexpr uint32_t kMinStep = 16;       // one coefficient unit, lossless
inline constexpr uint32_t kMaxStep = 1 << 20;  // larger than any coefficient
inline constexpr int kWeightOne = 4096;        // a subband weight of 1
inline constexpr int kMaxQp = 51;

/// Quantiser of one subband. Computed on the host, equal for all backends.
struct SubbandQuantiser {
  uint32_t step = kMinStep;            // sixteenths of a coefficient unit
  uint32_t multiplier = 1 << 16;       // 2^20 / step, rounded
  uint32_t rounding_offset = 0;        // 65536ths of a step, 0..32768
  uint32_t reconstruction_offset = 0;  // towards zero, sixteenths of a unit
};

/// Base step of a QP, in sixteenths of a sample: H.264's, which doubles every six QP.
constexpr int qp_step(int qp) {
  constexpr uint8_t kSixth[6] = {10, 11, 13, 14, 16, 18};
  return kSixth[qp % 6] << (qp / 6);
}

/// Step of a subband: base step (sixteenths of a sample) times weight (4096ths), in sixteenths of a unit.
CTV_HOST_DEVICE uint32_t subband_step(uint32_t base_step, uint32_t weight, int fraction_bits) {
  const uint64_t s =
      ((static_cast<uint64_t>(base_step) << fraction_bits) * weight + kWeightOne / 2) / kWeightOne;
  return s < kMinStep ? kMinStep : (s > kMaxStep ? kMaxStep : static_cast<uint32_t>(s));
}

CTV_HOST_DEVICE Level quantise(Coefficient c, uint32_t multiplier, uint32_t offset) {
  const uint32_t magnitude = static_cast<uint32_t>(c < 0 ? -static_cast<int>(c) : c);
  const int level = static_cast<int>((magnitude * multiplier + offset) >> 16);
  return static_cast<Level>(c < 0 ? -level : level);
}

/// Defined for every level, since damaged streams contain any: arithmetic wraps at 32 bits, the result is
/// clamped.
CTV_HOST_DEVICE Coefficient dequantise(Level level, uint32_t step, uint32_t reconstruction_offset) {
  const uint32_t magnitude = static_cast<uint32_t>(level < 0 ? -static_cast<int>(level) : level);
  const uint32_t units = level == 0 ? 0 : (magnitude * step - reconstruction_offset + 8) >> 4;
  const int c = static_cast<int>(units < 32767U ? units : 32767U);
  return static_cast<Coefficient>(level < 0 ? -c : c);
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Base steps that rate controllers compute, in sixteenths of a sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ctv {

inline constexpr uint16_t kFinestStep = 1;
inline constexpr uint16_t kCoarsestStep = 65535;

inline uint16_t to_step(double step) {
  return static_cast<uint16_t>(std::lround(std::clamp<double>(step, kFinestStep, kCoarsestStep)));
}

/// Rounds to one of 2^log2_number steps per octave, for the first try of a predicted frame. A device caches
/// work per step, so repeated steps are cheaper.
inline uint16_t to_usual_step(double step, int log2_number) {
  const double unit = std::max(1.0, std::ldexp(1.0, std::ilogb(step) - log2_number));
  return to_step(std::round(step / unit) * unit);
}

}  // namespace ctv

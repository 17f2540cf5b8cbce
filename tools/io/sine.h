// SPDX-License-Identifier: BSD-3-Clause
// Sine waves in integers, so that generated clips are the same on every machine.
#pragma once

#include <cstdint>

namespace ctv::tools {

inline constexpr int32_t kOne = 1 << 14;  // 1.0 of sines and scales

/// Sine of an angle in 65536ths of a turn, in units of 1 / kOne; a corrected parabola with an error of 0.1 %.
inline int32_t sine(int32_t angle) {
  const int32_t t = angle & 0x7fff;
  const int32_t parabola = (t * (0x8000 - t)) >> 14;
  const int32_t value = (parabola * (12698 + ((3686 * parabola) >> 14))) >> 14;
  return (angle & 0x8000) != 0 ? -value : value;
}

inline int32_t cosine(int32_t angle) { return sine(angle + 0x4000); }

}  // namespace ctv::tools

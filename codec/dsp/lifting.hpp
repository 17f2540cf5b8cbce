// SPDX-License-Identifier: BSD-3-Clause
// Lifting steps of the reversible 5/3 and 9/7 wavelets. s: even samples, t: odd samples. Each step adds
// a rounded sum of the other half, so the inverse subtracts the same integers and is exact.
//   forward:  t -= predict(s around t);  s += update(t around s)        inverse: reverse order and signs
// The 9/7 has two such pairs. Its steps always add; the constants contain the signs.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv {

/// 5/3: s0 t s1.
CTV_HOST_DEVICE int predict_5_3(int s0, int s1) { return (s0 + s1) >> 1; }
/// 5/3: t0 s t1.
CTV_HOST_DEVICE int update_5_3(int t0, int t1) { return (t0 + t1 + 2) >> 2; }

/// 9/7 (Daubechies and Sweldens 1998): s0 t s1, then t0 s t1, twice. Constants in 128ths and 4096ths.
inline constexpr int kPredictBits97 = 7;
inline constexpr int kUpdateBits97 = 12;
inline constexpr int kPredictFirst97 = -203;
inline constexpr int kUpdateFirst97 = -217;
inline constexpr int kPredictSecond97 = 113;
inline constexpr int kUpdateSecond97 = 1817;
CTV_HOST_DEVICE int predict_9_7_first(int s0, int s1) {
  return (kPredictFirst97 * (s0 + s1) + 64) >> kPredictBits97;
}
CTV_HOST_DEVICE int update_9_7_first(int t0, int t1) {
  return (kUpdateFirst97 * (t0 + t1) + 2048) >> kUpdateBits97;
}
CTV_HOST_DEVICE int predict_9_7_second(int s0, int s1) {
  return (kPredictSecond97 * (s0 + s1) + 64) >> kPredictBits97;
}
CTV_HOST_DEVICE int update_9_7_second(int t0, int t1) {
  return (kUpdateSecond97 * (t0 + t1) + 2048) >> kUpdateBits97;
}

/// Directional lifting: interpolates between the third and the fourth of six samples.
CTV_HOST_DEVICE int half_sample(int x0, int x1, int x2, int x3, int x4, int x5) {
  return static_cast<int16_t>((x0 + x5 - 5 * (x1 + x4) + 20 * (x2 + x3) + 16) >> 5);
}

/// The lowpass of the 5/3 has gain 1, that of the 9/7 about 1.2302 per direction. A picture of resolution
/// 2^-reduction is a lowpass, so it is scaled by this factor (2^-14ths) before rounding to samples.
inline constexpr int kUnitScale = 1 << 14;
CTV_HOST_DEVICE int lowpass_scale_9_7(int reduction) {
  int scale = kUnitScale;
  for (int i = 0; i < reduction; ++i) scale = (scale * 10826 + kUnitScale / 2) >> 14;
  return scale;
}
CTV_HOST_DEVICE int scale_lowpass(int x, int scale) { return (x * scale + kUnitScale / 2) >> 14; }

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// How much finer key frames are quantised than predicted ones. Static areas keep the quality of the key
// frame, so finer key frames pay off more, the more frames follow.
#pragma once

#include <cstdint>

namespace ctv {

struct KeyGain {
  uint16_t step = 256;  // of key frames, in 256ths of the step of predicted frames
  double psnr = 0;      // of key frames, in dB above predicted frames
};

inline constexpr int kLongRun = 30;  // frames

/// Finer quantisation of key frames: by 3.5 steps of qp, or 7 if they are at least kLongRun frames apart
/// (measured). key_interval 0: no further key frames.
constexpr KeyGain key_gain(int key_interval) {
  if (key_interval == 1) return {};
  return key_interval == 0 || key_interval >= kLongRun ? KeyGain{114, 3} : KeyGain{171, 2};
}

}  // namespace ctv

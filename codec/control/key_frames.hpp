// SPDX-License-Identifier: BSD-3-Clause
// Decides which frames are key frames: the first, one each interval, those at scene cuts, and those asked
// for.
#pragma once

#include <cstdint>

#include "codec/control/scene_cut.hpp"
#include "codec/format/frame_parameters.hpp"

namespace ctv {

class KeyFrames {
 public:
  /// interval: frames from one key frame to the next at most; 0: no limit.
  KeyFrames(int interval, bool scene_cuts) : interval_(interval), scene_cuts_(scene_cuts) {}

  /// The next frame will be a key frame.
  void request() { requested_ = true; }
  FrameType next(const ctv_picture& picture) {
    if (scene_cuts_ && scenes_.is_cut(picture)) requested_ = true;
    if (requested_ || (interval_ > 0 && since_key_ >= interval_)) since_key_ = 0;
    requested_ = false;
    return since_key_++ == 0 ? FrameType::kKey : FrameType::kPredicted;
  }
  /// The frame of the last next() became a key frame after all.
  void restart() { since_key_ = 1; }

 private:
  int interval_;
  bool scene_cuts_;
  bool requested_ = true;
  int64_t since_key_ = 0;
  SceneCutDetector scenes_;
};

}  // namespace ctv

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
  /// interval: frames from one key frame to the next at most; 0: no limit. distance: least frames from one
  /// key frame to one that is requested.
  KeyFrames(int interval, int distance, bool scene_cuts)
      : interval_(interval), distance_(distance), scene_cuts_(scene_cuts) {}

  /// One of the next frames will be a key frame, as soon as the distance allows.
  void request() { requested_ = true; }
  /// The next frame will be a key frame.
  void force() { forced_ = true; }
  FrameType next(const ctv_picture& picture) {
    if (scene_cuts_ && scenes_.is_cut(picture)) forced_ = true;
    const bool due = interval_ > 0 && since_key_ >= interval_;
    if (forced_ || due || (requested_ && since_key_ >= distance_)) {
      since_key_ = 0;
      forced_ = requested_ = false;
    }
    return since_key_++ == 0 ? FrameType::kKey : FrameType::kPredicted;
  }
  /// The frame of the last next() became a key frame after all.
  void restart() { since_key_ = 1; }

 private:
  int interval_, distance_;
  bool scene_cuts_;
  bool requested_ = false, forced_ = true;
  int64_t since_key_ = 0;
  SceneCutDetector scenes_;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Decides which frames are key frames: the first, one per interval, those at scene cuts, and requested ones.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codec/control/scene_cut.hpp"
#include "codec/format/frame_parameters.hpp"

namespace ctv {

class KeyFrames {
 public:
  /// interval: largest distance of key frames; 0: no limit. distance: least distance from a key frame to a
  /// requested one.
  KeyFrames(int interval, int distance, bool scene_cuts)
      : interval_(static_cast<uint64_t>(interval)),
        distance_(static_cast<uint64_t>(distance)),
        scene_cuts_(scene_cuts) {}

  /// Requests a key frame as soon as the distance allows.
  void request() { requested_ = true; }
  /// Makes the next frame a key frame.
  void force() { forced_ = true; }
  /// The type of frame number `frame`; numbers must increase.
  FrameType next(const ctv_picture& picture, uint64_t frame) {
    if (scene_cuts_ && scenes_.is_cut(picture)) forced_ = true;
    const uint64_t since = frame - last_;
    const bool due = interval_ > 0 && since >= interval_;
    if (!forced_ && !due && !(requested_ && since >= distance_)) return FrameType::kPredicted;
    last_ = frame;
    forced_ = requested_ = false;
    return FrameType::kKey;
  }
  /// Reports that a frame of an earlier next() was coded as a key frame.
  void made(uint64_t frame) { last_ = std::max(last_, frame); }

 private:
  uint64_t interval_, distance_;
  bool scene_cuts_;
  bool requested_ = false, forced_ = true;
  uint64_t last_ = 0;  // number of the last key frame
  SceneCutDetector scenes_;
};

}  // namespace ctv

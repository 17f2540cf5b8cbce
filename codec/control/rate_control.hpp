// SPDX-License-Identifier: BSD-3-Clause
// Chooses each frame's base step so that packets get the sizes that were asked for. A frame is quantised and
// coded again with another step until its size fits: the transform is cheap, and a size that is met needs no
// prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/format/coded_frame.hpp"
#include "codec/util/status.hpp"

namespace ctv {

struct RateTarget {
  int64_t bitrate = 0;          // bits per second; 0: none
  int buffer_ms = 1000;         // with bitrate: what a receiver may hold
  int64_t max_frame_bytes = 0;  // no packet is larger; 0: none
};

class RateControl {
 public:
  /// key_interval 0: never.
  RateControl(const RateTarget& target, double fps, int key_interval);

  void set_target(const RateTarget& target);
  /// False: sizes do not matter, every frame gets its own step at once.
  bool active() const { return target_.bitrate > 0 || target_.max_frame_bytes > 0; }

  /// The step to try first. `own_step`: what the quantiser setting alone would give this frame.
  uint16_t begin(FrameType type, uint16_t own_step);
  /// The frame took `bytes` with `step`: another step to try, or nothing if this size is the frame's.
  std::optional<uint16_t> again(uint16_t step, size_t bytes);
  /// The frame went out with `bytes`. Error if it is larger than the largest frame allowed: no step makes it
  /// fit.
  Status end(size_t bytes);

 private:
  double nominal(FrameType type) const;
  double average() const { return static_cast<double>(target_.bitrate) / 8 / fps_; }
  double limit() const;

  RateTarget target_;
  double fps_;
  int key_interval_;
  FrameType type_ = FrameType::kKey;
  uint16_t own_step_ = 16;
  struct Last {
    uint16_t step = 0;  // 0: none yet
    uint16_t own_step = 0;
  };
  Last last_[2];       // per frame type
  double wanted_ = 0;  // bytes for this frame, with bitrate
  double debt_ = 0;    // bytes spent beyond what was planned
  double buffer_ = 0;  // bytes that may be sent now
  int frames_ = 0;
  // The search: sizes fall as steps rise. The largest step known to be too fine and the least known to be too
  // coarse.
  int tries_ = 0;
  uint16_t step_ = 0;
  uint16_t too_fine_ = 0;
  double too_fine_bytes_ = 0;
  uint16_t fits_ = 0;  // 0: none yet
  double fits_bytes_ = 0;
};

}  // namespace ctv

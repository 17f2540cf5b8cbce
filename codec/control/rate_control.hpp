// SPDX-License-Identifier: BSD-3-Clause
// Chooses each frame's base step so that packets have the wanted sizes. A frame is quantised and coded again
// with other steps until its size fits, so no model of the size is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/format/frame_parameters.hpp"
#include "codec/util/status.hpp"

namespace ctv {

struct RateTarget {
  int64_t bitrate = 0;          // bits per second; 0: none
  int buffer_ms = 1000;         // with bitrate: the receiver's buffer
  int64_t max_frame_bytes = 0;  // largest packet; 0: none
};

class RateControl {
 public:
  /// key_interval: 0 for no further key frames.
  RateControl(const RateTarget& target, double fps, int key_interval);

  void set_target(const RateTarget& target);
  /// False: constant quantiser, no rate constraint.
  bool active() const { return target_.bitrate > 0 || target_.max_frame_bytes > 0; }

  /// Returns the step to try first. own_step: this frame's step without rate control.
  uint16_t begin(FrameType type, uint16_t own_step);
  /// Reports the size with `step`. Returns another step to try, or nothing to accept the size.
  std::optional<uint16_t> again(uint16_t step, size_t bytes);
  /// Ends the frame with `bytes`. Error if no step meets max_frame_bytes.
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
  double wanted_ = 0;  // with bitrate: bytes for this frame
  double debt_ = 0;    // bytes spent beyond the plan
  double buffer_ = 0;  // bytes that may be sent now
  int frames_ = 0;
  // Bounds of the search: the largest step known to be too fine, and the smallest known to be too coarse.
  int tries_ = 0;
  uint16_t step_ = 0;
  uint16_t too_fine_ = 0;
  double too_fine_bytes_ = 0;
  uint16_t fits_ = 0;  // 0: none yet
  double fits_bytes_ = 0;
};

}  // namespace ctv

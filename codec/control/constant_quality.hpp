// SPDX-License-Identifier: BSD-3-Clause
// Chooses each frame's base step so that luma's PSNR stays near a target. A frame with step s and P dB would
// have met T dB with the step s * 2^((P - T) / kSlope). Predicted frames take the mean of the logarithms of
// this step over the latest known frames. Key frames, on which all others depend, are coded again until they
// meet their target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "codec/control/key_gain.hpp"
#include "codec/control/rate_controller.hpp"

namespace ctv {

class ConstantQuality final : public RateController {
 public:
  /// The step of frame n depends on the errors of the last key frame and of frames up to n - kDelay only. So
  /// a device has work while the host waits, and the number of frames in flight changes nothing.
  static constexpr uint64_t kDelay = 4;

  /// samples: of a luma plane.
  ConstantQuality(size_t samples, const KeyGain& gain)
      : samples_(static_cast<double>(samples)), key_gain_(gain.psnr) {}

  /// crf: 0..51; negative: none. next: the next frame. Measurements survive a change of the target. Frames
  /// coded without one discard them, and later results of frames before them are ignored.
  void set_crf(double crf, uint64_t next);
  bool active() const { return crf_ >= 0; }
  /// Luma PSNR of predicted frames in dB.
  static double target(double crf) { return 55 - 5 * crf / 8; }

  /// Frames up to `frame` - kDelay must have been added.
  uint16_t begin(uint64_t frame, FrameType type) override;
  Feedback feedback() const override {
    return type_ == FrameType::kKey ? Feedback::kDistortion : Feedback::kNone;
  }
  std::optional<uint16_t> retry(uint16_t step, uint64_t sum) override;
  Status end(size_t bytes) override;
  /// Adds the squared error of a frame. Call it in the order of frames.
  void add(uint64_t frame, const FrameParameters& parameters, uint64_t sum);

 private:
  struct Finding {
    uint64_t frame = 0;
    double log_step = 0;
    double psnr = 0;
  };
  double psnr(uint64_t sum) const;
  double key_target() const { return target(crf_) + key_gain_; }
  double most_gap() const;
  double ideal(const Finding& finding, double target) const;
  std::optional<double> of_predicted(uint64_t frame) const;

  double samples_;
  double key_gain_;  // dB
  double crf_ = -1;
  uint64_t first_ = 0;                // first frame with a target
  std::optional<Finding> key_;        // of the last key frame
  std::deque<Finding> findings_;      // of later predicted frames, the latest last
  double gap_ = 0;                    // log2 of the latest ratio of predicted frames' to key frames' steps
  FrameType type_ = FrameType::kKey;  // of the current frame
  uint64_t frame_ = 0;                // current key frame, and its tries
  int tries_ = 0;
  Finding last_try_;
};

}  // namespace ctv

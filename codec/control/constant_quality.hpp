// SPDX-License-Identifier: BSD-3-Clause
// Chooses each frame's base step so that luma's PSNR stays near a target. A frame with step s and P dB would
// have met T dB with the step s * 2^((P - T) / kSlope). Predicted frames use the mean logarithm of this step
// over the latest measured frames. Key frames, on which all others depend, are coded again until they meet
// their target.
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
  /// The step of frame n depends only on the errors of the last key frame and of frames up to n - kDelay. So
  /// the device works while the host waits, and the number of frames in flight does not change the result.
  static constexpr uint64_t kDelay = 4;

  /// samples: number of samples of the luma plane, times 4^shift for samples of 8 + shift bits, whose squared
  /// errors are as many times larger.
  ConstantQuality(size_t samples, const KeyGain& gain)
      : samples_(static_cast<double>(samples)), key_gain_(gain.psnr) {}

  /// crf: 0..51; negative: off. next: the number of the next frame. A change of the target keeps the
  /// measurements. Frames coded without a target discard them; later results of frames before these are
  /// ignored.
  void set_crf(double crf, uint64_t next);
  bool active() const { return crf_ >= 0; }
  /// Target PSNR of luma in predicted frames, in dB.
  static double target(double crf) { return 55 - 5 * crf / 8; }

  /// add() must have been called for all frames up to `frame` - kDelay.
  uint16_t begin(uint64_t frame, FrameType type) override;
  Feedback feedback() const override {
    return type_ == FrameType::kKey ? Feedback::kDistortion : Feedback::kNone;
  }
  std::optional<uint16_t> retry(uint16_t step, uint64_t sum) override;
  Status end(size_t bytes) override;
  /// Adds the squared error of a frame. Call it in frame order.
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
  std::deque<Finding> findings_;      // of predicted frames since then, latest last
  double gap_ = 0;                    // log2 of the latest ratio of predicted-frame steps to key-frame steps
  FrameType type_ = FrameType::kKey;  // of the current frame
  uint64_t frame_ = 0;                // number of the current key frame, and its tries
  int tries_ = 0;
  Finding last_try_;
};

}  // namespace ctv

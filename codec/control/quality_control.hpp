// SPDX-License-Identifier: BSD-3-Clause
// Chooses each frame's base step so that luma's PSNR against the source stays near a target, whatever the
// content. A frame that was coded with step s and gave P dB would have met T dB with s * 2^((P - T) /
// kSlope): predicted frames take the mean, of logarithms, of what the latest known ones say; key frames,
// which all others depend on, are coded again until they meet their target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "codec/format/coded_frame.hpp"

namespace ctv {

class QualityControl {
 public:
  /// What frame n gets depends on the errors of frames up to n - kDelay and of the last key frame, no others:
  /// so a device has work while errors are waited for, and frames in flight change nothing.
  static constexpr uint64_t kDelay = 4;

  /// samples: of a luma plane. all_key: every frame is a key frame.
  QualityControl(size_t samples, bool all_key) : samples_(static_cast<double>(samples)), all_key_(all_key) {}

  /// crf: 0..51; negative: none. next: the frame that begins next. What was learnt stays good for another
  /// target, but not through frames that had none: what frames before them tell later is not heard either.
  void set_crf(double crf, uint64_t next);
  bool active() const { return crf_ >= 0; }
  /// Luma PSNR of predicted frames in dB.
  static double target(double crf) { return 55 - 5 * crf / 8; }

  /// The step to try first, in sixteenths of a sample. Every frame up to `frame` - kDelay has been added. May
  /// be called again for the same frame, which then begins anew.
  uint16_t begin(uint64_t frame, FrameType type);
  /// Key frames: coded with `step` the squared error is `sum`. Another step to try, or nothing if this is it.
  std::optional<uint16_t> again(uint16_t step, uint64_t sum);
  /// The frame went out as it was coded last.
  void end(FrameType type);
  /// The squared error of a frame, in the order of frames.
  void add(uint64_t frame, const FrameParameters& parameters, uint64_t sum);

 private:
  struct Finding {
    uint64_t frame = 0;
    double log_step = 0;
    double psnr = 0;
  };
  double psnr(uint64_t sum) const;
  double key_target() const;
  double ideal(const Finding& finding, double target) const;
  std::optional<double> of_predicted(uint64_t frame) const;

  double samples_;
  bool all_key_;
  double crf_ = -1;
  uint64_t first_ = 0;            // frame since when there has been a target
  std::optional<Finding> key_;    // of the last key frame
  std::deque<Finding> findings_;  // of predicted frames since, the latest last
  double gap_ = 0;                // log2 of predicted frames' steps against their key frame's, as last seen
  uint64_t frame_ = 0;            // the key frame being coded, and its tries
  int tries_ = 0;
  Finding last_try_;
};

}  // namespace ctv

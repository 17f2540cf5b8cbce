// SPDX-License-Identifier: BSD-3-Clause
// Chooses each frame's base step so that packets have the wanted sizes. A frame is quantised and coded again
// with other steps until its size fits, so no model of the size is needed. With a bitrate, sizes differ
// between frames: the step changes slowly, so that quality is steady, and follows the sum of all that frames
// were too large or too small. The receiver's buffer bounds a frame; excess is compensated over some seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/control/rate_controller.hpp"

namespace ctv {

struct SizeTarget {
  int64_t bitrate = 0;          // bits per second; 0: none
  int buffer_ms = 1000;         // with bitrate: the receiver's buffer
  int64_t max_frame_bytes = 0;  // largest packet; 0: none
};

class TargetSize final : public RateController {
 public:
  /// key_interval 0: no further key frames.
  TargetSize(const SizeTarget& target, double fps, int key_interval);

  /// Keeps the debt of the earlier bitrate.
  void set_target(const SizeTarget& target);
  /// Takes over what another controller spent beyond the rate.
  void take_debt(const TargetSize& before);
  /// Before a frame: the time since the last one, 1 at the nominal rate. The rate is that of real time.
  void elapse(double intervals);
  /// Sets the controller that gives each frame its step without size constraint. It must outlive the next
  /// frame.
  void set_source(RateController& source) { source_ = &source; }
  /// Whether the next frame is kept in a slot and in the lowest layer. Only such frames are finer.
  void set_base_reference(bool value) { base_reference_ = value; }
  /// False: no size constraint.
  bool active() const { return target_.bitrate > 0 || target_.max_frame_bytes > 0; }

  /// The source's tries come first, then the search for the size.
  uint16_t begin(uint64_t frame, FrameType type) override;
  Feedback feedback() const override { return by_source_ ? source_->feedback() : Feedback::kBytes; }
  std::optional<uint16_t> retry(uint16_t step, uint64_t value) override;
  Status end(size_t bytes) override;

 private:
  uint16_t begin_search(uint16_t own_step);
  std::optional<uint16_t> search(uint16_t step, size_t bytes);
  double within_steps(double scale) const;
  double average() const { return static_cast<double>(target_.bitrate) / 8 / fps_ * interval_; }
  double full() const { return static_cast<double>(target_.bitrate) / 8 * target_.buffer_ms / 1000; }
  /// Key frames among predicted ones use their own step, up to a share of the buffer.
  bool is_free() const { return type_ == FrameType::kKey && key_interval_ != 1; }
  /// Whether the frame is one of those that are finer for the frames after them.
  bool is_finer() const;
  int run() const;
  double others() const;
  /// Debt beyond that for the last key frame, which the frames until the next one repay.
  double excess() const;
  double wanted() const;
  double most() const;
  double limit() const;
  void take_over(double sent, double debt);
  void owe(double debt);
  void account(double size);

  SizeTarget target_;
  double fps_;           // nominal
  double interval_ = 1;  // recent mean time between frames, in nominal intervals
  int key_interval_;
  RateController* source_ = nullptr;
  bool by_source_ = false;  // the source's tries continue
  FrameType type_ = FrameType::kKey;
  uint16_t own_step_ = 16;  // step of the source
  struct Last {
    uint16_t step = 0;  // 0: none yet
    uint16_t own_step = 0;
  };
  Last last_[2];  // without bitrate, per frame type
  // With bitrate. Bytes, except where stated.
  double scale_ = 1;            // step of the next frame, in steps of the source
  double wanted_ = 0;           // size for this frame
  double debt_ = 0;             // spent beyond the rate
  double buffer_ = 0;           // bytes that may be sent now
  double key_size_ = 0;         // of the last key frame
  bool base_reference_ = true;  // for this frame: see set_base_reference()
  bool finer_ = false;          // this frame: see is_finer()
  int since_finer_ = 0;         // frames for which base_reference_ was true
  int since_key_ = 0;           // frames
  bool opened_ = false;         // the first frame has been coded
  double first_scale_ = 1;      // scale of this frame's first try, before rounding the step
  uint16_t first_step_ = 0;
  // Bounds of the search: the largest step that is too fine, and the smallest that is too coarse.
  int tries_ = 0;
  uint16_t step_ = 0;
  uint16_t too_fine_ = 0;
  double too_fine_bytes_ = 0;
  uint16_t fits_ = 0;  // 0: none yet
  double fits_bytes_ = 0;
};

}  // namespace ctv

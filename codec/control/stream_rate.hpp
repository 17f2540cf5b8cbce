// SPDX-License-Identifier: BSD-3-Clause
// The rate controllers of one stream. The targets, which may change between frames, determine which ones are
// used.
#pragma once

#include "codec/control/constant_quality.hpp"
#include "codec/control/constant_quantiser.hpp"
#include "codec/control/target_size.hpp"

namespace ctv {

class StreamRate final : public RateController {
 public:
  StreamRate(const ConstantQuantiser& quantiser, const ConstantQuality& quality, const TargetSize& size)
      : quantiser_(quantiser), quality_(quality), size_(size) {}
  StreamRate(const StreamRate&) = delete;
  StreamRate& operator=(const StreamRate&) = delete;

  /// Without constant quality: the step of predicted frames.
  void set_step(uint16_t step) { quantiser_.set_step(step); }
  void set_crf(double crf, uint64_t next) { quality_.set_crf(crf, next); }
  void set_target(const SizeTarget& target) { size_.set_target(target); }
  void set_base_reference(bool value) { size_.set_base_reference(value); }
  void elapse(double intervals) { size_.elapse(intervals); }
  void take_debt(const StreamRate& before) { size_.take_debt(before.size_); }

  uint16_t begin(uint64_t frame, FrameType type) override {
    RateController* source = &quantiser_;
    if (quality_.active()) source = &quality_;
    size_.set_source(*source);
    chosen_ = size_.active() ? &size_ : source;
    return chosen_->begin(frame, type);
  }
  Feedback feedback() const override { return chosen_->feedback(); }
  std::optional<uint16_t> retry(uint16_t step, uint64_t value) override {
    return chosen_->retry(step, value);
  }
  Status end(size_t bytes) override { return chosen_->end(bytes); }

  /// Whether the frames that begin now need add() with their distortion.
  bool measures() const { return quality_.active(); }
  void add(uint64_t frame, const FrameParameters& parameters, uint64_t sum) {
    quality_.add(frame, parameters, sum);
  }

 private:
  ConstantQuantiser quantiser_;
  ConstantQuality quality_;
  TargetSize size_;
  RateController* chosen_ = &quantiser_;  // for the current frame
};

}  // namespace ctv

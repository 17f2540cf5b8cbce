// SPDX-License-Identifier: BSD-3-Clause
// Distortions of the last frames. Each is waited for some frames later, so that a device always has work.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "codec/backend/backend.hpp"
#include "codec/control/stream_rate.hpp"

namespace ctv {

/// Frame n uses meter n modulo kDelay.
class DistortionQueue {
 public:
  static constexpr uint64_t kDelay = ConstantQuality::kDelay;

  /// Makes the meters on a backend, which must outlive them.
  Status attach(Backend& backend) {
    for (Pending& p : pending_) {
      CTV_ASSIGN_OR_RETURN(p.meter, backend.make_distortion_meter());
    }
    return {};
  }
  void detach() {
    for (Pending& p : pending_) p.meter.reset();
  }
  /// Frames before `frame` will not be collected.
  void go_to(uint64_t frame) { collected_ = frame; }
  /// Returns the meter of a frame that begins, after collecting all frames that it depends on. Null if not
  /// `wanted`.
  Result<DistortionMeter*> begin(uint64_t frame, bool wanted, StreamRate& rate) {
    CTV_RETURN_IF_ERROR(collect(frame + 1 - std::min(frame + 1, kDelay), rate));
    return wanted ? pending_[frame % kDelay].meter.get() : nullptr;
  }
  /// Records that the frame was coded with these parameters. measured: its meter was used.
  void add(uint64_t frame, const FrameParameters& parameters, bool measured) {
    pending_[frame % kDelay].parameters = parameters;
    pending_[frame % kDelay].measured = measured;
  }
  /// Waits for all frames before `end`, which must have been added, and passes their results to `rate`.
  Status collect(uint64_t end, StreamRate& rate) {
    for (; collected_ < end; ++collected_) {
      const Pending& p = pending_[collected_ % kDelay];
      if (!p.measured) continue;
      uint64_t sum = 0;
      CTV_RETURN_IF_ERROR(p.meter->finish(sum));
      rate.add(collected_, p.parameters, sum);
    }
    return {};
  }

 private:
  struct Pending {
    std::unique_ptr<DistortionMeter> meter;
    FrameParameters parameters;
    bool measured = false;
  };
  std::array<Pending, kDelay> pending_;
  uint64_t collected_ = 0;  // frames before this one are collected
};

}  // namespace ctv

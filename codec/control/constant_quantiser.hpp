// SPDX-License-Identifier: BSD-3-Clause
// One base step for all predicted frames, and a finer one for key frames.
#pragma once

#include <algorithm>

#include "codec/control/key_gain.hpp"
#include "codec/control/rate_controller.hpp"

namespace ctv {

class ConstantQuantiser final : public RateController {
 public:
  explicit ConstantQuantiser(uint16_t step, const KeyGain& gain = {}) : step_(step), gain_(gain) {}
  void set_step(uint16_t step) { step_ = step; }

  uint16_t begin(uint64_t /*frame*/, FrameType type) override {
    if (type != FrameType::kKey) return step_;
    return static_cast<uint16_t>(std::max(1, (step_ * gain_.step + 128) / 256));
  }

 private:
  uint16_t step_;
  KeyGain gain_;
};

}  // namespace ctv

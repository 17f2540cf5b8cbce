// SPDX-License-Identifier: BSD-3-Clause
// Chooses the base step of each frame. A frame may be coded several times with different steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/format/frame_parameters.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// The result of a try of the current frame that a controller needs.
enum class Feedback : uint8_t {
  kNone,        // none: the step is final
  kDistortion,  // squared error of luma against the source
  kBytes        // size of the packet
};

/// Steps are in sixteenths of a sample. For each frame call begin(), then retry() while feedback() is not
/// kNone and retry() returns a step, then end().
class RateController {
 public:
  virtual ~RateController() = default;
  /// Returns the first step of a frame. May be called again to restart the same frame.
  virtual uint16_t begin(uint64_t frame, FrameType type) = 0;
  /// The result that retry() needs of the current try.
  virtual Feedback feedback() const { return Feedback::kNone; }
  /// The frame was coded with `step` and the result `value`. Returns the step of the next try, or nothing if
  /// the frame is finished.
  virtual std::optional<uint16_t> retry(uint16_t /*step*/, uint64_t /*value*/) { return std::nullopt; }
  /// The last try is sent. bytes: the packet's size, if feedback() asked for it. Error: the packet exceeds
  /// the limit, and no step makes it fit.
  virtual Status end(size_t /*bytes*/) { return {}; }
};

}  // namespace ctv

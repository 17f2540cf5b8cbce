// SPDX-License-Identifier: BSD-3-Clause
// Chooses the base step of each frame. A frame may be coded several times, with another step each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/format/frame_parameters.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// What a controller must know about a try of the current frame.
enum class Feedback : uint8_t {
  kNone,        // nothing: the step is final
  kDistortion,  // squared error of luma against the source
  kBytes        // size of the packet
};

/// Steps are in sixteenths of a sample. For each frame: begin(), then retry() while feedback() asks for
/// something and retry() returns a step, then end().
class RateController {
 public:
  virtual ~RateController() = default;
  /// The first step of a frame. May be called again for the same frame, which then begins anew.
  virtual uint16_t begin(uint64_t frame, FrameType type) = 0;
  /// What retry() needs to know about the current try.
  virtual Feedback feedback() const { return Feedback::kNone; }
  /// The frame was coded with `step`; value: what feedback() asked for. Returns the step of the next try, or
  /// nothing if the frame is done.
  virtual std::optional<uint16_t> retry(uint16_t /*step*/, uint64_t /*value*/) { return std::nullopt; }
  /// The frame is sent as coded last. bytes: of its packet, if feedback() asked for them. Error: the packet
  /// is larger than allowed, and no step makes it fit.
  virtual Status end(size_t /*bytes*/) { return {}; }
};

}  // namespace ctv

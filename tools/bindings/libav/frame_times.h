// SPDX-License-Identifier: BSD-3-Clause
// Times of a container's frames in the units of a ctv stream. Containers round times, Matroska to
// milliseconds. If all are within one unit of a constant rate, the frames get the times of that rate. Where
// they vary, or the first is between two frames of the rate, the units are finer.
#pragma once

extern "C" {
#include <libavutil/rational.h>
}

#include <cstdint>
#include <vector>

namespace ctv::tools {

class FrameTimes {
 public:
  /// shown: the times of all frames in units of `unit` seconds, in any order; empty if unknown. rate: frames
  /// per second according to the container, 0/0 if unknown.
  FrameTimes(std::vector<int64_t> shown, AVRational unit, AVRational rate);

  /// Frame rate of the stream; a timestamp is in 1 / rate().num seconds.
  AVRational rate() const { return rate_; }
  bool constant() const { return constant_; }
  /// The time of the next frame; shown as above, AV_NOPTS_VALUE for none. Times increase.
  int64_t next(int64_t shown);
  /// Duration of a frame. lasting: according to the container, 0 if unknown.
  int64_t duration(int64_t lasting) const;

 private:
  /// The nearest frame time at a constant rate, counted from first_.
  int64_t on_grid(int64_t shown) const;

  AVRational unit_, rate_;
  int64_t first_ = 0;
  int64_t origin_ = 0;            // first_ in units of the stream
  int64_t last_ = 0, after_ = 0;  // time of the last frame, and time after it
  bool constant_ = false, any_ = false;
};

}  // namespace ctv::tools

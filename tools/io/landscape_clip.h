// SPDX-License-Identifier: BSD-3-Clause
// A clip with the statistics of natural pictures: ridges behind ridges in haze, clouds, a lake with ripples,
// seen from a moving camera, so that near objects move faster. Noise of many scales, whose power falls with
// frequency as in photographs, and shading, instead of hard edges and flat areas.
#pragma once

#include <vector>

#include "io/clip_generator.h"

namespace ctv::tools {

class LandscapeClip : public FrameReader {
 public:
  /// I420 or RGB8. The seed selects the landscape.
  explicit LandscapeClip(const ClipSpec& spec);
  bool read(Frame& frame) override;
  void skip(int64_t n) override { next_ += n < frames_ - next_ ? n : frames_ - next_; }
  std::optional<int64_t> count() const override { return frames_; }

 private:
  struct Colour {
    float r, g, b;  // 0..1
  };
  Colour sky(float x, float y, float time) const;
  Colour land(size_t ridge, float x, float depth) const;
  /// A column of the picture, top to bottom.
  void draw_column(int32_t x, std::vector<Colour>& column) const;

  int64_t frames_;
  int64_t next_ = 0;
  uint32_t seed_;
};

}  // namespace ctv::tools

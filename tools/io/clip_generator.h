// SPDX-License-Identifier: BSD-3-Clause
// Generates a moving clip for demonstrations and tests without a video file: a textured ground that pans,
// turns and zooms, rotating and growing objects with hard edges, scrolling text, grain, a new scene every 75
// frames. Uses integers only, so that a seed gives the same samples on every machine.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "io/frame_reader.h"

namespace ctv::tools {

struct ClipSpec {
  VideoFormat video;
  int64_t frames = 0;
  uint32_t seed = 1;
};

/// "WIDTHxHEIGHT@FPS:FRAMES[:SEED]", for example 640x360@25:100. I420. Throws Failure(kUsage).
ClipSpec parse_clip(std::string_view text);

class GeneratedClip : public FrameReader {
 public:
  explicit GeneratedClip(const ClipSpec& spec);
  bool read(Frame& frame) override;
  void skip(int64_t n) override { next_ += n < frames_ - next_ ? n : frames_ - next_; }
  std::optional<int64_t> count() const override { return frames_; }

 private:
  struct Scene;
  void begin_scene(uint32_t number);
  void draw_ground(const Scene& scene, int32_t time);
  void draw_object(const Scene& scene, int32_t kind, int32_t time);
  void draw_text(const Scene& scene, int32_t time);
  void draw_counter();
  void draw_glyph(int32_t glyph, int32_t x, int32_t y, int32_t scale, uint8_t ink);
  void add_grain();
  void store(Frame& frame) const;

  int64_t frames_;
  int64_t next_ = 0;
  uint32_t seed_;
  int64_t scene_number_ = -1;
  std::vector<uint8_t> texture_;                // [kTexture][kTexture], tiles without seams
  std::array<std::vector<uint8_t>, 3> planes_;  // Y, Cb, Cr at full resolution, limited range
};

}  // namespace ctv::tools

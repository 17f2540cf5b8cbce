// SPDX-License-Identifier: BSD-3-Clause
#include "io/cloth_clip.h"

#include <algorithm>

#include "io/sine.h"

namespace ctv::tools {
namespace {

/// A patch of cloth: gradient of its stripes' phase, in 65536ths of a turn per sample.
struct Weave {
  int32_t right, down;
};
// Periods of 3.6 to 5.4 samples, 20 to 160 degrees.
constexpr Weave kWeaves[2][3] = {{{12000, 8800}, {-9500, 10500}, {16500, 5200}},
                                 {{-15000, 6500}, {5600, 13800}, {10800, -9000}}};

/// Luma of cloth; x and y in 16ths of a sample, the frame `height` samples high.
int32_t cloth(int32_t x, int32_t y, int32_t height) {
  // Seams between patches swing; folds bend and shade the stripes.
  const int32_t side = std::max(1, height * 16 / 3);
  const int32_t seam_x = x + (sine(y * 24) * (side / 10) >> 14);
  const int32_t seam_y = y + (sine(x * 20) * (side / 10) >> 14);
  const Weave& weave = kWeaves[(seam_y / (side * 3 / 2)) & 1][(seam_x / side) % 3];
  const int32_t fold = sine(x * 11 + y * 7);
  const int64_t turns = (int64_t{weave.right} * (x >> 2) + int64_t{weave.down} * (y >> 2)) / 4;
  const int32_t phase = static_cast<int32_t>(turns & 0xffff) + 2 * fold;
  return 112 + (40 * sine(phase) >> 14) + (26 * sine(x * 9 - y * 5) >> 14);
}

/// Luma between edges.
int32_t plain(int32_t x, int32_t y, int32_t width, int32_t height) {
  const int32_t reach = height * 16 * 3 / 10;
  const int64_t dx = x - width * 12, dy = y - height * 7;
  const int64_t distance = dx * dx + dy * dy;
  if (distance < int64_t{reach} * reach)  // a ball with a shade
    return 205 - static_cast<int32_t>(distance * 90 / (int64_t{reach} * reach));
  if (y > height * 12 && (x + y / 3) % (height * 5) < height * 2) return 40;  // slanted bars
  return 90 + 70 * y / (height * 16);
}

}  // namespace

ClothClip::ClothClip(const ClipSpec& spec) : frames_(spec.frames) {
  check_extent("cloth clip", spec.video.width, spec.video.height, kMaxPixels);
  video_ = spec.video;
}

bool ClothClip::read(Frame& frame) {
  if (next_ >= frames_) return false;
  frame.reset(video_);
  const int32_t width = video_.width, height = video_.height;
  const auto time = static_cast<int32_t>(next_ % (1 << 12));
  const auto at = [&](int32_t x, int32_t y) {
    const int32_t fx = 16 * x + 20 * time, fy = 16 * y + 9 * time;
    return x < width / 2 ? cloth(fx, fy, height) : plain(16 * x, 16 * y, width, height);
  };
  uint8_t* luma = frame.plane(0);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x) *luma++ = static_cast<uint8_t>(std::clamp(at(x, y), 16, 235));
  for (int plane = 1; plane < 3; ++plane) {
    uint8_t* chroma = frame.plane(plane);
    const auto across = static_cast<int32_t>(frame.stride(plane));
    for (int32_t y = 0; y < static_cast<int32_t>(frame.rows(plane)); ++y)
      for (int32_t x = 0; x < across; ++x)
        *chroma++ = static_cast<uint8_t>(4 * x < width ? (plane == 1 ? 112 : 144) : (plane == 1 ? 136 : 122));
  }
  ++next_;
  return true;
}

}  // namespace ctv::tools

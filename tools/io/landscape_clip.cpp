// SPDX-License-Identifier: BSD-3-Clause
#include "io/landscape_clip.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/exit.h"

namespace ctv::tools {
namespace {

float unit_hash(int32_t x, int32_t y, uint32_t seed) {
  uint32_t h = static_cast<uint32_t>(x) * 0x9e3779b1u ^ static_cast<uint32_t>(y) * 0x85ebca77u ^ seed;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return static_cast<float>((h ^ h >> 15) >> 8) / 16777216.0F;
}

/// std::floor() is a function call if the instruction set has no such instruction.
int32_t floor_of(float x) {
  const auto i = static_cast<int32_t>(x);
  return i - (x < static_cast<float>(i) ? 1 : 0);
}

/// Noise on a grid of one unit, interpolated smoothly, 0..1.
float noise(float x, float y, uint32_t seed) {
  const int32_t ix = floor_of(x), iy = floor_of(y);
  const float tx = x - static_cast<float>(ix), ty = y - static_cast<float>(iy);
  const float sx = tx * tx * (3 - 2 * tx), sy = ty * ty * (3 - 2 * ty);
  const float top = unit_hash(ix, iy, seed) * (1 - sx) + unit_hash(ix + 1, iy, seed) * sx;
  const float bottom = unit_hash(ix, iy + 1, seed) * (1 - sx) + unit_hash(ix + 1, iy + 1, seed) * sx;
  return top * (1 - sy) + bottom * sy;
}

/// Sum of octaves of noise, each with twice the frequency and half the amplitude, 0..1.
float fractal(float x, float y, uint32_t seed, int octaves) {
  float sum = 0, height = 0.5F;
  for (int i = 0; i < octaves; ++i, height /= 2) {
    sum += height * noise(x, y, seed + static_cast<uint32_t>(i));
    x = 2.03F * x + 17;
    y = 2.03F * y + 11;
  }
  return sum / (1 - 2 * height * 0.5F);
}

struct Ridge {
  float base, height;  // of the picture's height, from above
  float scale;         // scale of its outline
  float speed;         // samples a frame for a picture of 360 rows
  float haze;          // 0 near, 1 far
};
constexpr std::array<Ridge, 4> kRidges = {{{0.50F, 0.22F, 1.6F, 0.35F, 0.78F},
                                           {0.58F, 0.20F, 2.4F, 0.8F, 0.52F},
                                           {0.64F, 0.14F, 3.6F, 1.6F, 0.28F},
                                           {0.72F, 0.12F, 6.0F, 3.1F, 0.05F}}};
constexpr float kShore = 0.72F;

uint8_t byte(float value) { return static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L)); }

}  // namespace

LandscapeClip::LandscapeClip(const ClipSpec& spec) : frames_(spec.frames), seed_(spec.seed * 7919u) {
  check_extent("landscape clip", spec.video.width, spec.video.height, kMaxPixels);
  if (spec.video.format != CTV_FORMAT_I420 && spec.video.format != CTV_FORMAT_RGB8)
    throw Failure(Exit::kUsage, "the landscape is I420 or RGB", "--format i420 or rgb");
  video_ = spec.video;
}

LandscapeClip::Colour LandscapeClip::sky(float x, float y, float time) const {
  const float cloud = fractal(1.7F * x + 0.012F * time, 4 * y, seed_ + 101, 7);
  const float cover = std::clamp((cloud - 0.47F) * 4, 0.0F, 1.0F) * std::clamp(1.3F - 2 * y, 0.0F, 1.0F);
  const float shade =
      0.75F + 0.5F * (cloud - fractal(1.7F * x + 0.012F * time + 0.04F, 4 * y - 0.05F, seed_ + 101, 5));
  const Colour clear = {0.36F + 0.5F * y, 0.55F + 0.42F * y, 0.82F + 0.1F * y};
  const float white = 0.95F * std::clamp(shade, 0.5F, 1.0F);
  return {clear.r + (white - clear.r) * cover, clear.g + (white - clear.g) * cover,
          clear.b + (white - clear.b) * cover};
}

LandscapeClip::Colour LandscapeClip::land(size_t ridge, float x, float depth) const {
  const Ridge& r = kRidges[ridge];
  const uint32_t seed = seed_ + 1000 * static_cast<uint32_t>(ridge + 1);
  const float fine = 7 * r.scale;
  const float ground = fractal(fine * x, fine * depth * 2, seed + 50, 6);
  // Light from the left: the gradient of the same noise.
  const float slope = (ground - fractal(fine * x - 0.35F, fine * depth * 2 - 0.2F, seed + 50, 6)) * 3.2F;
  const float light = std::clamp(0.55F + slope, 0.15F, 1.1F);
  const float forest = std::clamp((fractal(3 * x, 6 * depth, seed + 80, 4) - 0.42F) * 6, 0.0F, 1.0F);
  const Colour rock = {0.52F, 0.47F, 0.40F}, wood = {0.20F, 0.33F, 0.14F}, haze = {0.72F, 0.80F, 0.88F};
  const auto mix = [&](float a, float b, float far) {
    const float near = (a + (b - a) * forest) * light * (0.7F + 0.6F * ground);
    return near + (far - near) * r.haze;
  };
  return {mix(rock.r, wood.r, haze.r), mix(rock.g, wood.g, haze.g), mix(rock.b, wood.b, haze.b)};
}

void LandscapeClip::draw_column(int32_t x, std::vector<Colour>& column) const {
  const auto rows = static_cast<float>(video_.height);
  const auto time = static_cast<float>(next_ % (1 << 16));
  const float unit = static_cast<float>(x) / rows;  // a unit is the picture's height
  const auto shore = std::max(1, static_cast<int32_t>(kShore * rows));
  std::array<float, kRidges.size()> at, tops;
  for (size_t i = 0; i < kRidges.size(); ++i) {
    const Ridge& r = kRidges[i];
    at[i] = unit + time * r.speed / 360;
    const float outline = fractal(r.scale * at[i], 0.5F, seed_ + 10 * static_cast<uint32_t>(i), 8);
    tops[i] = (r.base - r.height * (2 * outline - 0.6F)) * rows;
  }
  for (int32_t y = 0; y < shore; ++y) {
    const auto ridge = [&](size_t i) { return land(i, at[i], (static_cast<float>(y) - tops[i]) / rows); };
    const auto first = [&](size_t i) { return static_cast<int32_t>(std::floor(tops[i])); };
    size_t nearer = kRidges.size();  // first ridge in front of the ridge, or sky, that hides all behind it
    while (nearer > 0 && y <= first(nearer - 1)) --nearer;
    Colour c = nearer > 0 ? ridge(nearer - 1) : sky(unit, static_cast<float>(y) / rows, time);
    for (size_t i = nearer; i < kRidges.size(); ++i) {
      if (y != first(i)) continue;
      const Colour outline = ridge(i);
      const float cover = 1 - (tops[i] - std::floor(tops[i]));  // a soft outline
      c = {c.r + (outline.r - c.r) * cover, c.g + (outline.g - c.g) * cover, c.b + (outline.b - c.b) * cover};
    }
    column[static_cast<size_t>(y)] = c;
  }
  // The lake mirrors the scene above the shore, darker and with waves.
  for (int32_t y = shore; y < video_.height; ++y) {
    const float below = static_cast<float>(y - shore) / rows;
    const float wave = fractal(9 * unit / (0.15F + below) + 0.02F * time,
                               2.2F / (0.03F + below) + 0.11F * time, seed_ + 500, 4) -
                       0.5F;
    const auto mirrored = static_cast<int32_t>(kShore * rows - below * rows * (1.5F + 0.9F * wave));
    const Colour seen = column[static_cast<size_t>(std::clamp(mirrored, 0, shore - 1))];
    const float glint = 0.62F + 0.5F * wave;
    column[static_cast<size_t>(y)] = {seen.r * glint, seen.g * glint + 0.03F, seen.b * glint + 0.07F};
  }
}

bool LandscapeClip::read(Frame& frame) {
  if (next_ >= frames_) return false;
  frame.reset(video_);
  const auto width = static_cast<size_t>(video_.width), height = static_cast<size_t>(video_.height);
  std::vector<Colour> picture(width * height), column(height);
  for (size_t x = 0; x < width; ++x) {
    draw_column(static_cast<int32_t>(x), column);
    for (size_t y = 0; y < height; ++y) {
      // The grain of a sensor.
      const float grain = (unit_hash(static_cast<int32_t>(x), static_cast<int32_t>(y),
                                     seed_ + 31u * static_cast<uint32_t>(next_)) -
                           0.5F) *
                          0.018F;
      picture[y * width + x] = {column[y].r + grain, column[y].g + grain, column[y].b + grain};
    }
  }
  ++next_;
  if (video_.format == CTV_FORMAT_RGB8) {
    uint8_t* out = frame.plane(0);
    for (const Colour& c : picture)
      for (const float value : {c.r, c.g, c.b}) *out++ = byte(255 * value);
    return true;
  }
  // BT.601, limited range; a chroma sample is the mean of its pixels.
  for (size_t i = 0; i < picture.size(); ++i) {
    const Colour& c = picture[i];
    frame.plane(0)[i] = byte(std::clamp(16 + 65.5F * c.r + 128.6F * c.g + 25.0F * c.b, 16.0F, 235.0F));
  }
  for (size_t cy = 0; cy < (height + 1) / 2; ++cy) {
    for (size_t cx = 0; cx < (width + 1) / 2; ++cx) {
      Colour sum = {0, 0, 0};
      for (size_t i = 0; i < 4; ++i) {
        const Colour& c =
            picture[std::min(2 * cy + i / 2, height - 1) * width + std::min(2 * cx + i % 2, width - 1)];
        sum = {sum.r + c.r / 4, sum.g + c.g / 4, sum.b + c.b / 4};
      }
      const size_t at = cy * ((width + 1) / 2) + cx;
      frame.plane(1)[at] = byte(128 - 37.8F * sum.r - 74.2F * sum.g + 112 * sum.b);
      frame.plane(2)[at] = byte(128 + 112 * sum.r - 93.8F * sum.g - 18.2F * sum.b);
    }
  }
  return true;
}

}  // namespace ctv::tools

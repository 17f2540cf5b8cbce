// SPDX-License-Identifier: BSD-3-Clause
#include "io/clip_generator.h"

#include <algorithm>

#include "cli/exit.h"
#include "cli/text.h"
#include "io/channels.h"
#include "io/sine.h"

namespace ctv::tools {
namespace {

constexpr int32_t kTexture = 256;     // side of the texture, a power of two
constexpr int32_t kSceneLength = 75;  // frames
constexpr int32_t kObjects = 4;

uint32_t hash(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

uint32_t hash(uint32_t a, uint32_t b) { return hash(a ^ hash(b + 0x9e3779b9u)); }

/// Interpolated noise on a grid of `cell` samples, periodic over kTexture.
int32_t value_noise(int32_t x, int32_t y, int32_t cell, uint32_t seed) {
  const int32_t cells = kTexture / cell;
  const auto corner = [&](int32_t cx, int32_t cy) {
    return static_cast<int32_t>(hash(seed, static_cast<uint32_t>(cy % cells * cells + cx % cells)) & 255);
  };
  const int32_t cx = x / cell, cy = y / cell, fx = x % cell, fy = y % cell;
  const int32_t top = corner(cx, cy) * (cell - fx) + corner(cx + 1, cy) * fx;
  const int32_t bottom = corner(cx, cy + 1) * (cell - fx) + corner(cx + 1, cy + 1) * fx;
  return (top * (cell - fy) + bottom * fy) / (cell * cell);
}

/// Bilinear sampling; u and v in 1/65536 texture samples, periodic.
int32_t sample(const std::vector<uint8_t>& texture, uint32_t u, uint32_t v) {
  constexpr uint32_t kMask = kTexture - 1;
  const uint32_t x = (u >> 16) & kMask, y = (v >> 16) & kMask;
  const int32_t fx = (u >> 8) & 255, fy = (v >> 8) & 255;
  const auto at = [&](uint32_t px, uint32_t py) {
    return static_cast<int32_t>(texture[(py & kMask) * kTexture + (px & kMask)]);
  };
  const int32_t top = at(x, y) * (256 - fx) + at(x + 1, y) * fx;
  const int32_t bottom = at(x, y + 1) * (256 - fx) + at(x + 1, y + 1) * fx;
  return (top * (256 - fy) + bottom * fy) >> 16;
}

// Digits and A to F, 5 columns by 7 rows, top row first, bit 4 is the left column.
constexpr uint8_t kFont[16][7] = {
    {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},      {14, 17, 1, 2, 4, 8, 31},
    {31, 2, 4, 2, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14},
    {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},       {14, 17, 17, 14, 17, 17, 14},
    {14, 17, 17, 15, 1, 2, 12},   {14, 17, 17, 31, 17, 17, 17}, {30, 17, 17, 30, 17, 17, 30},
    {14, 17, 16, 16, 16, 17, 14}, {28, 18, 17, 17, 17, 18, 28}, {31, 16, 16, 30, 16, 16, 31},
    {31, 16, 16, 30, 16, 16, 16}};

}  // namespace

struct GeneratedClip::Scene {
  uint32_t seed;
  int32_t random(uint32_t what, int32_t low, int32_t high) const {
    return low + static_cast<int32_t>(hash(seed, what) % static_cast<uint32_t>(high - low + 1));
  }
};

ClipSpec parse_clip(std::string_view spec) {
  const auto bad = [&] {
    return Failure(Exit::kUsage, "'" + std::string(spec) + "' does not describe a clip",
                   "WIDTHxHEIGHT@FPS:FRAMES[:SEED], for example 640x360@25:100");
  };
  const size_t at = spec.find('@');
  if (at == std::string_view::npos) throw bad();
  const auto size = parse_size(spec.substr(0, at));
  const std::vector<std::string> parts = split(spec.substr(at + 1), ':');
  if (!size || parts.size() < 2 || parts.size() > 3) throw bad();
  const auto rate = parse_rate(parts[0]);
  const auto frames = parse_integer(parts[1], 1, int64_t{1} << 40);
  const auto seed = parse_integer(parts.size() == 3 ? parts[2] : "1", 0, UINT32_MAX);
  if (!rate || !frames || !seed) throw bad();
  ClipSpec clip;
  clip.video = {CTV_FORMAT_I420, size->first, size->second, rate->first, rate->second};
  clip.frames = *frames;
  clip.seed = static_cast<uint32_t>(*seed);
  return clip;
}

GeneratedClip::GeneratedClip(const ClipSpec& spec) : frames_(spec.frames), seed_(spec.seed) {
  check_extent("generated clip", spec.video.width, spec.video.height, kMaxPixels);
  video_ = spec.video;
  for (auto& plane : planes_)
    plane.resize(static_cast<size_t>(video_.width) * static_cast<size_t>(video_.height));
}

bool GeneratedClip::read(Frame& frame) {
  if (next_ >= frames_) return false;
  const int64_t number = next_ / kSceneLength;
  if (number != scene_number_) begin_scene(static_cast<uint32_t>(number));
  scene_number_ = number;
  const Scene scene{hash(seed_, static_cast<uint32_t>(number))};
  const auto time = static_cast<int32_t>(next_ % kSceneLength);
  draw_ground(scene, time);
  for (int32_t kind = 0; kind < kObjects; ++kind) draw_object(scene, kind, time);
  draw_text(scene, time);
  draw_counter();
  add_grain();
  store(frame);
  ++next_;
  return true;
}

void GeneratedClip::begin_scene(uint32_t number) {
  const uint32_t seed = hash(seed_, number) ^ 0x7e17u;
  texture_.resize(kTexture * kTexture);
  for (int32_t y = 0; y < kTexture; ++y) {
    for (int32_t x = 0; x < kTexture; ++x) {
      // Each octave has half the weight of the previous one; the weights add up to 256.
      int32_t sum = 0, weight = 128;
      for (int32_t cell = 64; cell >= 4; cell /= 2, weight /= 2)
        sum += value_noise(x, y, cell, seed + static_cast<uint32_t>(cell)) * weight;
      // Triples the contrast, because plain noise is too soft. Where a slow noise is high, adds bent ridges
      // like wood grain, because pictures have directions.
      const int32_t slow = value_noise(x, y, 64, seed + 1);
      const int32_t ridge = sine(256 * (24 * x + 10 * y) + 96 * slow) * std::max(0, slow - 120) >> 15;
      texture_[static_cast<size_t>(y * kTexture + x)] =
          static_cast<uint8_t>(std::clamp(128 + 3 * (sum / 248 - 128) + ridge, 0, 255));
    }
  }
}

void GeneratedClip::draw_ground(const Scene& scene, int32_t time) {
  const int32_t angle = scene.random(1, 0, 0xffff) + time * scene.random(2, -40, 40);
  const int32_t scale = kOne * 3 / 4 + time * scene.random(3, -60, 60);  // texture samples per picture sample
  const int32_t dx = (cosine(angle) * (scale >> 4)) >> 8;                // in 1/65536 samples
  const int32_t dy = (sine(angle) * (scale >> 4)) >> 8;
  const int32_t pan_x = time * scene.random(4, -120000, 120000);
  const int32_t pan_y = time * scene.random(5, -60000, 60000);
  const int32_t tint = scene.random(6, 0, 0xffff);
  size_t i = 0;
  for (int32_t y = 0; y < video_.height; ++y) {
    auto u = static_cast<uint32_t>(pan_x) - static_cast<uint32_t>(dy) * static_cast<uint32_t>(y);
    auto v = static_cast<uint32_t>(pan_y) + static_cast<uint32_t>(dx) * static_cast<uint32_t>(y);
    for (int32_t x = 0; x < video_.width; ++x, ++i) {
      const int32_t value = sample(texture_, u, v);
      const int32_t hue = tint + sample(texture_, u / 4, v / 4) * 160;
      planes_[0][i] = static_cast<uint8_t>(16 + (value * 219 >> 8));
      planes_[1][i] = static_cast<uint8_t>(128 + (sine(hue) * 40 >> 14));
      planes_[2][i] = static_cast<uint8_t>(128 + (cosine(hue) * 40 >> 14));
      u += static_cast<uint32_t>(dx);
      v += static_cast<uint32_t>(dy);
    }
  }
}

void GeneratedClip::draw_object(const Scene& scene, int32_t kind, int32_t time) {
  const auto random = [&](uint32_t what, int32_t low, int32_t high) {
    return scene.random(100 + 16 * static_cast<uint32_t>(kind) + what, low, high);
  };
  const int32_t side = std::min(video_.width, video_.height);
  // Moves on a Lissajous figure around the centre, rotates and changes its size.
  const int32_t orbit = time * random(0, 200, 700) + random(1, 0, 0xffff);
  const int32_t centre_x =
      video_.width / 2 + static_cast<int32_t>(int64_t{video_.width} * cosine(orbit) / kOne * 3 / 8);
  const int32_t centre_y =
      video_.height / 2 + static_cast<int32_t>(int64_t{video_.height} * sine(orbit * 2) / kOne * 3 / 8);
  const int32_t angle = time * random(2, -500, 500);
  const int32_t half = std::max(2, side / 10 + side / 24 * sine(time * random(3, 300, 900)) / kOne);
  const int32_t c = cosine(angle), s = sine(angle);
  const int32_t reach = half * 3 / 2;  // of a square's corner, and a little more
  const uint8_t ink[3] = {static_cast<uint8_t>(random(4, 30, 230)), static_cast<uint8_t>(random(5, 60, 196)),
                          static_cast<uint8_t>(random(6, 60, 196))};
  for (int32_t y = std::max(0, centre_y - reach); y < std::min(video_.height, centre_y + reach); ++y) {
    for (int32_t x = std::max(0, centre_x - reach); x < std::min(video_.width, centre_x + reach); ++x) {
      const int64_t from_x = x - centre_x, from_y = y - centre_y;
      const auto p = static_cast<int32_t>((from_x * c + from_y * s) / kOne);
      const auto q = static_cast<int32_t>((from_y * c - from_x * s) / kOne);
      const bool round = kind % 2 == 1;
      if (round ? int64_t{p} * p + int64_t{q} * q >= int64_t{half} * half
                : std::max(std::abs(p), std::abs(q)) >= half)
        continue;
      const int32_t cell = std::max(1, half / 4);
      const bool dark = kind == 0
                            ? ((p + 4 * half) / cell + (q + 4 * half) / cell) % 2 == 0  // a checkerboard
                        : kind == 1 ? (p + 4 * half) / cell % 2 == 0                    // stripes
                                    : false;
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(video_.width) + static_cast<size_t>(x);
      const int32_t shade = kind == 3 ? 40 * p / half : 0;  // a shaded disc
      planes_[0][i] = static_cast<uint8_t>(std::clamp((dark ? 235 - ink[0] : ink[0]) + shade, 16, 235));
      planes_[1][i] = ink[1];
      planes_[2][i] = ink[2];
    }
  }
}

void GeneratedClip::draw_glyph(int32_t glyph, int32_t x, int32_t y, int32_t scale, uint8_t ink) {
  for (int32_t row = 0; row < 7 * scale; ++row) {
    for (int32_t column = 0; column < 5 * scale; ++column) {
      const int32_t px = x + column, py = y + row;
      if (px < 0 || py < 0 || px >= video_.width || py >= video_.height) continue;
      if ((kFont[glyph][row / scale] >> (4 - column / scale) & 1) == 0) continue;
      const size_t i = static_cast<size_t>(py) * static_cast<size_t>(video_.width) + static_cast<size_t>(px);
      planes_[0][i] = ink;
      planes_[1][i] = planes_[2][i] = 128;
    }
  }
}

void GeneratedClip::draw_text(const Scene& scene, int32_t time) {
  // A white page in the lower right; its lines scroll up by a sample per frame.
  const int32_t width = video_.width * 3 / 8, height = video_.height / 4;
  const int32_t left = video_.width - width, top = video_.height - height;
  const int32_t scale = std::max(1, video_.height / 540);
  const int32_t cell_x = 6 * scale, cell_y = 9 * scale;
  for (int32_t y = top; y < video_.height; ++y) {
    const size_t begin =
        static_cast<size_t>(y) * static_cast<size_t>(video_.width) + static_cast<size_t>(left);
    for (size_t i = begin; i < begin + static_cast<size_t>(width); ++i) {
      planes_[0][i] = 225;
      planes_[1][i] = planes_[2][i] = 128;
    }
  }
  for (int32_t line = (time + cell_y - 1) / cell_y; line * cell_y - time < height; ++line) {
    for (int32_t column = 0; (column + 1) * cell_x <= width; ++column) {
      const uint32_t letter = hash(scene.seed, static_cast<uint32_t>(5000 + line * 512 + column));
      if (letter % 6 == 0) continue;  // a space
      draw_glyph(static_cast<int32_t>(letter >> 8 & 15), left + column * cell_x, top + line * cell_y - time,
                 scale, 30);
    }
  }
}

void GeneratedClip::draw_counter() {
  const int32_t scale = std::max(1, video_.height / 120);
  int64_t number = next_;
  for (int32_t digit = 4; digit >= 0; --digit, number /= 10)
    draw_glyph(static_cast<int32_t>(number % 10), scale * (2 + 6 * digit), 2 * scale, scale, 235);
}

void GeneratedClip::add_grain() {
  const uint32_t seed = hash(seed_ ^ 0x67a1u, static_cast<uint32_t>(next_));
  auto& luma = planes_[0];
  for (size_t i = 0; i < luma.size(); ++i) {
    const uint32_t r = hash(seed + static_cast<uint32_t>(i));
    const int32_t grain =
        static_cast<int32_t>(r & 3) - static_cast<int32_t>(r >> 2 & 3);  // -3..3, mostly small
    luma[i] = static_cast<uint8_t>(std::clamp(luma[i] + grain, 16, 235));
  }
}

void GeneratedClip::store(Frame& frame) const {
  frame.reset(video_);
  const int32_t width = video_.width, height = video_.height;
  const auto at = [&](size_t plane, int32_t x, int32_t y) {
    return static_cast<int32_t>(
        planes_[plane][static_cast<size_t>(std::min(y, height - 1)) * static_cast<size_t>(width) +
                       static_cast<size_t>(std::min(x, width - 1))]);
  };
  if (is_rgb(video_.format)) {
    // BT.601 with 8 fractional bits.
    const size_t step = video_.format == CTV_FORMAT_RGBA8 ? 4 : 3;
    uint8_t* out = frame.bytes().data();
    for (size_t i = 0; i < planes_[0].size(); ++i, out += step) {
      const int32_t y = 298 * (planes_[0][i] - 16) + 128, u = planes_[1][i] - 128, v = planes_[2][i] - 128;
      out[0] = static_cast<uint8_t>(std::clamp((y + 409 * v) >> 8, 0, 255));
      out[1] = static_cast<uint8_t>(std::clamp((y - 100 * u - 208 * v) >> 8, 0, 255));
      out[2] = static_cast<uint8_t>(std::clamp((y + 516 * u) >> 8, 0, 255));
      if (step == 4) out[3] = 255;
    }
    return;
  }
  // A chroma sample is the mean of its pixels.
  const ctv_picture picture = frame.picture();
  size_t plane = 0;
  for (const Channel& channel : channels(picture)) {
    const int32_t nx = (width + channel.width - 1) / channel.width,
                  ny = (height + channel.height - 1) / channel.height;
    uint8_t* data = const_cast<uint8_t*>(channel.data);  // the frame's own bytes
    for (int32_t y = 0; y < channel.height; ++y) {
      for (int32_t x = 0; x < channel.width; ++x) {
        int32_t sum = 0;
        for (int32_t j = 0; j < ny; ++j)
          for (int32_t i = 0; i < nx; ++i) sum += at(plane, x * nx + i, y * ny + j);
        data[y * channel.stride + x * channel.step] = static_cast<uint8_t>((sum + nx * ny / 2) / (nx * ny));
      }
    }
    ++plane;
  }
}

}  // namespace ctv::tools

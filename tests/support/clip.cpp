// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/clip.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

uint32_t hash(uint32_t x, uint32_t y, uint32_t z) {
  uint32_t h = x * 0x8da6b343U ^ y * 0xd8163841U ^ z * 0xcb1ab31fU;
  h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
  h = (h ^ (h >> 12)) * 0x297a2d39U;
  return h ^ (h >> 15);
}

// Bilinear value noise with cells of 2^log2_cell samples; position in 256ths of a sample; 0..255.
int value_noise(int x, int y, int log2_cell, uint32_t seed) {
  const int shift = log2_cell + 8;
  const int cx = x >> shift;
  const int cy = y >> shift;
  const int fx = (x >> log2_cell) & 255;
  const int fy = (y >> log2_cell) & 255;
  const auto corner = [&](int dx, int dy) {
    return static_cast<int>(hash(static_cast<uint32_t>(cx + dx), static_cast<uint32_t>(cy + dy), seed) & 255);
  };
  const int top = corner(0, 0) * (256 - fx) + corner(1, 0) * fx;
  const int bottom = corner(0, 1) * (256 - fx) + corner(1, 1) * fx;
  return (top * (256 - fy) + bottom * fy) >> 16;
}

// Slanted stripes with values -32..32, for the directional filters.
int stripes(int x, int y) {
  const int phase = ((x * 3 + y * 2) >> 6) & 63;
  return phase < 32 ? 2 * phase - 32 : 96 - 2 * phase;
}

struct Ycc {
  int y, cb, cr;
};

Ycc scene(int x, int y, int number, int width, int height, uint32_t seed) {
  int px = x * 256 + number * 320;  // 1.25 samples a frame
  int py = y * 256 - number * 192;  // 0.75 samples a frame
  const int radius = std::max(2, std::min(width, height) / 5);
  const int dx = x - (width / 3 + 2 * number) % std::max(1, width);
  const int dy = y - (height / 2 + number) % std::max(1, height);
  uint32_t texture = seed;
  if (dx * dx + dy * dy < radius * radius) {
    px = dx * 256;
    py = dy * 256;
    texture = seed + 77;
  }
  const int smooth = value_noise(px, py, 5, texture);
  const int fine = value_noise(px, py, 2, texture + 1);
  const int noise =
      static_cast<int>(hash(static_cast<uint32_t>(x * 4096 + y), static_cast<uint32_t>(number), seed + 5) &
                       3) -
      1;
  const int luma = 40 + smooth / 2 + (fine - 128) / 4 + stripes(px, py) / 2 + noise;
  return {std::clamp(luma, 0, 255), 64 + value_noise(px, py, 6, texture + 2) / 2,
          64 + value_noise(px, py, 4, texture + 3) / 2};
}

std::array<uint8_t, 3> to_rgb(const Ycc& s) {
  const int cb = s.cb - 128;
  const int cr = s.cr - 128;
  const auto limit = [](int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); };
  return {limit(s.y + cr), limit(s.y - (cb + cr) / 2), limit(s.y + cb)};
}

}  // namespace

ctv_format with_8_bits(ctv_format format) {
  switch (format) {
    case CTV_FORMAT_GRAY10:
    case CTV_FORMAT_GRAY12:
      return CTV_FORMAT_GRAY8;
    case CTV_FORMAT_I420_10:
    case CTV_FORMAT_I420_12:
      return CTV_FORMAT_I420;
    case CTV_FORMAT_I422_10:
    case CTV_FORMAT_I422_12:
      return CTV_FORMAT_I422;
    case CTV_FORMAT_I444_10:
    case CTV_FORMAT_I444_12:
      return CTV_FORMAT_I444;
    case CTV_FORMAT_P010:
      return CTV_FORMAT_NV12;
    default:
      return format;
  }
}

int bits_of(ctv_format format) {
  if (with_8_bits(format) == format) return 8;
  return format >= CTV_FORMAT_GRAY12 ? 12 : 10;
}

namespace {

int unused_bits(ctv_format format) { return format == CTV_FORMAT_P010 ? 6 : 0; }

/// A frame of 8 bits with low bits of noise.
Frame deepened(const Frame& from, ctv_format format, uint64_t seed) {
  Frame frame = make_frame(format, from.width, from.height);
  frame.number = from.number;
  const int more = bits_of(format) - 8;
  Random random(seed);
  for (size_t p = 0; p < 4; ++p) {
    for (size_t i = 0; i < from.planes[p].size(); ++i) {
      const int sample = from.planes[p][i] << more | random.between(0, (1 << more) - 1);
      const int word = sample << unused_bits(format);
      frame.planes[p][2 * i] = static_cast<uint8_t>(word);
      frame.planes[p][2 * i + 1] = static_cast<uint8_t>(word >> 8);
    }
  }
  return frame;
}

}  // namespace

std::array<PlaneShape, 4> plane_shapes(ctv_format format, int width, int height) {
  if (with_8_bits(format) != format) {
    auto shapes = plane_shapes(with_8_bits(format), width, height);
    for (PlaneShape& shape : shapes) shape.row_bytes *= 2;
    return shapes;
  }
  const auto w = static_cast<size_t>(width);
  const auto h = static_cast<size_t>(height);
  const size_t half_w = (w + 1) / 2;
  const size_t half_h = (h + 1) / 2;
  switch (format) {
    case CTV_FORMAT_GRAY8:
      return {{{w, h}}};
    case CTV_FORMAT_I420:
      return {{{w, h}, {half_w, half_h}, {half_w, half_h}}};
    case CTV_FORMAT_I422:
      return {{{w, h}, {half_w, h}, {half_w, h}}};
    case CTV_FORMAT_I444:
      return {{{w, h}, {w, h}, {w, h}}};
    case CTV_FORMAT_RGB8:
      return {{{3 * w, h}}};
    case CTV_FORMAT_RGBA8:
      return {{{4 * w, h}}};
    case CTV_FORMAT_NV12:
      return {{{w, h}, {2 * half_w, half_h}}};
    default:
      return {};
  }
}

Frame make_frame(ctv_format format, int width, int height) {
  Frame frame;
  frame.format = format;
  frame.width = width;
  frame.height = height;
  const auto shapes = plane_shapes(format, width, height);
  for (size_t p = 0; p < 4; ++p) frame.planes[p].resize(shapes[p].row_bytes * shapes[p].rows);
  return frame;
}

ctv_picture picture_of(const Frame& frame) {
  ctv_picture picture{};
  picture.struct_size = sizeof picture;
  picture.format = frame.format;
  picture.width = frame.width;
  picture.height = frame.height;
  const auto shapes = plane_shapes(frame.format, frame.width, frame.height);
  for (size_t p = 0; p < 4; ++p) {
    if (shapes[p].rows == 0) continue;
    picture.data[p] = const_cast<uint8_t*>(frame.planes[p].data());  // NOLINT(*-const-cast): only read
    picture.stride[p] = static_cast<ptrdiff_t>(shapes[p].row_bytes);
  }
  return picture;
}

Frame copy_of(const ctv_picture& picture) {
  Frame frame = make_frame(picture.format, picture.width, picture.height);
  frame.key_frame = picture.key_frame != 0;
  frame.number = picture.frame_number;
  const auto shapes = plane_shapes(picture.format, picture.width, picture.height);
  for (size_t p = 0; p < 4; ++p) {
    for (size_t r = 0; r < shapes[p].rows; ++r) {
      const auto* row =
          static_cast<const uint8_t*>(picture.data[p]) + static_cast<ptrdiff_t>(r) * picture.stride[p];
      std::copy_n(row, shapes[p].row_bytes, frame.planes[p].data() + r * shapes[p].row_bytes);
    }
  }
  return frame;
}

Frame moving_frame(ctv_format format, int width, int height, int number, uint32_t seed) {
  if (with_8_bits(format) != format) {
    return deepened(moving_frame(with_8_bits(format), width, height, number, seed), format,
                    seed + static_cast<uint64_t>(number));
  }
  Frame frame = make_frame(format, width, height);
  frame.number = number;
  const bool rgb = format == CTV_FORMAT_RGB8 || format == CTV_FORMAT_RGBA8;
  const size_t step = format == CTV_FORMAT_RGBA8 ? 4 : 3;
  const auto shapes = plane_shapes(format, width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Ycc s = scene(x, y, number, width, height, seed);
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
      if (rgb) {
        const auto c = to_rgb(s);
        std::copy_n(c.data(), 3, frame.planes[0].data() + i * step);
        if (step == 4) frame.planes[0][i * step + 3] = 255;
        continue;
      }
      frame.planes[0][i] = static_cast<uint8_t>(s.y);
    }
  }
  if (rgb || format == CTV_FORMAT_GRAY8) return frame;
  const bool interleaved = format == CTV_FORMAT_NV12;
  const size_t cols = interleaved ? shapes[1].row_bytes / 2 : shapes[1].row_bytes;
  const int sx = cols == static_cast<size_t>(width) && width > 1 ? 1 : 2;
  const int sy = shapes[1].rows == static_cast<size_t>(height) && height > 1 ? 1 : 2;
  for (size_t y = 0; y < shapes[1].rows; ++y) {
    for (size_t x = 0; x < cols; ++x) {
      const Ycc s = scene(static_cast<int>(x) * sx, static_cast<int>(y) * sy, number, width, height, seed);
      const size_t i = y * cols + x;
      frame.planes[1][interleaved ? 2 * i : i] = static_cast<uint8_t>(s.cb);
      frame.planes[interleaved ? 1 : 2][interleaved ? 2 * i + 1 : i] = static_cast<uint8_t>(s.cr);
    }
  }
  return frame;
}

std::vector<Frame> moving_clip(ctv_format format, int width, int height, int frames, uint32_t seed) {
  std::vector<Frame> clip;
  clip.reserve(static_cast<size_t>(frames));
  for (int i = 0; i < frames; ++i) clip.push_back(moving_frame(format, width, height, i, seed));
  return clip;
}

Frame noise_frame(ctv_format format, int width, int height, uint64_t seed) {
  if (with_8_bits(format) != format)
    return deepened(noise_frame(with_8_bits(format), width, height, seed), format, seed);
  Frame frame = make_frame(format, width, height);
  Random random(seed);
  for (auto& plane : frame.planes) {
    for (auto& v : plane) v = random.byte();
  }
  if (format == CTV_FORMAT_RGBA8) {
    for (size_t i = 3; i < frame.planes[0].size(); i += 4) frame.planes[0][i] = 255;
  }
  return frame;
}

double psnr(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  if (a.size() != b.size()) return 0;
  uint64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int d = a[i] - b[i];
    sum += static_cast<uint64_t>(d * d);
  }
  if (sum == 0) return 99;
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.size()) / static_cast<double>(sum));
}

double psnr(const Frame& a, const Frame& b) {
  if (bits_of(a.format) > 8) {
    double sum = 0;
    size_t count = 0;
    for (size_t p = 0; p < 4; ++p) {
      const auto sample = [&](const Frame& f, size_t i) {
        return (f.planes[p][i] | f.planes[p][i + 1] << 8) >> unused_bits(f.format);
      };
      for (size_t i = 0; i < a.planes[p].size(); i += 2, ++count)
        sum += std::pow(sample(a, i) - sample(b, i), 2);
    }
    const double peak = (1 << bits_of(a.format)) - 1;
    return sum == 0 ? 99 : 10 * std::log10(peak * peak * static_cast<double>(count) / sum);
  }
  std::vector<uint8_t> all_a;
  std::vector<uint8_t> all_b;
  for (size_t p = 0; p < 4; ++p) {
    all_a.insert(all_a.end(), a.planes[p].begin(), a.planes[p].end());
    all_b.insert(all_b.end(), b.planes[p].begin(), b.planes[p].end());
  }
  return psnr(all_a, all_b);
}

uint64_t digest(const Frame& frame) {
  uint64_t h = 0xcbf29ce484222325U;
  for (const auto& plane : frame.planes) {
    for (const uint8_t v : plane) h = (h ^ v) * 0x100000001b3U;
  }
  return h;
}

}  // namespace ctv::test

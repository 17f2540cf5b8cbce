// SPDX-License-Identifier: BSD-3-Clause
#include "bench/scaler.h"

#include <algorithm>

#include "cli/signals.h"
#include "io/channels.h"

namespace ctv::tools {
namespace {

constexpr int32_t kOne = 1 << 14;

/// Which samples make one sample of the result, and with which weights (sum kOne).
struct Taps {
  int32_t first = 0;
  std::vector<int32_t> weights;
};

/// Positions are in units of 1 / (2 * to) of a source sample: all that happens lies on that grid.
std::vector<Taps> taps_of(int32_t from, int32_t to) {
  std::vector<Taps> all(static_cast<size_t>(to));
  for (int32_t i = 0; i < to; ++i) {
    Taps& taps = all[static_cast<size_t>(i)];
    if (to < from) {
      const int64_t begin = int64_t{i} * from, end = begin + from, unit = to;
      taps.first = static_cast<int32_t>(begin / unit);
      int64_t done = 0, given = 0;
      for (int64_t s = taps.first; s * unit < end; ++s) {
        done += std::min(end, (s + 1) * unit) - std::max(begin, s * unit);
        const int64_t sum = (done * kOne + from / 2) / from;
        taps.weights.push_back(static_cast<int32_t>(sum - given));
        given = sum;
      }
    } else {
      const int64_t centre =
          (2 * int64_t{i} + 1) * from - to;  // in 1 / (2 to), relative to sample 0's centre
      const int64_t unit = 2 * int64_t{to};
      const int64_t left = std::clamp<int64_t>(centre, 0, (from - 1) * unit) / unit;
      const int64_t rest = std::clamp<int64_t>(centre - left * unit, 0, unit);
      const auto right = static_cast<int32_t>(rest * kOne / unit);
      taps.first = static_cast<int32_t>(left);
      taps.weights = {kOne - right};
      if (left + 1 < from) taps.weights.push_back(right);
      if (left + 1 >= from) taps.weights[0] = kOne;
    }
  }
  return all;
}

/// One channel: columns first, then rows. `step` is the distance of samples in memory.
void scale_channel(const uint8_t* from, int32_t from_width, int32_t from_height, size_t from_stride,
                   uint8_t* to, int32_t to_width, int32_t to_height, size_t to_stride, size_t step) {
  const std::vector<Taps> across = taps_of(from_width, to_width), down = taps_of(from_height, to_height);
  std::vector<int32_t> narrow(static_cast<size_t>(from_height) * across.size());  // sixteenths of a sample
  for (size_t y = 0; y < static_cast<size_t>(from_height); ++y) {
    for (size_t x = 0; x < across.size(); ++x) {
      int32_t sum = 0;
      const uint8_t* at = from + y * from_stride + static_cast<size_t>(across[x].first) * step;
      for (const int32_t w : across[x].weights) sum += w * *at, at += step;
      narrow[y * across.size() + x] = (sum + kOne / 32) / (kOne / 16);
    }
  }
  for (size_t y = 0; y < down.size(); ++y) {
    for (size_t x = 0; x < across.size(); ++x) {
      int32_t sum = 0;
      size_t at = static_cast<size_t>(down[y].first) * across.size() + x;
      for (const int32_t w : down[y].weights) sum += w * narrow[at], at += across.size();
      to[y * to_stride + x * step] = static_cast<uint8_t>(std::clamp((sum + kOne * 8) / (kOne * 16), 0, 255));
    }
  }
}

/// Samples that lie interleaved in a plane.
size_t samples_interleaved(ctv_format format, int plane) {
  if (format == CTV_FORMAT_RGB8) return 3;
  if (format == CTV_FORMAT_RGBA8) return 4;
  return format == CTV_FORMAT_NV12 && plane == 1 ? 2 : 1;
}

uint8_t clip8(int32_t v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

}  // namespace

Frame scale_frame(const Frame& frame, int32_t width, int32_t height) {
  VideoFormat video = frame.video();
  video.width = width;
  video.height = height;
  Frame scaled, source = frame;
  scaled.reset(video);
  for (int plane = 0; plane < 4 && frame.stride(plane) > 0; ++plane) {
    const size_t n = samples_interleaved(video.format, plane);
    for (size_t c = 0; c < n; ++c)
      scale_channel(source.plane(plane) + c, static_cast<int32_t>(source.stride(plane) / n),
                    static_cast<int32_t>(source.rows(plane)), source.stride(plane), scaled.plane(plane) + c,
                    static_cast<int32_t>(scaled.stride(plane) / n), static_cast<int32_t>(scaled.rows(plane)),
                    scaled.stride(plane), n);
  }
  return scaled;
}

Frame to_rgb(const Frame& frame) {
  VideoFormat video = frame.video();
  if (is_rgb(video.format)) return frame;
  video.format = CTV_FORMAT_RGB8;
  Frame rgb;
  rgb.reset(video);
  const std::vector<Channel> c = channels(frame.picture());
  uint8_t* out = rgb.plane(0);
  for (int32_t y = 0; y < video.height; ++y) {
    for (int32_t x = 0; x < video.width; ++x) {
      const int32_t luma = 298 * (c[0].at(x, y) - 16) + 128;
      int32_t cb = 0, cr = 0;
      if (c.size() == 3) {
        const int32_t cx = x * c[1].width / video.width, cy = y * c[1].height / video.height;
        cb = c[1].at(cx, cy) - 128;
        cr = c[2].at(cx, cy) - 128;
      }
      *out++ = clip8((luma + 409 * cr) >> 8);
      *out++ = clip8((luma - 100 * cb - 208 * cr) >> 8);
      *out++ = clip8((luma + 516 * cb) >> 8);
    }
  }
  return rgb;
}

Clip resized(const Clip& clip, int32_t width, int32_t height, bool rgb) {
  Clip result;
  result.name = clip.name;
  for (const Frame& frame : clip.frames) {
    check_interrupted();
    Frame scaled =
        clip.video.width == width && clip.video.height == height ? frame : scale_frame(frame, width, height);
    result.frames.push_back(rgb ? to_rgb(scaled) : std::move(scaled));
  }
  result.video = result.frames.front().video();
  result.digest = digest_of(result.frames);
  return result;
}

}  // namespace ctv::tools

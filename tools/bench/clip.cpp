// SPDX-License-Identifier: BSD-3-Clause
#include "bench/clip.h"

#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_STATIC
#include <stb/stb_image_resize.h>

#include <algorithm>
#include <new>

#include "cli/exit.h"
#include "cli/signals.h"
#include "io/channels.h"
#include "io/frame_writer.h"

namespace ctv::tools {
namespace {

/// Samples that lie interleaved in a plane.
int samples_interleaved(ctv_format format, int plane) {
  if (format == CTV_FORMAT_RGB8) return 3;
  if (format == CTV_FORMAT_RGBA8) return 4;
  return format == CTV_FORMAT_NV12 && plane == 1 ? 2 : 1;
}

uint8_t clip8(int32_t v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

}  // namespace

std::string clip_name(const std::string& path) {
  if (path.starts_with("generate:") || path.starts_with("cloth:")) return path;
  std::string name = path.substr(path.find_last_of('/') + 1);
  if (const size_t point = name.find_last_of('.'); point != std::string::npos && point > 0)
    name.resize(point);
  return name;
}

std::string digest_of(std::span<const Frame> frames) {
  Md5 md5;
  for (const Frame& frame : frames) md5.add(frame.bytes());
  return md5.finish();
}

Clip load_clip(const std::string& path, int64_t limit) {
  InputOptions input;
  input.path = path;
  const std::unique_ptr<FrameReader> reader = open_input(input);
  Clip clip;
  clip.name = clip_name(path);
  clip.video = reader->video();
  if (ctv_format_bits(clip.video.format) > 8)
    throw Failure(Exit::kFile, path + " has more than 8 bits a sample",
                  "ctenc --benchmark and --psnr take it");
  Frame frame;
  while (static_cast<int64_t>(clip.frames.size()) < limit && reader->read(frame)) {
    check_interrupted();
    clip.frames.push_back(frame);
  }
  if (clip.frames.empty()) throw Failure(Exit::kFile, path + " holds no pictures");
  clip.digest = digest_of(clip.frames);
  return clip;
}

void lay_out_for(const ctv_config& config, Clip& clip) {
  for (Frame& frame : clip.frames) {
    Frame moved(config.backend, config.device);
    moved = frame;
    frame = std::move(moved);
  }
}

void write_clip(const Clip& clip, const std::string& path, bool y4m, size_t frames) {
  OutputOptions output;
  output.path = path;
  output.kind = y4m ? OutputKind::kY4m : OutputKind::kRaw;
  output.fps_num = clip.video.fps_num;
  output.fps_den = clip.video.fps_den;
  const std::unique_ptr<FrameWriter> writer = open_output(output);
  const size_t count = frames > 0 ? frames : clip.frames.size();
  for (size_t i = 0; i < count; ++i) writer->write(clip.frames[i % clip.frames.size()].picture());
  writer->finish();
}

Frame scale_frame(const Frame& frame, int32_t width, int32_t height) {
  VideoFormat video = frame.video();
  video.width = width;
  video.height = height;
  Frame scaled, source = frame;
  scaled.reset(video);
  const auto filter = [](size_t from, size_t to) {
    return to < from ? STBIR_FILTER_BOX : STBIR_FILTER_TRIANGLE;
  };
  for (int plane = 0; plane < 4 && frame.stride(plane) > 0; ++plane) {
    const int n = samples_interleaved(video.format, plane);
    const auto columns = [&](const Frame& f) { return static_cast<int>(f.stride(plane)) / n; };
    const auto rows = [&](const Frame& f) { return static_cast<int>(f.rows(plane)); };
    if (stbir_resize(source.plane(plane), columns(source), rows(source), 0, scaled.plane(plane),
                     columns(scaled), rows(scaled), 0, STBIR_TYPE_UINT8, n, STBIR_ALPHA_CHANNEL_NONE, 0,
                     STBIR_EDGE_CLAMP, STBIR_EDGE_CLAMP, filter(source.stride(plane), scaled.stride(plane)),
                     filter(source.rows(plane), scaled.rows(plane)), STBIR_COLORSPACE_LINEAR, nullptr) == 0)
      throw std::bad_alloc();  // it fails for no other reason
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

std::string base64(const std::vector<uint8_t>& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? bytes[i + k] : 0U);
    for (size_t k = 0; k < 4; ++k) out += k <= n ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

Frame middle_of(const Frame& frame, int32_t width, int32_t height) {
  const Frame rgb = to_rgb(frame);
  VideoFormat video = rgb.video();
  const int32_t w = std::min(width, video.width), h = std::min(height, video.height);
  const int32_t x = (video.width - w) / 2, y = (video.height - h) / 2;
  const auto from = static_cast<std::ptrdiff_t>(video.width) * 3;
  video.width = w;
  video.height = h;
  Frame part;
  part.reset(video);
  auto to = part.bytes().begin();
  for (int32_t r = 0; r < h; ++r) to = std::copy_n(rgb.bytes().begin() + (y + r) * from + 3 * x, 3 * w, to);
  return part;
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

// SPDX-License-Identifier: BSD-3-Clause
#include "io/image_writer.h"

#include <algorithm>

#include "cli/exit.h"
#include "cli/text.h"
#include "io/channels.h"
#include "io/output_file.h"
#include "io/stb.h"

namespace ctv::tools {
namespace {

uint8_t clamp8(int32_t value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

/// stb's callback.
void append(void* context, void* data, int size) {
  auto* bytes = static_cast<std::vector<uint8_t>*>(context);
  const auto* begin = static_cast<const uint8_t*>(data);
  bytes->insert(bytes->end(), begin, begin + size);
}

}  // namespace

void to_rgb(const ctv_picture& picture, Frame& rgb) {
  const std::vector<Channel> c = channels(picture);
  VideoFormat video = rgb.video();
  video.format = c.size() == 1 ? CTV_FORMAT_GRAY8 : CTV_FORMAT_RGB8;
  video.width = picture.width;
  video.height = picture.height;
  rgb.reset(video);
  uint8_t* out = rgb.bytes().data();
  for (int32_t y = 0; y < picture.height; ++y) {
    for (int32_t x = 0; x < picture.width; ++x) {
      if (c.size() == 1) {
        *out++ = c[0].at(x, y);
        continue;
      }
      if (is_rgb(picture.format)) {
        for (int i = 0; i < 3; ++i) *out++ = c[static_cast<size_t>(i)].at(x, y);
        continue;
      }
      const int32_t cx = c[1].width == picture.width ? x : x / 2;
      const int32_t cy = c[1].height == picture.height ? y : y / 2;
      const int32_t luma = 298 * (c[0].at(x, y) - 16) + 128;
      const int32_t u = c[1].at(cx, cy) - 128, v = c[2].at(cx, cy) - 128;
      *out++ = clamp8((luma + 409 * v) >> 8);
      *out++ = clamp8((luma - 100 * u - 208 * v) >> 8);
      *out++ = clamp8((luma + 516 * u) >> 8);
    }
  }
}

ImageWriter::ImageWriter(const OutputOptions& options, bool png)
    : pattern_(options.path), path_(options.path), png_(png), next_(options.start_number) {
  if (options.path == "-" && png_)
    throw Failure(Exit::kUsage, "PNG images are not written to standard output");
}

void ImageWriter::write(const ctv_picture& picture) {
  if (!pattern_.numbered() && path_ != "-" && single_written_)
    throw Failure(Exit::kUsage, "'" + path_ + "' names one image, but there are more",
                  "out_%05d.png, or --frames 1");
  to_rgb(picture, rgb_);
  const bool grey = rgb_.video().format == CTV_FORMAT_GRAY8;
  const int components = grey ? 1 : 3;
  encoded_.clear();
  if (png_) {
    stbi_write_png_compression_level = 6;
    if (stbi_write_png_to_func(append, &encoded_, picture.width, picture.height, components,
                               rgb_.bytes().data(), picture.width * components) == 0)
      throw Failure(Exit::kFile, "cannot compress " + pattern_.name(next_));
  } else {
    const std::string header = text("P%d\n%d %d\n255\n", grey ? 5 : 6, picture.width, picture.height);
    encoded_.assign(header.begin(), header.end());
    encoded_.insert(encoded_.end(), rgb_.bytes().begin(), rgb_.bytes().end());
  }
  // A sequence of PPM images on standard output is what ffmpeg's image2pipe reads.
  OutputFile file(path_ == "-" ? path_ : pattern_.name(next_));
  file.write(std::span<const uint8_t>(encoded_));
  file.commit();
  size_ += encoded_.size();
  single_written_ = true;
  ++next_;
}

}  // namespace ctv::tools

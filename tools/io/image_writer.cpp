// SPDX-License-Identifier: BSD-3-Clause
#include "io/image_writer.h"

#include "cli/exit.h"
#include "cli/text.h"
#include "io/channels.h"
#include "io/output_file.h"
#include "io/stb.h"

namespace ctv::tools {
namespace {

void append(void* context, void* data, int size) {
  auto* bytes = static_cast<std::vector<uint8_t>*>(context);
  const auto* begin = static_cast<const uint8_t*>(data);
  bytes->insert(bytes->end(), begin, begin + size);
}

std::vector<uint8_t> samples_of(const ctv_picture& picture) {
  std::vector<uint8_t> samples;
  const std::vector<Channel> list = channels(picture);
  for (int32_t y = 0; y < picture.height; ++y)
    for (int32_t x = 0; x < picture.width; ++x)
      for (const Channel& channel : list) samples.push_back(static_cast<uint8_t>(channel.at(x, y)));
  return samples;
}

}  // namespace

std::vector<uint8_t> png_of(const ctv_picture& picture) {
  const std::vector<uint8_t> samples = samples_of(picture);
  const int components = picture.format == CTV_FORMAT_GRAY8 ? 1 : 3;
  std::vector<uint8_t> bytes;
  stbi_write_png_compression_level = 6;
  if (stbi_write_png_to_func(append, &bytes, picture.width, picture.height, components, samples.data(),
                             picture.width * components) == 0)
    throw Failure(Exit::kFile, "cannot compress a picture");
  return bytes;
}

ImageWriter::ImageWriter(const OutputOptions& options, bool png)
    : pattern_(options.path), path_(options.path), png_(png), next_(options.start_number) {
  if (options.path == "-" && png_)
    throw Failure(Exit::kUsage, "PNG images are not written to standard output");
}

void ImageWriter::write(const ctv_picture& picture) {
  if (!pattern_.numbered() && path_ != "-" && !files_.empty())
    throw Failure(Exit::kUsage, "'" + path_ + "' names one image, but there are more",
                  "out_%05d.png, or --frames 1");
  const bool grey = picture.format == CTV_FORMAT_GRAY8;
  if (!grey && !is_rgb(picture.format))
    throw Failure(Exit::kUsage, "images hold RGB or grey, and the pictures are YCbCr",
                  "convert with --format rgb");
  std::vector<uint8_t> encoded;
  if (png_) {
    encoded = png_of(picture);
  } else {
    const std::string header = text("P%d\n%d %d\n255\n", grey ? 5 : 6, picture.width, picture.height);
    const std::vector<uint8_t> samples = samples_of(picture);
    encoded.assign(header.begin(), header.end());
    encoded.insert(encoded.end(), samples.begin(), samples.end());
  }
  // ffmpeg's image2pipe reads a sequence of PPM images from standard output.
  files_.push_back(std::make_unique<OutputFile>(path_ == "-" ? path_ : pattern_.name(next_)));
  files_.back()->write(std::span<const uint8_t>(encoded));
  files_.back()->close();
  ++written_;
  size_ += encoded.size();
  ++next_;
}

void ImageWriter::finish() {
  for (const auto& file : files_) file->commit();
}

std::string ImageWriter::keep() {
  if (written_ == 0 || path_ == "-") return "";
  for (size_t i = 0; i < written_; ++i) files_[i]->commit();
  return path_;
}

}  // namespace ctv::tools

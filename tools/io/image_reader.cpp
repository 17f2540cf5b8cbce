// SPDX-License-Identifier: BSD-3-Clause
#include "io/image_reader.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>

#include "cli/exit.h"
#include "cli/text.h"
#include "io/byte_source.h"
#include "io/stb.h"

namespace ctv::tools {
namespace {

constexpr std::array<const char*, 7> kEndings = {"png", "jpg", "jpeg", "ppm", "pgm", "pnm", "bmp"};
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 30;

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

bool is_image_name(const std::string& path) {
  const std::string ending = extension_of(path);
  for (const char* known : kEndings)
    if (ending == known) return true;
  return false;
}

ImageReader::ImageReader(const InputOptions& options)
    : pattern_(options.path), max_pixels_(options.max_pixels) {
  if (pattern_.numbered()) {
    next_ = options.start_number.value_or(exists(pattern_.name(0)) ? 0 : 1);
    for (end_ = next_; exists(pattern_.name(end_));) ++end_;
    if (end_ == next_) {
      throw Failure(Exit::kFile, "there is no image " + pattern_.name(next_),
                    "--start-number says where a sequence begins");
    }
  } else {
    end_ = 1;
  }
  count_ = end_ - next_;
  Frame first;
  load(pattern_.name(next_), first);
  video_ = first.video();
  if (options.rate) {
    video_.fps_num = options.rate->first;
    video_.fps_den = options.rate->second;
  }
}

bool ImageReader::read(Frame& frame) {
  if (next_ >= end_) return false;
  load(pattern_.name(next_), frame);
  ++next_;
  return true;
}

void ImageReader::skip(int64_t n) { next_ += std::min(n, end_ - next_); }

void ImageReader::load(const std::string& path, Frame& frame) const {
  const std::unique_ptr<ByteSource> source = open_source(path);
  if (source->size().value_or(0) > kMaxFileBytes)
    throw Failure(Exit::kLimit, path + " is larger than " + std::to_string(kMaxFileBytes) + " bytes");
  std::vector<uint8_t> bytes;
  read_growing(*source, bytes, source->size().value_or(kMaxFileBytes));
  const auto size = static_cast<int>(bytes.size());
  int width = 0, height = 0, components = 0;
  // The header alone first: extents are checked before anything is allocated for them.
  if (stbi_info_from_memory(bytes.data(), size, &width, &height, &components) == 0)
    throw Failure(Exit::kFile, path + ": " + stbi_failure_reason(), "PNG, JPEG, PPM, PGM and BMP are read");
  check_extent(path, width, height, max_pixels_);
  if (stbi_is_16_bit_from_memory(bytes.data(), size) != 0)
    throw Failure(Exit::kFile, path + " has 16 bits a sample", "convert it to 8 bits first");

  VideoFormat video = video_;
  if (video.format == CTV_FORMAT_NONE) {
    video.format = components <= 2 ? CTV_FORMAT_GRAY8 : CTV_FORMAT_RGB8;
    video.width = width;
    video.height = height;
  } else if (video.width != width || video.height != height) {
    throw Failure(Exit::kFile, text("%s is %dx%d, but the first image is %dx%d", path.c_str(), width, height,
                                    video.width, video.height));
  }
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(bytes.data(), size, &width, &height, &components,
                            video.format == CTV_FORMAT_GRAY8 ? 1 : 3),
      stbi_image_free);
  if (!pixels) throw Failure(Exit::kFile, path + ": " + stbi_failure_reason());
  frame.reset(video);
  std::memcpy(frame.bytes().data(), pixels.get(), frame.bytes().size());
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
#include "io/image_reader.h"

#include <array>
#include <memory>

#include "cli/exit.h"
#include "cli/messages.h"
#include "cli/text.h"
#include "io/byte_source.h"
#include "io/file_status.h"
#include "io/image_file.h"

namespace ctv::tools {
namespace {

constexpr std::array<const char*, 7> kEndings = {"png", "jpg", "jpeg", "ppm", "pgm", "pnm", "bmp"};
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 30;

}  // namespace

bool is_image_name(const std::string& path) {
  const std::string ending = extension_of(path);
  for (const char* known : kEndings)
    if (ending == known) return true;
  return false;
}

ImageReader::ImageReader(const InputOptions& options)
    : pattern_(options.path, file_exists(options.path)), max_pixels_(options.max_pixels) {
  if (pattern_.numbered()) {
    next_ = options.start_number.value_or(file_exists(pattern_.name(0)) ? 0 : 1);
    for (end_ = next_; file_exists(pattern_.name(end_));) ++end_;
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
  if (next_ >= end_) {
    const std::optional<int64_t> later = pattern_.next_existing(end_);
    if (!later) return false;
    throw Failure(Exit::kFile, "there is no " + pattern_.name(end_) + ", but " + pattern_.name(*later),
                  "number the images without gaps, or give --frames or --start-number");
  }
  load(pattern_.name(next_), frame);
  ++next_;
  return true;
}

void ImageReader::skip(int64_t n) { next_ += std::min(n, end_ - next_); }

void ImageReader::load(const std::string& path, Frame& frame) {
  const std::unique_ptr<ByteSource> source = open_source(path);
  if (const std::optional<FileStatus> status = status_of(path)) marks_.emplace_back(*status);
  if (source->size().value_or(0) > kMaxFileBytes)
    throw Failure(Exit::kLimit, path + " is larger than " + std::to_string(kMaxFileBytes) + " bytes");
  std::vector<uint8_t> bytes;
  read_growing(*source, bytes, static_cast<size_t>(source->size().value_or(kMaxFileBytes)));
  Frame image;
  VideoFormat wanted;
  wanted.format = video_.format;
  image.describe(wanted);
  read_image(bytes, path, max_pixels_, image);
  VideoFormat video = image.video();
  if (video_.format != CTV_FORMAT_NONE && (video_.width != video.width || video_.height != video.height))
    throw Failure(Exit::kFile, text("%s is %dx%d, but the first image is %dx%d", path.c_str(), video.width,
                                    video.height, video_.width, video_.height));
  if (video_.format != CTV_FORMAT_NONE && video_.dropped.empty() && !video.dropped.empty()) {
    warn(path + ": the stream does not keep " + video.dropped);
    video_.dropped = video.dropped;  // once
  }
  video.fps_num = video_.fps_num;
  video.fps_den = video_.fps_den;
  frame.describe(video);
  frame.bytes().assign(image.bytes().begin(), image.bytes().end());
}

}  // namespace ctv::tools

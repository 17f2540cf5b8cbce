// SPDX-License-Identifier: BSD-3-Clause
// Chooses the reader of an input: by options (--size makes it raw), else by its name, else y4m or a format
// that libavformat reads.
#include "io/clip_generator.h"
#include "io/cloth_clip.h"
#include "io/container.h"
#include "io/frame_reader.h"
#include "io/frame_writer.h"
#include "io/image_reader.h"
#include "io/raw_reader.h"
#include "io/y4m_reader.h"

namespace ctv::tools {
namespace {

/// Replaces the rate in a y4m header by the user's.
class RatedReader : public FrameReader {
 public:
  RatedReader(std::unique_ptr<FrameReader> reader, std::pair<int32_t, int32_t> rate)
      : reader_(std::move(reader)) {
    video_ = reader_->video();
    video_.fps_num = rate.first;
    video_.fps_den = rate.second;
  }
  bool read(Frame& frame) override { return reader_->read(frame); }
  void skip(int64_t n) override { reader_->skip(n); }
  std::optional<int64_t> count() const override { return reader_->count(); }

 private:
  std::unique_ptr<FrameReader> reader_;
};

}  // namespace

std::unique_ptr<FrameReader> open_input(const InputOptions& options) {
  constexpr std::string_view kGenerate = "generate:";
  if (options.path.starts_with(kGenerate))
    return std::make_unique<GeneratedClip>(parse_clip(options.path.substr(kGenerate.size())));
  constexpr std::string_view kCloth = "cloth:";
  if (options.path.starts_with(kCloth))
    return std::make_unique<ClothClip>(parse_clip(options.path.substr(kCloth.size())));
  if (options.size) {
    VideoFormat video;
    video.format = options.raw_format;
    if (video.format == CTV_FORMAT_NONE) video.format = raw_format_of(options.path);
    if (video.format == CTV_FORMAT_NONE) video.format = CTV_FORMAT_I420;
    video.width = options.size->first;
    video.height = options.size->second;
    if (options.rate) video.fps_num = options.rate->first, video.fps_den = options.rate->second;
    check_extent(options.path, video.width, video.height, options.max_pixels);
    return std::make_unique<RawReader>(open_source(options.path), video);
  }
  if (options.path != "-" && is_image_name(options.path)) return std::make_unique<ImageReader>(options);
  if (is_foreign_video(options.path)) return open_foreign_video(options);
  std::unique_ptr<FrameReader> reader =
      std::make_unique<Y4mReader>(open_source(options.path), options.max_pixels);
  if (options.rate) return std::make_unique<RatedReader>(std::move(reader), *options.rate);
  return reader;
}

}  // namespace ctv::tools

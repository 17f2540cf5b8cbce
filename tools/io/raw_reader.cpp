// SPDX-License-Identifier: BSD-3-Clause
#include "io/raw_reader.h"

#include "cli/exit.h"
#include "cli/text.h"

namespace ctv::tools {

RawReader::RawReader(std::unique_ptr<ByteSource> source, const VideoFormat& video)
    : source_(std::move(source)) {
  video_ = video;
  if (video.format == CTV_FORMAT_RGBA8 || video.format == CTV_FORMAT_BGRA8) video_.dropped = "its alpha";
  if (source_->size() == 0) throw Failure(Exit::kFile, source_->name() + " is empty");
}

void RawReader::throw_cut(uint64_t got) const {
  throw Failure(
      Exit::kFile,
      text("%s: frame %lld is cut: %llu of %zu bytes", source_->name().c_str(),
           static_cast<long long>(next_frame_), static_cast<unsigned long long>(got), video_.frame_bytes()),
      "do --size and --raw-format fit the file?");
}

bool RawReader::read(Frame& frame) {
  frame.describe(video_);
  const size_t got = read_growing(*source_, frame.bytes(), video_.frame_bytes());
  if (got == 0) return false;
  if (got < video_.frame_bytes()) throw_cut(got);
  ++next_frame_;
  return true;
}

void RawReader::skip(int64_t n) {
  for (; n > 0; --n, ++next_frame_) {
    const uint64_t got = source_->skip(video_.frame_bytes());
    if (got == 0) return;
    if (got < video_.frame_bytes()) throw_cut(got);
  }
}

std::optional<int64_t> RawReader::count() const {
  const auto size = source_->size();
  if (!size) return std::nullopt;
  return static_cast<int64_t>(*size / video_.frame_bytes());
}

}  // namespace ctv::tools

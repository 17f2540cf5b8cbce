// SPDX-License-Identifier: BSD-3-Clause
// The packets of a file's video track, in the order of the file.
#pragma once

#include <memory>
#include <string>

#include "bindings/libav/libav.h"

namespace ctv::tools {

class Demuxer {
 public:
  /// Opens a regular file. Only formats that consist of one audio and video file are tried, so no playlist
  /// can name other files. probe: reads on until the track's size and codec are known. Throws Failure.
  Demuxer(const std::string& path, bool probe);
  ~Demuxer() { avformat_close_input(&format_); }
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;

  /// Reads the next packet; false at the end. Throws Failure(kFile) where the file is damaged or truncated.
  bool read(AVPacket& packet);

  const AVStream& track() const { return *track_; }
  bool has_sound() const;
  const std::string& name() const { return source_->name(); }

 private:
  [[noreturn]] void fail(int error, const std::string& said);

  std::unique_ptr<ByteSource> source_;
  LibavFile file_;
  AVFormatContext* format_ = nullptr;
  AVStream* track_ = nullptr;
};

}  // namespace ctv::tools

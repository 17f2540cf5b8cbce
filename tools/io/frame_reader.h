// SPDX-License-Identifier: BSD-3-Clause
// Readers of pictures. Each kind of input has a small class; open_input() chooses by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/frame.h"

namespace ctv::tools {

class FrameReader {
 public:
  virtual ~FrameReader() = default;
  const VideoFormat& video() const { return video_; }
  /// Reads the next picture; false at the end. Throws Failure(kFile) for a truncated or unreadable one. Its
  /// size may differ from that before.
  virtual bool read(Frame& frame) = 0;
  /// Skips the next n pictures, or all that are left.
  virtual void skip(int64_t n) {
    Frame frame;
    while (n-- > 0 && read(frame)) {
    }
  }
  /// Number of pictures, if known in advance.
  virtual std::optional<int64_t> count() const { return std::nullopt; }

 protected:
  VideoFormat video_;
};

struct InputOptions {
  std::string path;                                 // a file, "-", "img_%05d.png", "generate:..."
  std::optional<std::pair<int32_t, int32_t>> size;  // makes the input raw
  ctv_format raw_format = CTV_FORMAT_NONE;          // of raw video; NONE: from its name, else I420
  std::optional<std::pair<int32_t, int32_t>> rate;  // replaces the input's rate
  std::optional<int64_t> start_number;  // of an image sequence; default: 0 or 1, the first that exists
  uint64_t max_pixels = kMaxPixels;
};

std::unique_ptr<FrameReader> open_input(const InputOptions& options);

}  // namespace ctv::tools

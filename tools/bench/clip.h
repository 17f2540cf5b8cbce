// SPDX-License-Identifier: BSD-3-Clause
// A clip in memory, so that no measurement includes the disk, with a digest that identifies its samples.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/frame_reader.h"

namespace ctv::tools {

struct Clip {
  std::string name;  // without folder and ending
  VideoFormat video;
  std::vector<Frame> frames;
  std::string digest;  // MD5 of all samples
};

using Size = std::pair<int32_t, int32_t>;

/// The first `limit` frames of any input the tools read. Throws Failure, also for none.
Clip load_clip(const std::string& path, int64_t limit);
/// Moves the samples to memory that the configuration's backend reads without a copy.
void lay_out_for(const ctv_config& config, Clip& clip);
/// MD5 of all samples of some frames.
std::string digest_of(std::span<const Frame> frames);
/// "clips/o03.y4m" -> "o03"; "generate:..." stays.
std::string clip_name(const std::string& path);
/// Writes the clip as y4m or without headers, for peers that read files. Repeats it until there are `frames`;
/// 0: once.
void write_clip(const Clip& clip, const std::string& path, bool y4m, size_t frames = 0);

// One clip in several sizes, to compare cost: smaller by area means, larger by bilinear interpolation. Scales
// all planes and keeps the format.
Frame scale_frame(const Frame& frame, int32_t width, int32_t height);
/// Y'CbCr (BT.601, limited range) and grey to interleaved RGB, the input of the paper's coder; RGB is copied.
Frame to_rgb(const Frame& frame);
/// The middle of a frame as RGB, no larger than the frame.
Frame middle_of(const Frame& frame, int32_t width, int32_t height);
/// RFC 4648.
std::string base64(const std::vector<uint8_t>& bytes);
/// The clip in another size, optionally as RGB, with a new digest.
Clip resized(const Clip& clip, int32_t width, int32_t height, bool rgb);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// The encoding loop: pictures from a reader through the library into a file, and its results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/latency.h"
#include "cli/quality.h"
#include "ctenc/options.h"

namespace ctv::tools {

struct EncodeResult {
  ctv_config config{};
  std::string running;  // which backend and engine, and why
  int64_t frames = 0, key_frames = 0;
  uint64_t bytes = 0;  // of the whole stream
  uint64_t largest_packet = 0;
  uint64_t side_bytes = 0;           // of side payloads
  int64_t finest = 0, coarsest = 0;  // frames with the finest and with the coarsest step
  int64_t begin = 0, end = 0;        // times of the clip, in units of the stream
  double seconds = 0;                // wall clock, reading and writing included
  double steady_fps = 0;             // of the frames after warm-up; --benchmark only
  int64_t warm_up = 0;               // frames that steady_fps leaves out
  Latency latency;                   // from sending a picture to receiving its packet
  Quality quality;
  std::string verified;
  std::vector<ctv_stage_time> stages;
  bool interrupted = false;            // by a signal before the end of the input
  std::optional<Failure> input_ended;  // the error that ended the input

  bool complete() const { return !interrupted && !input_ended; }
  double fps() const { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }
  double shown() const { return static_cast<double>(end - begin) / config.fps_num; }  // seconds
  double kbps() const;
  double bits_per_pixel() const;
};

/// Encodes the input into a finished stream. A signal, or an input that becomes unreadable, ends it early:
/// the stream then holds all whole frames before, and the result says so. Other failures are thrown; earlier
/// frames are kept, too, without an index, and the message says so.
EncodeResult encode(const EncodeOptions& options, FrameReader& reader);
/// Text about the kept frames: "out.ctv holds the 12 frames before it".
std::string kept_frames(const std::string& output, int64_t frames, const char* until);

}  // namespace ctv::tools

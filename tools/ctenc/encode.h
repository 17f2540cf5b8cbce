// SPDX-License-Identifier: BSD-3-Clause
// The encoding loop: pictures from a reader through the library into a file, with what there is to report.
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
  int64_t finest = 0, coarsest = 0;  // frames at the ends of the range of steps
  double seconds = 0;                // wall clock, reading and writing included
  double steady_fps = 0;             // of the frames after warm-up; --benchmark only
  int64_t warm_up = 0;               // frames that steady_fps leaves out
  Latency latency;                   // from giving a picture to having its packet
  Quality quality;
  std::string verified;
  std::vector<ctv_stage_time> stages;
  bool interrupted = false;            // by a signal: the input was not read to its end
  std::optional<Failure> input_ended;  // what made the input unreadable after the frames encoded

  bool complete() const { return !interrupted && !input_ended; }
  double fps() const { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }
  double kbps() const;
  double bits_per_pixel() const;
};

/// Encodes the input into a finished stream. A signal, and an input that cannot be read any further, end it
/// early: the stream then holds all whole frames before, and the result says so. Other failures are thrown;
/// the frames before them are kept as well, without an index, and the message says so.
EncodeResult encode(const EncodeOptions& options, FrameReader& reader);
/// Where the frames encoded are: "out.ctv holds the 12 frames before it".
std::string kept_frames(const EncodeOptions& options, int64_t frames, const char* until);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// The decoding loop: units of a stream through the library into a writer, with seeking and continuation after
// damage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ctdec/options.h"

namespace ctv::tools {

struct DecodeResult {
  std::string running;  // which backend and engine, and why
  ctv_stream_info stream{};
  int32_t width = 0, height = 0;  // of the written pictures
  ctv_format format = CTV_FORMAT_NONE;
  int64_t frames = 0;          // written, including repeated ones
  int64_t repeated = 0;        // shown instead of missing pictures; --keep-going only
  int64_t concealed = 0;       // written without damaged parts, or predicted from such pictures
  int64_t damaged = 0;         // places where bytes were skipped
  int64_t dropped = 0;         // whole packets that cannot be decoded because their reference is missing
  std::optional<Failure> cut;  // the stream ends inside a unit; earlier pictures are written
  uint64_t bytes = 0;          // bytes of the stream read
  uint64_t written = 0;        // bytes of output
  double seconds = 0;          // wall clock, reading and writing included
  std::string md5;             // "" unless requested
  std::vector<ctv_stage_time> stages;

  bool complete() const { return !cut && damaged == 0 && concealed == 0 && dropped == 0 && repeated == 0; }
  double fps() const { return seconds > 0 ? static_cast<double>(frames) / seconds : 0; }
};

DecodeResult decode(const DecodeOptions& options);

std::string decode_summary(const DecodeOptions& options, const DecodeResult& result);
/// What was wrong with a stream that --keep-going went through.
std::string decode_damage(const DecodeResult& result);
std::string decode_json(const DecodeOptions& options, const DecodeResult& result);

}  // namespace ctv::tools

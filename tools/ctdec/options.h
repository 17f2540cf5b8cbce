// SPDX-License-Identifier: BSD-3-Clause
// The options of ctdec.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cli/options.h"
#include "cli/run_options.h"
#include "io/frame_writer.h"

namespace ctv::tools {

struct DecodeOptions {
  std::string input;
  OutputOptions output;
  int32_t reduction = 0;
  ctv_format format = CTV_FORMAT_NONE;  // NONE: format of the stream
  int64_t seek = 0;
  int64_t frames = -1;  // all
  std::optional<uint64_t> max_pixels, max_memory, max_packet_size;
  bool md5 = false, keep_going = false, conceal = false, benchmark = false, stage_times = false;
  std::string expected_md5;
  std::string mux;              // a container to write instead of pictures
  std::set<std::string> given;  // names of all given options
  RunOptions run;
};

ToolText ctdec_text();
void add_decode_options(Options& options, DecodeOptions& decode);
/// Completes options that depend on each other. Throws Failure(kUsage).
void complete_decode_options(DecodeOptions& decode);

}  // namespace ctv::tools

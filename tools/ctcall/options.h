// SPDX-License-Identifier: BSD-3-Clause
// The options of ctcall.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cli/options.h"
#include "cli/run_options.h"
#include "ctcall/call.h"
#include "io/frame_reader.h"

namespace ctv::tools {

struct CallCommand {
  CallOptions call;
  InputOptions input;
  bool generated = false;
  std::string preset = "default";
  int32_t block_size = 32;
  std::optional<int32_t> subpel;  // default: kSubpel, if the preset has vectors
  std::string replay, trace;      // files of sizes, to read and to write
  int64_t listen = -1;            // UDP port
  std::string connect;            // HOST:PORT
  std::set<std::string> given;
  RunOptions run;
};

ToolText ctcall_text();
void add_call_options(Options& options, CallCommand& command);
/// Throws Failure(kUsage) for options that exclude each other or have no effect.
void check_call_options(CallCommand& command);
ctv_config encoder_config(const CallCommand& command, const VideoFormat& video);
ctv_decoder_config decoder_config(const CallCommand& command);

}  // namespace ctv::tools

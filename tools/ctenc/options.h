// SPDX-License-Identifier: BSD-3-Clause
// The options of ctenc. Coding options are kept as edits of a ctv_config, applied to the preset, so the
// library's defaults are not duplicated.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/run_options.h"
#include "io/frame_reader.h"

namespace ctv::tools {

struct EncodeOptions {
  InputOptions input;
  std::string output;
  std::string preset = "default";
  std::vector<std::function<void(ctv_config&)>> edits;
  std::string generate;                  // a clip instead of an input
  std::set<std::string> given;           // the names of all options given
  std::set<std::string> given_settings;  // the fields of --set
  bool list_settings = false;
  RunOptions run;
  int64_t seek = 0;
  int64_t frames = -1;  // all
  bool psnr = false, ssim = false, verify = false, benchmark = false, stage_times = false;
  std::string csv;
};

ToolText ctenc_text();
void add_encode_options(Options& options, EncodeOptions& encode);
/// The preset with the options and the input's format.
ctv_config make_config(const EncodeOptions& encode, const VideoFormat& video);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// What scale, latency and streams have in common: one clip in one size, one variant, where it runs, reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/coding.h"
#include "bench/machine.h"

namespace ctv::tools {

struct CommonOptions {
  std::string clip;  // "": a generated one
  std::pair<int32_t, int32_t> size{1280, 720};
  Variant variant{"default", {"--preset", "default"}};
  std::vector<std::string> run;  // ctenc's options for how to run
  int64_t frames = 20;
  int runs = 3;
  bool progress = true, quiet = false;
  std::string json, csv;
};

void add_common_options(Options& options, CommonOptions& common);
/// The clip in a size; Y'CbCr as it is.
Clip load_common_clip(const CommonOptions& common, std::pair<int32_t, int32_t> size);
/// The variant with `more` of ctenc's options after it, for a clip.
ctv_config common_config(const CommonOptions& common, const Clip& clip, const std::vector<std::string>& more);
/// Parses; false: --help and the like have been answered.
bool parse_common(int argc, const char* const* argv, Options& options, CommonOptions& common);
/// What every document begins with.
Json common_json(const char* kind, const CommonOptions& common, bool complete);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Each stage of the codec by itself: the program ctstages (tools/bench/lab/stages), which sees the library's
// insides, checks and times them; what it writes is read, weighed against the machine's memory and shown
// here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/machine.h"

namespace ctv::tools {

struct StagesOptions {
  std::pair<int32_t, int32_t> size{1920, 1080};
  int runs = 11;
  bool progress = true, quiet = false;
  std::string json, csv;
};

struct StagesResult {
  Json runners = Json::array();  // backend, description; bytes a second: copy, upload, download
  Json rows = Json::array();     // as ctstages writes them, with "least_microseconds"
  std::vector<std::string> missing;
  bool complete = true;
};

/// Lines of ctstages, whole ones only.
StagesResult read_stages(const std::string& lines);
/// Stages that did not do what their definition says, or not what the first backend did.
std::vector<std::string> wrong_stages(const StagesResult& result);

StagesResult measure_stages(const StagesOptions& options);
std::string stages_text(const StagesOptions& options, const StagesResult& result);
Json stages_json(const StagesOptions& options, const StagesResult& result);

}  // namespace ctv::tools

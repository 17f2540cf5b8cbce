// SPDX-License-Identifier: BSD-3-Clause
// How cost grows: series of cases that differ in one thing.
#pragma once

#include "bench/common_options.h"

namespace ctv::tools {

struct ScaleCase {
  std::string label;
  std::pair<int32_t, int32_t> size;
  std::vector<std::string> options;     // ctenc's
  double encode_ms = 0, decode_ms = 0;  // a frame, median of the runs
  uint64_t bytes = 0;
  std::string running{};
  std::string error{};  // why it could not be measured
};

struct ScaleSeries {
  std::string name;
  std::vector<ScaleCase> cases{};
};

struct ScaleResult {
  std::vector<ScaleSeries> series;
  bool complete = true;
};

/// large: beyond 1920x1080 as well.
std::vector<ScaleSeries> scale_series(const CommonOptions& common, int cores, bool large);
ScaleResult measure_scale(const CommonOptions& common, std::vector<ScaleSeries> series);
std::string scale_text(const CommonOptions& common, const ScaleResult& result);
Json scale_json(const CommonOptions& common, const ScaleResult& result);

}  // namespace ctv::tools

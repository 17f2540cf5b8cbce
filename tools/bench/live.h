// SPDX-License-Identifier: BSD-3-Clause
// Live use: a source that gives a frame every 1/fps seconds and does not wait (latency), and several of them
// on one machine (streams).
#pragma once

#include "bench/common_options.h"
#include "bench/runner.h"

namespace ctv::tools {

struct LatencyRow {
  Runner runner;
  std::string running;
  std::vector<double> encode_ms;  // from the frame's due time to its packet
  std::vector<double> total_ms;   // to the decoded picture, decoder on the same machine
  int64_t late = 0;               // frames whose total passed the frame interval
};

struct LatencyResult {
  std::vector<LatencyRow> rows;
  std::vector<std::string> missing;
  bool complete = true;
};

LatencyResult measure_latency(const CommonOptions& common, double fps, double seconds);
std::string latency_text(const CommonOptions& common, const LatencyResult& result, double fps);
Json latency_json(const CommonOptions& common, const LatencyResult& result, double fps);

struct StreamsRow {
  Runner runner;
  int streams = 0;
  int devices = 1;
  double frames_per_second = 0;  // of all streams together
};

struct StreamsResult {
  std::vector<StreamsRow> rows;
  std::vector<std::string> missing;
  bool complete = true;
};

/// 1, 2, 4 ... up to `most` encoders at once, one thread each for the CPU's part; on the device that `common`
/// names and, if there are several in `devices`, spread over those as well.
StreamsResult measure_streams(const CommonOptions& common, int most,
                              const std::vector<int32_t>& devices = {});
std::string streams_text(const CommonOptions& common, const StreamsResult& result, double fps);
Json streams_json(const CommonOptions& common, const StreamsResult& result, double fps);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// The experiments of the papers that this codec builds on (tools/bench/lab), on this machine.
#pragma once

#include <string>
#include <vector>

#include "bench/lab/experiments.hpp"
#include "bench/machine.h"

namespace ctv::tools {

/// Densities of our own streams: what `ctv_density` counted in three 1080p clips (a street from a car, a wall
/// being painted, roofs; 28 to 54 frames, all planes for 4x4 and luma for 8x8, mean of the clips), coded by
/// the default preset with --transform h264-4x4 and h264-8x8 at each qp. A stream has one transform, so half
/// of the macroblocks are taken to have 8x8 blocks.
std::vector<lab::IdctMode> stream_modes();

struct PapersOptions {
  std::vector<std::string> only;                      // "dct8x8", "h264_idct", "h264_tq"; empty: all
  std::string image;                                  // "": a generated one
  std::vector<lab::IdctMode> modes = stream_modes();  // beside the paper's
  int qp = 28;
  int runs = 5, threads = 1;
  bool quick = false, progress = true, quiet = false;
  std::string json, csv;
};

struct PapersResult {
  lab::LabReport report;
  std::string gpu;     // its name; "": none
  std::string no_gpu;  // why
  bool complete = true;
};

/// "NAME:BLOCKS4,BLOCKS8,MACROBLOCKS8", shares 0..1. Throws Failure(kUsage).
lab::IdctMode parse_mode(const std::string& text);

PapersResult measure_papers(const PapersOptions& options);
std::string papers_text(const PapersOptions& options, const PapersResult& result);
Json papers_json(const PapersOptions& options, const PapersResult& result);

}  // namespace ctv::tools

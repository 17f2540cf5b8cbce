// SPDX-License-Identifier: BSD-3-Clause
// The experiments of the papers that this codec builds on (tools/lab), on this machine.
#pragma once

#include <string>
#include <vector>

#include "ctbench/machine.h"
#include "lab/experiments.hpp"

namespace ctv::tools {

struct PapersOptions {
  std::vector<std::string> only;  // "dct8x8", "h264_idct", "h264_tq"; empty: all
  std::string image;              // "": a generated one
  std::vector<lab::IdctMode> modes;
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

/// Shares of blocks as measured by `ctv_density` in streams of real clips, from sparse to dense.
std::vector<lab::IdctMode> default_modes();
/// "NAME:BLOCKS4,BLOCKS8,MACROBLOCKS8", shares 0..1. Throws Failure(kUsage).
lab::IdctMode parse_mode(const std::string& text);

PapersResult measure_papers(const PapersOptions& options);
std::string papers_text(const PapersOptions& options, const PapersResult& result);
Json papers_json(const PapersOptions& options, const PapersResult& result);

}  // namespace ctv::tools

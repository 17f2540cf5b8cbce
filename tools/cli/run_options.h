// SPDX-License-Identifier: BSD-3-Clause
// Options common to encoder and decoder: backend, device, threads, frames in flight, and messages.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/options.h"

namespace ctv::tools {

struct RunOptions {
  int32_t threads = 0;
  ctv_backend backend = CTV_BACKEND_AUTO;
  ctv_engine engine = CTV_ENGINE_AUTO;
  int32_t device = 0;
  int32_t frames_in_flight = 0;  // 0: the tool chooses
  bool list_devices = false;
  bool quiet = false;
  bool progress = true;
  std::string json;  // a file, "-", or "" for none
};

void add_run_options(Options& options, RunOptions& run);
/// Copies the options into a ctv_config or a ctv_decoder_config.
template <class Config>
void apply_run_options(const RunOptions& run, Config& config) {
  config.threads = run.threads;
  config.backend = run.backend;
  config.engine = run.engine;
  config.device = run.device;
  if (run.frames_in_flight > 0) config.frames_in_flight = run.frames_in_flight;
}
/// Throws Failure(kUsage) for options that have no effect together.
void check_run_options(const std::set<std::string>& given, const RunOptions& run);
/// Prints the CUDA devices, or why there are none.
void print_devices();

/// A stage table as text, longest first.
std::string stage_table(const std::vector<ctv_stage_time>& stages);
/// The first call starts the measurement.
std::vector<ctv_stage_time> stage_times(ctv_encoder* encoder);
std::vector<ctv_stage_time> stage_times(ctv_decoder* decoder);

/// Shows warnings, also the library's, on stderr unless quiet.
void show_library_log(bool quiet);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run_options.h"

#include <algorithm>
#include <cstdio>

#include "cli/messages.h"
#include "cli/names.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

template <class Handle>
std::vector<ctv_stage_time> times_of(Handle* handle,
                                     ctv_status (*get)(Handle*, ctv_stage_time*, size_t, size_t*)) {
  size_t count = 0;
  if (get(handle, nullptr, 0, &count) < 0) return {};
  std::vector<ctv_stage_time> stages(count);
  if (count > 0 && get(handle, stages.data(), stages.size(), &count) < 0) return {};
  return stages;
}

}  // namespace

void add_run_options(Options& options, RunOptions& run) {
  options.section("Running (no influence on the bytes)");
  options.integer("--threads", "N", "CPU threads; 0 is all cores that the process may use", 0, 256,
                  [&](int64_t n) { run.threads = static_cast<int32_t>(n); });
  options.initially("0");
  options.choice("--backend", kBackends, "Where the codec runs; auto takes a usable GPU, else the CPU",
                 [&](ctv_backend b) { run.backend = b; });
  options.initially("auto");
  options.choice("--engine", kEngines, "How filters are computed; auto takes the faster one",
                 [&](ctv_engine e) { run.engine = e; });
  options.initially("auto");
  options.integer("--device", "N", "CUDA device number", 0, 255,
                  [&](int64_t n) { run.device = static_cast<int32_t>(n); });
  options.initially("0");
  options.flag("--list-devices", "List the CUDA devices and end", [&] { run.list_devices = true; });
  options.integer("--in-flight", "N", "Frames worked on at once: 1 for latency, more for throughput", 1, 16,
                  [&](int64_t n) { run.frames_in_flight = static_cast<int32_t>(n); });
  options.initially("1");
  options.section("Reports");
  options.value(
      "--json", "FILE", "Write a summary as JSON; - is standard output",
      [&](const std::string& s) { run.json = s; }, ValueKind::kFile);
  options.flag("-q,--quiet", "Say nothing but errors", [&] { run.quiet = true; });
  options.flag("--no-progress", "No moving line on the terminal", [&] { run.progress = false; });
}

void check_run_options(const std::set<std::string>& given, const RunOptions& run) {
  if (given.contains("--device") && run.backend == CTV_BACKEND_CPU)
    throw Failure(Exit::kUsage, "--device has no effect with --backend cpu", "leave one out");
}

void print_devices() {
  const int count = ctv_device_count();
  if (count <= 0) {
    const std::string why = ctv_last_error();
    std::printf("no CUDA device%s%s\n", why.empty() ? "" : ": ", why.c_str());
  }
  for (int i = 0; i < count; ++i) {
    ctv_device_info info{};
    info.struct_size = sizeof info;
    if (ctv_device_get_info(i, &info) != CTV_OK) {
      std::printf("%d: %s\n", i, ctv_last_error());
      continue;
    }
    std::printf("%d: %s, %.1f GiB, compute capability %d.%d\n", i, info.name,
                static_cast<double>(info.memory) / (1 << 30), info.compute_major, info.compute_minor);
  }
}

std::string stage_table(const std::vector<ctv_stage_time>& stages) {
  std::vector<ctv_stage_time> sorted = stages;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  double total = 0;
  for (const ctv_stage_time& s : sorted) total += s.seconds;
  std::string out = text("%-28s %10s %12s %7s\n", "stage", "calls", "ms a call", "share");
  for (const ctv_stage_time& s : sorted) {
    const double calls = s.calls > 0 ? static_cast<double>(s.calls) : 1;
    out += text("%-28s %10llu %12.3f %6.1f%%\n", s.name, static_cast<unsigned long long>(s.calls),
                1000 * s.seconds / calls, total > 0 ? 100 * s.seconds / total : 0);
  }
  return out;
}

std::vector<ctv_stage_time> stage_times(ctv_encoder* encoder) {
  return times_of(encoder, &ctv_encoder_stage_times);
}
std::vector<ctv_stage_time> stage_times(ctv_decoder* decoder) {
  return times_of(decoder, &ctv_decoder_stage_times);
}

void show_library_log(bool quiet) {
  show_warnings(!quiet);
  ctv_set_log_callback(
      [](void*, ctv_log_level level, const char* message) {
        if (level == CTV_LOG_WARNING) warn(message);  // errors are also returned, and end the tool
      },
      nullptr);
}

}  // namespace ctv::tools

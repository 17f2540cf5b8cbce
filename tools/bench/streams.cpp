// SPDX-License-Identifier: BSD-3-Clause
// `ctbench streams`: how many live encoders one machine or device carries. Each stream is an encoder of its
// own in a thread of its own; all start together and run for the same number of frames.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <latch>
#include <thread>

#include "bench/live.h"
#include "bench/outputs.h"
#include "bench/status_line.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "cli/names.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

using Clock = std::chrono::steady_clock;

/// Frames a second of one encoder for each configuration, together.
double frames_per_second(const Clip& clip, const std::vector<ctv_config>& configs, int runs) {
  const auto streams = static_cast<int>(configs.size());
  std::latch ready(streams + 1);
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::vector<std::jthread> threads;
  for (int i = 0; i < streams; ++i) {
    threads.emplace_back([&, i] {
      bool arrived = false;
      try {
        Encoder encoder(configs[static_cast<size_t>(i)]);
        const auto code = [&](const Frame& frame) {
          check_interrupted();
          while (!encoder.send(frame.borrowed_picture())) encoder.receive();
          while (encoder.receive()) {
          }
        };
        for (const Frame& frame : clip.frames) code(frame);  // warm
        arrived = true;
        ready.arrive_and_wait();
        for (int run = 0; run < runs; ++run)
          for (const Frame& frame : clip.frames) code(frame);
        encoder.flush();
        while (encoder.receive()) {
        }
      } catch (...) {
        if (!failed.test_and_set()) failure = std::current_exception();
        if (!arrived) ready.count_down();
      }
    });
  }
  ready.arrive_and_wait();
  const Clock::time_point start = Clock::now();
  for (std::jthread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return static_cast<double>(clip.frames.size()) * runs * streams / seconds;
}

/// "all", or numbers with commas between them.
std::vector<int32_t> device_list(const std::string& s) {
  const int count = std::max(0, ctv_device_count());
  std::vector<int32_t> list;
  if (s == "all") {
    for (int i = 0; i < count; ++i) list.push_back(i);
    return list;
  }
  const auto numbers = parse_list(s);
  if (!numbers) throw Failure(Exit::kUsage, "--devices: '" + s + "' is no list", "all, or 0,1");
  for (const int32_t number : *numbers)
    if (number >= count)
      throw Failure(Exit::kDevice, text("--devices: there is no device %d, only %d of them", number, count));
  return *numbers;
}

}  // namespace

StreamsResult measure_streams(const CommonOptions& common, int most, const std::vector<int32_t>& devices) {
  StreamsResult result;
  StatusLine status(common.progress && !common.quiet);
  const auto measure = [&](const Clip& clip, const ctv_config& config, const Runner& runner,
                           const std::vector<int32_t>& spread) {
    const int count = std::max(1, static_cast<int>(spread.size()));
    for (int streams = count; streams <= most; streams *= 2) {
      const std::string what =
          text("%s, %d streams on %d device%s", runner.name().c_str(), streams, count, count > 1 ? "s" : "");
      status.show(what);
      std::vector<ctv_config> configs(static_cast<size_t>(streams), config);
      for (size_t i = 0; i < configs.size() && !spread.empty(); ++i)
        configs[i].device = spread[i % spread.size()];
      try {
        result.rows.push_back({runner, streams, count, frames_per_second(clip, configs, common.runs)});
      } catch (const Error& e) {  // the device's memory ends somewhere
        result.missing.push_back(what + ": " + e.what());
        return;
      }
    }
  };
  try {
    Clip clip = load_common_clip(common, common.size);
    const ctv_config config = common_config(common, clip, {"--threads", "1"});
    lay_out_for(config, clip);
    const Runners runners = available_runners(config);
    result.missing = runners.missing;
    for (const Runner& runner : runners.list) {
      ctv_config run = config;
      runner.apply(run);
      measure(clip, run, runner, {});
      if (runner.gpu() && devices.size() > 1) measure(clip, run, runner, devices);
    }
  } catch (const Interrupted&) {
    put_off_signal();
    result.complete = false;
  }
  return result;
}

std::string streams_text(const CommonOptions& common, const StreamsResult& result, double fps) {
  std::string out = text("%s, %dx%d, encoding; %s\n\n", common.variant.name.c_str(), common.size.first,
                         common.size.second, machine_line(machine_json()).c_str());
  Table table({"runs on", "devices", "streams", "fps together", "fps each", text("carried at %g fps", fps)});
  for (const StreamsRow& row : result.rows)
    table.add({row.runner.name(), row.runner.gpu() ? std::to_string(row.devices) : "-",
               std::to_string(row.streams), text("%.1f", row.frames_per_second),
               text("%.1f", row.frames_per_second / row.streams), text("%.1f", row.frames_per_second / fps)});
  out += table.text();
  for (const std::string& missing : result.missing) out += "left out: " + missing + "\n";
  return out + (result.complete ? "" : "Interrupted: some is missing.\n");
}

Json streams_json(const CommonOptions& common, const StreamsResult& result, double fps) {
  Json j = common_json("streams", common, result.complete);
  j["fps"] = fps;
  j["width"] = common.size.first;
  j["height"] = common.size.second;
  j["left_out"] = result.missing;
  j["results"] = Json::array();
  for (const StreamsRow& row : result.rows)
    j["results"].push_back({{"backend", name_of(kBackends, row.runner.backend)},
                            {"engine", name_of(kEngines, row.runner.engine)},
                            {"devices", row.runner.gpu() ? row.devices : 0},
                            {"streams", row.streams},
                            {"frames_per_second", row.frames_per_second}});
  return j;
}

Exit run_streams(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench streams";
  about.summary = "how many live encoders one machine or device carries";
  about.description =
      "CLIP, or a generated one, is encoded by 1, 2, 4 ... encoders at once, one CPU thread each, on one "
      "device and "
      "on several where there are several.";
  about.examples = {{"ctbench streams --size 1280x720 --most 32", "how many 720p conferences"}};
  Options options(about);
  CommonOptions common;
  int most = 8;
  double fps = 30;
  add_common_options(options, common);
  options.section("Measuring");
  options.integer("--most", "N", "At most so many streams; 8 unless given", 1, 1024,
                  [&](int64_t n) { most = static_cast<int>(n); });
  std::string devices = "all";
  options.value("--devices", "LIST", "Devices that streams are spread over: numbers, or all, as unless given",
                [&](const std::string& s) { devices = s; });
  options.integer("--fps", "N", "Frames a second that a stream needs; 30 unless given", 1, 1000,
                  [&](int64_t n) { fps = static_cast<double>(n); });
  if (!parse_common(argc, argv, options, common)) return Exit::kOk;
  const std::vector<int32_t> spread = device_list(devices);
  Outputs outputs({common.json, common.csv});
  const StreamsResult result = measure_streams(common, most, spread);
  const Json document = streams_json(common, result, fps);
  outputs.write(0, dump(document));
  outputs.write(1, csv_of(document["results"]));
  if (!common.quiet && !outputs.uses_stdout()) std::fputs(streams_text(common, result, fps).c_str(), stdout);
  return end_of_run(result.complete);
}

}  // namespace ctv::tools

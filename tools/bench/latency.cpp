// SPDX-License-Identifier: BSD-3-Clause
// `ctbench latency`: what a viewer of a live source waits. Frames come at their times, whether or not the
// last one is done; the wait of a frame counts from when it was due.
#include <chrono>
#include <cstdio>
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
constexpr double kShares[] = {0.5, 0.95, 0.99, 1};
constexpr const char* kShareNames[] = {"p50", "p95", "p99", "max"};

LatencyRow measure_runner(const Clip& clip, ctv_config config, const Runner& runner, double fps,
                          double seconds) {
  runner.apply(config);
  Encoder encoder(config);
  Decoder decoder(decoder_like(config));
  LatencyRow row;
  row.runner = runner;
  row.running = encoder.description();
  decoder.send(encoder.header().bytes());
  const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / fps));
  const auto frames = static_cast<int64_t>(seconds * fps);
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  Clock::time_point start{};
  // The first frame pays for what is made on demand: it comes before the clock starts.
  for (int64_t n = -1; n < frames; ++n) {
    check_interrupted();
    if (n == 0) start = Clock::now() + interval;
    const Clock::time_point due = n < 0 ? Clock::now() : start + n * interval;
    std::this_thread::sleep_until(due);
    const auto& frame = clip.frames[static_cast<size_t>(n + 1) % clip.frames.size()];
    encoder.send(frame.borrowed_picture());
    const std::optional<Unit> unit = encoder.receive();
    const Clock::time_point coded = Clock::now();
    if (!unit) throw Failure(Exit::kDefect, "no packet for a frame that was sent");
    decoder.send(unit->bytes());
    if (!decoder.receive()) throw Failure(Exit::kDefect, "no picture for a packet that was sent");
    if (n < 0) continue;
    row.encode_ms.push_back(ms(coded - due));
    row.total_ms.push_back(ms(Clock::now() - due));
    if (row.total_ms.back() > 1000 / fps) ++row.late;
  }
  return row;
}

}  // namespace

LatencyResult measure_latency(const CommonOptions& common, double fps, double seconds) {
  LatencyResult result;
  StatusLine status(common.progress && !common.quiet);
  try {
    Clip clip = load_common_clip(common, common.size);
    const ctv_config config = common_config(common, clip, {"--in-flight", "1"});
    lay_out_for(config, clip);
    const Runners runners = available_runners(config);
    result.missing = runners.missing;
    for (const Runner& runner : runners.list) {
      status.show(runner.name());
      result.rows.push_back(measure_runner(clip, config, runner, fps, seconds));
    }
  } catch (const Interrupted&) {
    put_off_signal();
    result.complete = false;
  }
  return result;
}

std::string latency_text(const CommonOptions& common, const LatencyResult& result, double fps) {
  std::string out =
      text("%s, %dx%d at %g frames a second, one frame in flight; %s\n\n", common.variant.name.c_str(),
           common.size.first, common.size.second, fps, machine_line(machine_json()).c_str());
  Table table(
      {"ms", "encode p50", "p95", "p99", "max", "with decode p50", "p95", "p99", "max", "late frames"});
  for (const LatencyRow& row : result.rows) {
    std::vector<std::string> cells = {row.runner.name()};
    for (const auto* values : {&row.encode_ms, &row.total_ms})
      for (const double share : kShares) cells.push_back(text("%.2f", quantile(*values, share)));
    cells.push_back(text("%lld of %zu", static_cast<long long>(row.late), row.total_ms.size()));
    table.add(cells);
  }
  out += table.text();
  for (const std::string& missing : result.missing) out += "left out: " + missing + "\n";
  return out + (result.complete ? "" : "Interrupted: some is missing.\n");
}

Json latency_json(const CommonOptions& common, const LatencyResult& result, double fps) {
  Json j = common_json("latency", common, result.complete);
  j["fps"] = fps;
  j["width"] = common.size.first;
  j["height"] = common.size.second;
  j["left_out"] = result.missing;
  j["results"] = Json::array();
  for (const LatencyRow& row : result.rows) {
    Json r = {{"backend", name_of(kBackends, row.runner.backend)},
              {"engine", name_of(kEngines, row.runner.engine)},
              {"running", row.running},
              {"frames", row.total_ms.size()},
              {"late", row.late}};
    for (size_t i = 0; i < std::size(kShares); ++i) {
      r["encode_ms"][kShareNames[i]] = quantile(row.encode_ms, kShares[i]);
      r["total_ms"][kShareNames[i]] = quantile(row.total_ms, kShares[i]);
    }
    j["results"].push_back(r);
  }
  return j;
}

Exit run_latency(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench latency";
  about.summary = "what a viewer of a live source waits";
  about.description = "CLIP, or a generated one, comes at its rate; times count from when a frame was due.";
  about.examples = {{"ctbench latency --size 1280x720 --fps 60", "a fast camera"}};
  Options options(about);
  CommonOptions common;
  double fps = 30, seconds = 10;
  add_common_options(options, common);
  options.section("Measuring");
  const auto positive = [](const char* name, const std::string& s) {
    const auto value = parse_real(s);
    if (!value || *value < 0.1 || *value > 3600)
      throw Failure(Exit::kUsage, std::string(name) + ": '" + s + "' is not a number", "0.1 to 3600");
    return *value;
  };
  options.value("--fps", "N", "Frames a second; 30 unless given",
                [&](const std::string& s) { fps = positive("--fps", s); });
  options.value("--seconds", "N", "How long for each backend and engine; 10 unless given",
                [&](const std::string& s) { seconds = positive("--seconds", s); });
  if (!parse_common(argc, argv, options, common)) return Exit::kOk;
  Outputs outputs({common.json, common.csv});
  const LatencyResult result = measure_latency(common, fps, seconds);
  const Json document = latency_json(common, result, fps);
  outputs.write(0, dump(document));
  outputs.write(1, csv_of(document["results"]));
  if (!common.quiet && !outputs.uses_stdout()) std::fputs(latency_text(common, result, fps).c_str(), stdout);
  return end_of_run(result.complete);
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// `ctbench speedup`: its command line.
#include <cstdio>

#include "bench/arguments.h"
#include "bench/outputs.h"
#include "bench/speedup.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

ToolText speedup_about() {
  ToolText about;
  about.name = "ctbench speedup";
  about.summary = "the paper's comparison of CPU and GPU, on this machine";
  about.description =
      "CLIPs, or a generated one, are scaled to the paper's sizes and coded with its parameters by every "
      "backend "
      "and engine there is. Prints its Tables II, III and IV with its own figures beside this machine's, and "
      "where the time goes. Bytes and pictures of all are compared; if they differ, no speedup is printed "
      "and "
      "the exit code is 70.";
  about.examples = {{"ctbench speedup", "the paper's tables from a generated clip"},
                    {"ctbench speedup a.y4m b.y4m c.y4m --json run.json", "averaged over real clips"},
                    {"ctbench speedup --quick --sizes 1280x720 --variant default", "a first impression"}};
  return about;
}

std::vector<Size> sizes(const std::string& s) {
  std::vector<Size> list;
  for (const std::string& part : split(s, ',')) {
    const auto size = parse_size(part);
    if (!size) throw Failure(Exit::kUsage, "--sizes: '" + part + "' is not WIDTHxHEIGHT");
    list.push_back(*size);
  }
  return list;
}

void add_speedup_options(Options& options, SpeedupOptions& speedup) {
  options.section("Measuring");
  options.value("--sizes", "LIST",
                "320x240,640x480,1280x720,1920x1080 unless given; 3840x2160 is a good fifth",
                [&](const std::string& s) { speedup.sizes = sizes(s); });
  options.value("--variant", "VARIANT",
                "A preset, or NAME:KEY=VALUE,... with ctenc's options as keys; paper unless given",
                [&](const std::string& s) { speedup.variant = parse_variant(s); });
  // Before --frames and --runs, which win: options take effect in the order in which they are described.
  options.flag("--quick", "3 runs of 5 frames: a first impression",
               [&] { speedup.frames = 5, speedup.runs = 3; });
  options.integer("--frames", "N", "Frames of each clip; 20 unless given", 1, 1 << 16,
                  [&](int64_t n) { speedup.frames = n; });
  options.integer("--runs", "N", "Runs that count; 10 unless given", 1, 1000,
                  [&](int64_t n) { speedup.runs = static_cast<int>(n); });
  options.flag("--as-is", "Code Y'CbCr as it is; otherwise pictures are made RGB, as the paper's are",
               [&] { speedup.rgb = false; });
  for (const char* name : {"--threads", "--device", "--in-flight"})
    options.value(name, "N", "As ctenc's", [&speedup, name](const std::string& s) {
      speedup.run.emplace_back(name);
      speedup.run.push_back(s);
    });
  options.section("Reports");
  options.value(
      "--json", "FILE", "Write all as JSON; - is standard output",
      [&](const std::string& s) { speedup.json = s; }, ValueKind::kFile);
  options.value(
      "--csv", "FILE", "Write every measurement as a line", [&](const std::string& s) { speedup.csv = s; },
      ValueKind::kFile);
  options.flag("-q,--quiet", "Say nothing but errors", [&] { speedup.quiet = true; });
  options.flag("--no-progress", "No moving line on the terminal", [&] { speedup.progress = false; });
}

}  // namespace

Exit run_speedup(int argc, const char* const* argv) {
  SpeedupOptions speedup;
  // One frame at a time, as the paper measured; --in-flight 4 tells the throughput.
  speedup.run = {"--in-flight", "1"};
  Options options(speedup_about());
  add_speedup_options(options, speedup);
  const Arguments arguments = take_arguments(argc, argv, options, {});
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
  speedup.clips = arguments.positional;
  variant_options(speedup.variant, speedup.run, {});  // what is wrong shows now
  Outputs outputs({speedup.json, speedup.csv});
  const SpeedupResult result = measure_speedup(speedup);
  if (result.rows.empty()) {
    if (!result.complete) return end_of_run(false);
    throw Failure(Exit::kFile, "nothing could be measured");
  }
  const Json document = speedup_json(speedup, result);
  outputs.write(0, dump(document));
  outputs.write(1, csv_of(document["results"]));
  if (!speedup.quiet && !outputs.uses_stdout()) std::fputs(speedup_text(speedup, result).c_str(), stdout);
  if (!result.differences.empty())
    throw Failure(Exit::kDefect, "backends differ: " + result.differences.front(), "no speedup is told");
  return end_of_run(result.complete);
}

}  // namespace ctv::tools

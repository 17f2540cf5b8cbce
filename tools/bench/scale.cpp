// SPDX-License-Identifier: BSD-3-Clause
// `ctbench scale`: how cost grows with threads, resolution, search range, levels and directions. One thing is
// changed at a time; everything else stays as the variant has it.
#include "bench/scale.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "bench/outputs.h"
#include "bench/status_line.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

std::string directions_list(int levels, const char* finest) {
  std::string s = finest;
  for (int i = 1; i < levels; ++i) s += ",0";
  return s;
}

}  // namespace

std::vector<ScaleSeries> scale_series(const CommonOptions& common, int cores, bool large) {
  std::vector<ScaleSeries> all;
  ScaleSeries threads{"threads", {}};
  for (int n = 1; n < cores; n *= 2)
    threads.cases.push_back({std::to_string(n), common.size, {"--threads", std::to_string(n)}});
  threads.cases.push_back({std::to_string(cores), common.size, {"--threads", std::to_string(cores)}});
  all.push_back(threads);
  ScaleSeries sizes{"resolution", {}};
  for (const auto& [width, height] : std::initializer_list<std::pair<int32_t, int32_t>>{
           {320, 240}, {640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}, {7680, 4320}})
    if (large || width <= 1920) sizes.cases.push_back({text("%dx%d", width, height), {width, height}, {}});
  all.push_back(sizes);
  ScaleSeries search{"search range", {}};
  for (const char* range : {"0", "4", "8", "16", "32"})
    search.cases.push_back({range, common.size, {"--search", range}});
  all.push_back(search);
  ScaleSeries levels{"levels (without directions)", {}};
  for (int n = 1; n <= 5; ++n)
    levels.cases.push_back({std::to_string(n),
                            common.size,
                            {"--scales", std::to_string(n), "--directions", directions_list(n, "0")}});
  all.push_back(levels);
  ScaleSeries directions{"directions of the finest of 3 levels", {}};
  for (const char* n : {"0", "2", "4", "8", "16"})
    directions.cases.push_back({n, common.size, {"--scales", "3", "--directions", directions_list(3, n)}});
  all.push_back(directions);
  return all;
}

ScaleResult measure_scale(const CommonOptions& common, std::vector<ScaleSeries> series) {
  ScaleResult result;
  StatusLine status(common.progress && !common.quiet);
  int64_t cases = 0;
  for (const ScaleSeries& s : series) cases += static_cast<int64_t>(s.cases.size());
  status.expect(cases);
  std::optional<Clip> clip;
  try {
    for (ScaleSeries& s : series) {
      result.series.push_back({s.name, {}});
      for (ScaleCase& c : s.cases) {
        status.show(s.name + " " + c.label);
        if (!clip || clip->video.width != c.size.first || clip->video.height != c.size.second)
          clip = load_common_clip(common, c.size);
        try {
          const ctv_config config = common_config(common, *clip, c.options);
          const CodedClip coded = encode_clip(config, *clip, common.runs + 1);
          const PassTimes decoded = decode_clip(decoder_like(config), coded.units, clip->frames.size());
          const auto ms = [&](const std::vector<double>& passes) {
            return 1000 * median({passes.begin() + 1, passes.end()}) /
                   static_cast<double>(clip->frames.size());
          };
          c.running = coded.times.running;
          c.bytes = coded.bytes;
          c.encode_ms = ms(coded.times.seconds);
          c.decode_ms = ms(decoded.seconds);
        } catch (const Error& e) {  // some combinations do not exist
          c.error = e.what();
        }
        result.series.back().cases.push_back(c);
        status.step();
      }
    }
  } catch (const Interrupted&) {
    put_off_signal();
    result.complete = false;
  }
  return result;
}

std::string scale_text(const CommonOptions& common, const ScaleResult& result) {
  std::string out = text("%s, %lld frames, %dx%d where nothing else is said; %s\n",
                         common.variant.name.c_str(), static_cast<long long>(common.frames),
                         common.size.first, common.size.second, machine_line(machine_json()).c_str());
  for (const ScaleSeries& s : result.series) {
    Table table({s.name, "encode ms", "decode ms", "bytes", "encode vs first"});
    for (const ScaleCase& c : s.cases) {
      if (!c.error.empty()) {
        table.add({c.label, c.error});
        continue;
      }
      const double first = s.cases.front().encode_ms;
      table.add({c.label, text("%.2f", c.encode_ms), text("%.2f", c.decode_ms),
                 text("%llu", static_cast<unsigned long long>(c.bytes)),
                 first > 0 ? text("%.2f", c.encode_ms / first) : "-"});
    }
    out += "\n" + table.text();
  }
  if (!result.complete) out += "\nInterrupted: some is missing.\n";
  return out;
}

Json scale_json(const CommonOptions& common, const ScaleResult& result) {
  Json j = common_json("scale", common, result.complete);
  j["series"] = Json::array();
  for (const ScaleSeries& s : result.series) {
    Json cases = Json::array();
    for (const ScaleCase& c : s.cases) {
      Json row = {
          {"label", c.label}, {"width", c.size.first}, {"height", c.size.second}, {"options", c.options}};
      if (c.error.empty()) {
        row["encode_ms"] = c.encode_ms;
        row["decode_ms"] = c.decode_ms;
        row["bytes"] = c.bytes;
        row["running"] = c.running;
      } else {
        row["error"] = c.error;
      }
      cases.push_back(row);
    }
    j["series"].push_back({{"name", s.name}, {"cases", cases}});
  }
  return j;
}

Exit run_scale(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench scale";
  about.summary = "how cost grows with threads, resolution, search, levels, directions";
  about.description = "CLIP, or a generated one, is coded with one thing changed at a time.";
  about.examples = {{"ctbench scale --variant paper", "of the paper's parameters"}};
  Options options(about);
  CommonOptions common;
  common.frames = 10;
  bool large = false;
  add_common_options(options, common);
  options.section("Measuring");
  options.flag("--large", "3840x2160 and 7680x4320 as well", [&] { large = true; });
  if (!parse_common(argc, argv, options, common)) return Exit::kOk;
  Outputs outputs({common.json, common.csv});
  const int cores = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U));
  const ScaleResult result = measure_scale(common, scale_series(common, cores, large));
  const Json document = scale_json(common, result);
  outputs.write(0, dump(document));
  Json rows = Json::array();
  for (const Json& series : document["series"])
    for (Json row : series["cases"]) {
      row["series"] = series["name"];
      rows.push_back(row);
    }
  outputs.write(1, csv_of(rows));
  if (!common.quiet && !outputs.uses_stdout()) std::fputs(scale_text(common, result).c_str(), stdout);
  return end_of_run(result.complete);
}

}  // namespace ctv::tools

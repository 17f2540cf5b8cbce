// SPDX-License-Identifier: BSD-3-Clause
#include "bench/speedup.h"

#include <algorithm>

#include "bench/measurement.h"
#include "bench/runner.h"
#include "bench/scaler.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "cli/text.h"
#include "io/clip_generator.h"

namespace ctv::tools {
namespace {

std::string size_of(const Json& row) {
  return text("%dx%d", row["width"].get<int>(), row["height"].get<int>());
}
std::string runner_of(const Json& row) { return words_of(row, {"backend", "engine"}); }

std::string ms(double value) { return text(value < 10 ? "%.3f" : value < 100 ? "%.2f" : "%.1f", value); }

// ---- Tables ---------------------------------------------------------------------------------------------

/// A column for each size.
template <typename Cell>
void add_row(Table& table, const std::string& name, const std::vector<std::string>& sizes, const Cell& cell) {
  std::vector<std::string> row = {name};
  for (const std::string& size : sizes) row.push_back(cell(size));
  table.add(row);
}

Table table_over(const std::string& first, const std::vector<std::string>& sizes) {
  std::vector<std::string> head = {first};
  head.insert(head.end(), sizes.begin(), sizes.end());
  return Table(head);
}

void add_paper_row(Table& table, const std::string& name, const std::vector<std::string>& sizes,
                   const std::string& figure) {
  add_row(table, name, sizes, [&](const std::string& size) {
    for (const Json& paper : paper_figures())
      if (size_of(paper) == size) return fixed(paper[figure], 3);
    return std::string("-");
  });
}

/// The median, and half of what lies between the quartiles of the runs, in per cent; the largest over clips.
std::string time_words(const Json& j, const std::string& runner, const std::string& size, const char* what) {
  const std::optional<double> mean = mean_ms(j, runner, size, what);
  if (!mean) return "-";
  double widest = 0;
  for (const Json& row : j["results"]) {
    if (runner_of(row) != runner || size_of(row) != size) continue;
    const Json& q = row[what]["quartiles"];
    widest = std::max(
        widest, 50 * (q[1].get<double>() - q[0].get<double>()) / row[what]["ms_per_frame"].get<double>());
  }
  return ms(*mean) + text(" ± %.0f %%", widest);
}

std::string times_table(const Json& j, const char* what) {
  const std::vector<std::string> sizes = unique(j["results"], &size_of);
  Table table = table_over("ms a frame", sizes);
  add_paper_row(table, "paper, CPU", sizes, what + std::string("_cpu"));
  add_paper_row(table, "paper, GPU", sizes, what + std::string("_gpu"));
  for (const std::string& runner : unique(j["results"], &runner_of))
    add_row(table, "here, " + runner, sizes,
            [&](const std::string& size) { return time_words(j, runner, size, what); });
  return table.text();
}

std::string speedup_table(const Json& j) {
  const std::vector<std::string> sizes = unique(j["results"], &size_of);
  Table table = table_over("CPU time / GPU time", sizes);
  for (const auto& [what, words] : {std::pair{"encode", "encoding"}, std::pair{"decode", "decoding"}}) {
    add_paper_row(table, std::string("paper, ") + words, sizes, what + std::string("_speedup"));
    add_row(table, std::string("here, ") + words, sizes, [&, what = what](const std::string& size) {
      const std::optional<double> value = speedup_of(j, size, what);
      return value ? text("%.3f", *value) : std::string("-");
    });
  }
  return table.text();
}

/// One column a runner, at the largest size; the mean over clips.
std::string stage_breakdown(const Json& j, const char* what) {
  Json rows = Json::array(), stages = Json::array();
  const std::string size = size_of(j["results"].back());
  for (const Json& row : j["results"])
    if (size_of(row) == size) rows.push_back(row);
  for (const Json& row : rows)
    for (const Json& stage : row[what]["stages"]) stages.push_back(stage);
  const std::vector<std::string> runners = unique(rows, &runner_of);
  Table table = table_over("ms a frame, " + size, runners);
  for (const std::string& name : unique(stages, [](const Json& s) { return s["name"].get<std::string>(); }))
    add_row(table, name, runners, [&](const std::string& runner) {
      std::vector<double> values;
      for (const Json& row : rows)
        for (const Json& stage : row[what]["stages"])
          if (runner_of(row) == runner && stage["name"] == name) values.push_back(stage["ms_per_frame"]);
      return values.empty() ? "-" : ms(mean(values));
    });
  return table.text();
}

// ---- Measuring ------------------------------------------------------------------------------------------

Json timing(const std::vector<double>& ms_per_frame, const PassTimes& times, size_t frames) {
  Json j = timing_json(ms_per_frame);
  j["stages"] = Json::array();
  const double all = static_cast<double>(frames * ms_per_frame.size());
  for (const ctv_stage_time& stage : times.stages)
    j["stages"].push_back({{"name", stage.name}, {"ms_per_frame", 1000 * stage.seconds / all}});
  return j;
}

/// The paper's subject is RGB video.
Clip generated(Size size, bool rgb, int64_t frames) {
  ClipSpec spec;
  spec.video = {rgb ? CTV_FORMAT_RGB8 : CTV_FORMAT_I420, size.first, size.second, 25, 1};
  spec.frames = frames;
  GeneratedClip generator(spec);
  Clip clip;
  clip.name = "generated";
  clip.video = spec.video;
  Frame frame;
  while (generator.read(frame)) clip.frames.push_back(frame);
  return clip;
}

/// What the first runner made of a clip, which all others must make as well.
struct Reference {
  std::vector<std::vector<uint8_t>> units;
  std::string pictures, runner;
};

void measure_runner(Measurement& m, Json& j, const Clip& clip, ctv_config config, const Runner& runner,
                    Reference& reference) {
  runner.apply(config);
  const std::string where = text("%s %dx%d", clip.name.c_str(), clip.video.width, clip.video.height);
  m.show(where + ", " + runner.name());
  const TimedClip timed = time_clip(config, clip, m.runs);
  const Seen seen = look_at(config, clip, timed.coded);
  Json row = {{"clip", clip.name},
              {"digest", clip.digest},
              {"width", clip.video.width},
              {"height", clip.video.height}};
  row.update(runner.json());
  row["running"] = timed.coded.times.running;
  row["bytes"] = timed.coded.bytes;
  row["psnr"] = number(seen.meter.decibels());
  row["encode"] = timing(timed.encode_ms, timed.coded.times, clip.frames.size());
  row["decode"] = timing(timed.decode_ms, timed.decoded, clip.frames.size());
  j["results"].push_back(row);
  if (reference.pictures.empty()) {
    reference = {timed.coded.units, seen.md5, runner.name()};
    return;
  }
  const std::string both = where + ": " + reference.runner + " and " + runner.name();
  const auto different = std::mismatch(reference.units.begin(), reference.units.end(),
                                       timed.coded.units.begin(), timed.coded.units.end());
  if (different.first != reference.units.end() || different.second != timed.coded.units.end())
    j["differences"].push_back(both + text(" made different bytes, first in unit %zu",
                                           static_cast<size_t>(different.first - reference.units.begin())));
  if (seen.md5 != reference.pictures) j["differences"].push_back(both + " decoded different pictures");
}

void measure_clip(Measurement& m, Json& j, const Clip& source, const std::vector<Size>& sizes, bool rgb) {
  for (const Size& size : sizes) {
    m.show(text("%s: scaling to %dx%d", source.name.c_str(), size.first, size.second));
    const Clip clip = resized(source, size.first, size.second, rgb);
    ctv_config config = m.config(clip, {});
    if (config.threads == 0) config.threads = cores();  // all, but with their number in the record
    j["settings"]["threads"] = config.threads;
    j["settings"]["frames_in_flight"] = config.frames_in_flight;
    const Runners runners = available_runners(config);
    for (const std::string& missing : runners.missing) m.leave_out(missing);
    Reference reference;
    for (const Runner& runner : runners.list) measure_runner(m, j, clip, config, runner, reference);
  }
}

/// What follows from the results.
void conclude(Json& j) {
  j["identical"] = j["differences"].empty();
  j["paper"] = paper_figures();
  j["speedup"] = Json::array();
  const auto value = [](std::optional<double> v) { return v ? Json(*v) : Json(nullptr); };
  for (const std::string& size : unique(j["results"], &size_of)) {
    const Size extent = *parse_size(size);
    j["speedup"].push_back({{"width", extent.first},
                            {"height", extent.second},
                            {"encode", value(speedup_of(j, size, "encode"))},
                            {"decode", value(speedup_of(j, size, "decode"))}});
  }
}

std::vector<Size> parse_sizes(const std::string& s) {
  std::vector<Size> list;
  for (const std::string& part : split(s, ',')) {
    const auto size = parse_size(part);
    if (!size) throw Failure(Exit::kUsage, "--sizes: '" + part + "' is not WIDTHxHEIGHT");
    list.push_back(*size);
  }
  return list;
}

}  // namespace

Json paper_figures() {
  constexpr const char* kNames[] = {"width",      "height",     "encode_cpu",     "encode_gpu",
                                    "decode_cpu", "decode_gpu", "encode_speedup", "decode_speedup"};
  constexpr double kFigures[][8] = {{320, 240, 159.100, 56.667, 149.200, 44.800, 2.808, 3.330},
                                    {640, 480, 612.833, 98.367, 594.600, 70.833, 6.230, 8.394},
                                    {1280, 720, 1866.233, 196.600, 1828.333, 122.433, 9.493, 14.933},
                                    {1920, 1080, 4239.433, 383.733, 4202.433, 197.267, 11.048, 21.303}};
  Json list = Json::array();
  for (const auto& figures : kFigures) {
    Json row;
    for (size_t i = 0; i < 8; ++i)
      row[kNames[i]] = i < 2 ? Json(static_cast<int>(figures[i])) : Json(figures[i]);
    list.push_back(row);
  }
  return list;
}

std::optional<double> mean_ms(const Json& document, const std::string& runner, const std::string& size,
                              const char* what) {
  std::vector<double> medians;
  for (const Json& row : document["results"])
    if (runner_of(row) == runner && size_of(row) == size) medians.push_back(row[what]["ms_per_frame"]);
  if (medians.empty()) return std::nullopt;
  return mean(medians);
}

std::optional<double> speedup_of(const Json& document, const std::string& size, const char* what) {
  if (!document["differences"].empty()) return std::nullopt;
  std::optional<double> best[2];
  for (const std::string& runner : unique(document["results"], &runner_of)) {
    const std::optional<double> time = mean_ms(document, runner, size, what);
    std::optional<double>& kind = best[runner.starts_with("cuda") ? 1 : 0];
    if (time && (!kind || *time < *kind)) kind = time;
  }
  if (!best[0] || !best[1] || *best[1] <= 0) return std::nullopt;
  return *best[0] / *best[1];
}

std::string speedup_text(const Json& j) {
  const Json& settings = j["settings"];
  std::string out = text("%s, %d threads, %d in flight; %s\n\n",
                         settings["variant"].get<std::string>().c_str(), settings["threads"].get<int>(),
                         settings["frames_in_flight"].get<int>(), machine_line(j["machine"]).c_str());
  out += "Table III, encoding:\n\n" + times_table(j, "encode") + "\nTable IV, decoding:\n\n" +
         times_table(j, "decode");
  if (j["differences"].empty()) {
    const bool alone = unique(j["results"], &runner_of).size() == 1;
    out += "\nTable II, speedup (fastest engine of each; ";
    out += alone ? "nothing to compare with on this machine):\n\n"
                 : "all made the same bytes and pictures in this run):\n\n";
    out += speedup_table(j);
  } else {
    out += "\nNo speedup is told, because not all did the same work:\n";
    for (const Json& difference : j["differences"]) out += "  " + difference.get<std::string>() + "\n";
  }
  return out + "\nWhere encoding spends its time (stages of several threads overlap):\n\n" +
         stage_breakdown(j, "encode") + "\nWhere decoding does:\n\n" + stage_breakdown(j, "decode");
}

Exit run_speedup(int argc, const char* const* argv) {
  Measurement m(
      "speedup", "the paper's comparison of CPU and GPU, on this machine",
      "CLIPs, or a generated one, are scaled to the paper's sizes and coded with its parameters by every "
      "backend and engine there is. Prints its Tables II, III and IV with its own figures and this "
      "machine's, and where the time goes. Bytes and pictures of all are compared; if they differ, no "
      "speedup is printed and the exit code is 70.",
      {{"ctbench speedup", "the paper's tables from a generated clip"},
       {"ctbench speedup a.y4m b.y4m c.y4m --json run.json", "averaged over real clips"},
       {"ctbench speedup --quick --sizes 1280x720 --variant default", "a first impression"}});
  m.most_clips = SIZE_MAX;
  m.variant = parse_variant("paper");
  m.run_words = {"--in-flight", "1"};  // as the paper measured; --in-flight 4 tells the throughput
  m.runs = 10;
  bool rgb = true;
  std::vector<Size> sizes = parse_sizes("320x240,640x480,1280x720,1920x1080");
  m.options.value("--sizes", "LIST",
                  "320x240,640x480,1280x720,1920x1080 unless given; 3840x2160 is a good fifth",
                  [&](const std::string& s) { sizes = parse_sizes(s); });
  m.variant_option();
  // Before --frames and --runs, which win: options take effect in the order in which they are described.
  m.options.flag("--quick", "3 runs of 5 frames: a first impression", [&] { m.frames = 5, m.runs = 3; });
  m.count("--frames", "Frames of each clip", 1, 1 << 16, m.frames);
  m.count("--runs", "Runs that count, after one to warm up", 1, 1000, m.runs);
  m.options.flag("--as-is", "Code Y'CbCr as it is; otherwise pictures are made RGB, as the paper's are",
                 [&] { rgb = false; });
  m.run_options({"--threads", "--device", "--in-flight"});
  const auto measure = [&](Json& j) {
    j["settings"] = m.settings();
    j["differences"] = j["results"] = Json::array();
    try {
      if (m.clips.empty())
        measure_clip(m, j, generated(*std::max_element(sizes.begin(), sizes.end()), rgb, m.frames), sizes,
                     rgb);
      for (const std::string& path : m.clips) {
        std::optional<Clip> clip;
        try {
          clip = load_clip(path, m.frames);
        } catch (const Failure& e) {
          if (e.code() != Exit::kFile) throw;
          m.leave_out(e.what());
        }
        if (clip) measure_clip(m, j, *clip, sizes, rgb);
      }
    } catch (...) {
      conclude(j);
      throw;
    }
    conclude(j);
  };
  const auto defect = [](const Json& j) {
    return j["differences"].empty() ? "" : "backends differ: " + j["differences"][0].get<std::string>();
  };
  return m.run(argc, argv, {.measure = measure, .text = &speedup_text, .defect = defect});
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// `ctbench scale`: the dependence of cost on threads, resolution, search range, scales and directions,
// changed one at a time, and on segments of a clip in separate processes (docs/tools.md).
#include <filesystem>
#include <utility>

#include "bench/measurement.h"
#include "bench/process.h"
#include "bench/statistics.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

struct Case {
  std::string label;
  Size size;
  std::vector<std::string> options;  // ctenc's
};
using Series = std::pair<std::string, std::vector<Case>>;

std::vector<Series> all_series(Size size) {
  std::vector<Series> all = {{"threads", {}},
                             {"resolution", {}},
                             {"search range", {}},
                             {"levels (without directions)", {}},
                             {"directions of the finest of 3 levels", {}}};
  for (int n = 1;; n = std::min(2 * n, cores())) {
    all[0].second.push_back({std::to_string(n), size, {"--threads", std::to_string(n)}});
    if (n == cores()) break;
  }
  for (const Size& s : {Size{320, 240}, {640, 480}, {1280, 720}, {1920, 1080}})
    all[1].second.push_back({text("%dx%d", s.first, s.second), s, {}});
  for (const char* range : {"0", "4", "8", "16", "32"})
    all[2].second.push_back({range, size, {"--set", text("search_range=%s", range)}});
  std::string none = "0";
  for (int n = 1; n <= 5; ++n, none += ",0")
    all[3].second.push_back(
        {std::to_string(n), size, {"--set", "scales=" + std::to_string(n), "--set", "directions=" + none}});
  for (const std::string n : {"0", "2", "4", "8", "16"})
    all[4].second.push_back({n, size, {"--set", "scales=3", "--set", "directions=" + n + ",0,0"}});
  return all;
}

/// Codes segments of a clip by up to eight ctenc processes with one thread each, like machines that share an
/// archive. Includes reading the clip and starting the programs.
Json time_segments(const Measurement& m) {
  constexpr int kFrames = 64, kKeyInterval = 8;
  const ScratchFolder scratch;
  write_clip(m.load(m.size), scratch.file("clip.y4m"), true, kFrames);
  const auto ctenc = std::filesystem::read_symlink("/proc/self/exe").replace_filename("ctenc");
  const std::vector<std::string> options = {"--keyint",  "8",  "--no-scenecut", "--threads", "1",
                                            "--backend", "cpu"};
  Json cases;
  for (int n = 1;; n = std::min({2 * n, cores(), 8})) {
    const int each = (kFrames / kKeyInterval + n - 1) / n * kKeyInterval;
    std::vector<std::string> command = {
        ctenc,      scratch.file("clip.y4m"), "--seek", "{}", "-q", "-o", scratch.file("{}.ctv"),
        "--frames", std::to_string(each)};
    for (const auto* words : {&m.variant.arguments, &options})
      command.insert(command.end(), words->begin(), words->end());
    const std::string line =
        text("seq 0 %d %d | xargs -P %d -I{} ", each, kFrames - 1, n) + shown_command(command);
    std::vector<double> times;
    for (int64_t i = 0; i < m.runs; ++i) {
      const ProcessResult result = run_process({"sh", "-c", line});
      if (result.code != 0) throw Failure(Exit::kFile, "ctenc failed: " + result.last_line());
      times.push_back(1000 * result.seconds / kFrames);
    }
    uintmax_t bytes = 0;
    for (int first = 0; first < kFrames; first += each)
      bytes += std::filesystem::file_size(scratch.file(std::to_string(first) + ".ctv"));
    Json row = {{"label", std::to_string(n)},
                {"width", m.size.first},
                {"height", m.size.second},
                {"options", options}};
    row.update({{"running", "cpu"}, {"encode_ms", median(times)}, {"bytes", bytes}, {"frames", kFrames}});
    cases.push_back(row);
    if (n == std::min(cores(), 8)) return cases;
  }
}

}  // namespace

Exit run_scale(int argc, const char* const* argv) {
  Measurement m(
      "scale", "how cost grows with threads, resolution, search, levels, directions, processes",
      "CLIP, or a generated one, is coded with one thing changed at a time; at the end in segments.",
      {{"ctbench scale --variant paper", "of the paper's parameters"}});
  m.frames = 10;
  m.clip_options();
  const auto measure = [&](Json& j) {
    Clip clip = m.load(m.size);
    j["settings"] = m.settings(clip.frames.size());
    for (const auto& [name, series] : all_series(m.size)) {
      j["series"].push_back({{"name", name}, {"cases", Json::array()}});
      for (const Case& c : series) {
        m.show(name + " " + c.label);
        if (Size{clip.video.width, clip.video.height} != c.size) clip = m.load(c.size);
        Json row = {
            {"label", c.label}, {"width", c.size.first}, {"height", c.size.second}, {"options", c.options}};
        try {
          const TimedClip timed = time_clip(m.config(clip, c.options), clip, m.runs);
          row["encode_ms"] = median(timed.encode_ms);
          row["decode_ms"] = median(timed.decode_ms);
          row["bytes"] = timed.coded.bytes;
          row["running"] = timed.coded.times.running;
        } catch (const Error& e) {  // some combinations do not exist
          row["error"] = e.what();
        } catch (const Failure& e) {
          if (e.code() != Exit::kUsage) throw;
          row["error"] = e.what();
        }
        j["series"].back()["cases"].push_back(row);
      }
    }
    m.attempt("segments", [&] {
      j["series"].push_back({{"name", "segments, a process each"}, {"cases", time_segments(m)}});
    });
  };
  return m.run(argc, argv, {.measure = measure});
}

}  // namespace ctv::tools

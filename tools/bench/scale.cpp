// SPDX-License-Identifier: BSD-3-Clause
// `ctbench scale`: how cost grows with threads, resolution, search range, levels and directions. One thing is
// changed at a time; everything else stays as the variant has it.
#include <optional>
#include <utility>

#include "bench/measurement.h"
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
struct Series {
  std::string name;
  std::vector<Case> cases;
};

std::string directions_list(int levels, const std::string& finest) {
  std::string s = finest;
  for (int i = 1; i < levels; ++i) s += ",0";
  return s;
}

std::vector<Series> all_series(Size size) {
  std::vector<Series> all = {{"threads", {}},
                             {"resolution", {}},
                             {"search range", {}},
                             {"levels (without directions)", {}},
                             {"directions of the finest of 3 levels", {}}};
  for (int n = 1;; n = std::min(2 * n, cores())) {
    all[0].cases.push_back({std::to_string(n), size, {"--threads", std::to_string(n)}});
    if (n == cores()) break;
  }
  for (const Size& s : {Size{320, 240}, {640, 480}, {1280, 720}, {1920, 1080}})
    all[1].cases.push_back({text("%dx%d", s.first, s.second), s, {}});
  for (const char* range : {"0", "4", "8", "16", "32"})
    all[2].cases.push_back({range, size, {"--search", range}});
  for (int n = 1; n <= 5; ++n) {
    const std::string scales = std::to_string(n);
    all[3].cases.push_back({scales, size, {"--scales", scales, "--directions", directions_list(n, "0")}});
  }
  for (const char* n : {"0", "2", "4", "8", "16"})
    all[4].cases.push_back({n, size, {"--scales", "3", "--directions", directions_list(3, n)}});
  return all;
}

}  // namespace

Exit run_scale(int argc, const char* const* argv) {
  Measurement m("scale", "how cost grows with threads, resolution, search, levels, directions",
                "CLIP, or a generated one, is coded with one thing changed at a time.",
                {{"ctbench scale --variant paper", "of the paper's parameters"}});
  m.frames = 10;
  m.clip_options();
  const auto measure = [&](Json& j) {
    j["settings"] = m.settings();
    std::optional<Clip> clip;
    for (const Series& series : all_series(m.size)) {
      j["series"].push_back({{"name", series.name}, {"cases", Json::array()}});
      for (const Case& c : series.cases) {
        m.show(series.name + " " + c.label);
        if (!clip || Size{clip->video.width, clip->video.height} != c.size) clip = m.load(c.size);
        Json row = {
            {"label", c.label}, {"width", c.size.first}, {"height", c.size.second}, {"options", c.options}};
        try {
          const TimedClip timed = time_clip(m.config(*clip, c.options), *clip, m.runs);
          row["encode_ms"] = median(timed.encode_ms);
          row["decode_ms"] = median(timed.decode_ms);
          row["bytes"] = timed.coded.bytes;
          row["running"] = timed.coded.times.running;
        } catch (const Error& e) {  // some combinations do not exist
          row["error"] = e.what();
        }
        j["series"].back()["cases"].push_back(row);
      }
    }
  };
  return m.run(argc, argv, {.measure = measure});
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// `ctbench scale`: how cost grows with threads, resolution, search range, levels and directions. One thing is
// changed at a time; everything else stays as the variant has it. x264 with as many threads stands beside.
#include <optional>
#include <utility>

#include "bench/measurement.h"
#include "bench/peers.h"
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

// x264 with as many threads, at the same number of its own scale, beside the first series. A time that its
// start hides is left out.
Json peer_cases(const Measurement& m, const Clip& clip, const Peer& peer, const Series& threads) {
  const PeerClip files(clip, 0);
  const int qp = m.config(clip, {}).qp;
  Json cases = Json::array();
  for (const Case& c : threads.cases) {
    const int n = std::stoi(c.label);
    const PeerClip::Times times = files.time(peer, qp, n, m.runs);
    const double encode_ms = median(times.encode_ms);
    const double decode_ms = median(times.decode_ms);
    if (encode_ms <= 0 || decode_ms <= 0) continue;
    cases.push_back({{"label", c.label},
                     {"width", c.size.first},
                     {"height", c.size.second},
                     {"options", {times.command}},
                     {"encode_ms", encode_ms},
                     {"decode_ms", decode_ms},
                     {"bytes", files.code(peer, qp, n).bytes},
                     {"running", peer.name}});
  }
  return cases;
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
    const std::vector<Series> all = all_series(m.size);
    std::optional<Clip> clip;
    for (const Series& series : all) {
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
      if (&series != &all.front()) continue;
      if (clip->frames.size() < 2) continue;
      for (const Peer& peer : usable_peers(m, choose_peers("x264-ultrafast"), *clip))
        m.attempt(peer.name, [&] {
          Json timed = peer_cases(m, *clip, peer, series);
          if (timed.empty()) throw Failure(Exit::kFile, "the clip is too short to time it");
          j["series"].push_back({{"name", "threads of " + peer.name}, {"cases", std::move(timed)}});
        });
    }
  };
  return m.run(argc, argv, {.measure = measure});
}

}  // namespace ctv::tools

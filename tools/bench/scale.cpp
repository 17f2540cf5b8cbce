// SPDX-License-Identifier: BSD-3-Clause
// `ctbench scale`: how cost grows with threads, resolution, search range, levels and directions. One thing is
// changed at a time; everything else stays as the variant has it. At the end, segments of a clip in processes
// of their own (docs/segments.md).
#include <filesystem>
#include <optional>
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

/// A clip's segments between key frames by ctenc, as many processes at once as asked for with one thread
/// each: what machines do that share an archive. Reading the clip and starting the programs is part of the
/// time.
class Segments {
 public:
  explicit Segments(const Measurement& m) : m_(m), clip_(m.load(m.size)) {
    write_clip(clip_, scratch_.file("clip.y4m"), true, static_cast<size_t>(kFrames));
    std::error_code ignored;
    const auto beside = std::filesystem::read_symlink("/proc/self/exe", ignored).replace_filename("ctenc");
    if (std::filesystem::exists(beside, ignored)) {
      ctenc_ = beside.string();
    } else if (!find_program(ctenc_)) {
      throw Failure(Exit::kFile, "ctenc is neither beside ctbench nor in PATH");
    }
  }

  Json measure(int processes) const {
    // Whole intervals of key frames.
    const int64_t each = (kFrames / kKeyInterval + processes - 1) / processes * kKeyInterval;
    std::vector<std::string> command = {ctenc_, scratch_.file("clip.y4m")};
    const std::vector<std::string> options = {"--keyint", std::to_string(kKeyInterval), "--no-scenecut",
                                              "--threads", "1"};
    for (const auto* words : {&m_.variant.arguments, &m_.run_words, &options})
      command.insert(command.end(), words->begin(), words->end());
    for (const std::string& word :
         {std::string("--seek"), std::string("{}"), std::string("--frames"), std::to_string(each),
          std::string("-q"), std::string("-o"), scratch_.file("part{}.ctv")})
      command.push_back(word);
    const std::string line = text("seq 0 %lld %lld | xargs -P %d -I{} ", static_cast<long long>(each),
                                  static_cast<long long>(kFrames - 1), processes) +
                             shown_command(command);
    std::vector<double> times;
    for (int64_t i = 0; i < m_.runs; ++i) {
      const ProcessResult result = run_process({"sh", "-c", line});
      if (result.code != 0) throw Failure(Exit::kFile, "ctenc failed: " + result.last_line());
      times.push_back(1000 * result.seconds / static_cast<double>(kFrames));
    }
    uintmax_t bytes = 0;
    for (int64_t first = 0; first < kFrames; first += each) {
      const std::string part = scratch_.file("part" + std::to_string(first) + ".ctv");
      bytes += std::filesystem::file_size(part);
      std::filesystem::remove(part);
    }
    return {{"label", std::to_string(processes)},
            {"width", m_.size.first},
            {"height", m_.size.second},
            {"options", options},
            {"running", "CPU"},
            {"encode_ms", median(times)},
            {"bytes", bytes},
            {"frames", kFrames}};
  }

 private:
  static constexpr int64_t kFrames = 64, kKeyInterval = 8;
  const Measurement& m_;
  ScratchFolder scratch_;
  Clip clip_;
  std::string ctenc_ = "ctenc";
};

}  // namespace

Exit run_scale(int argc, const char* const* argv) {
  Measurement m("scale", "how cost grows with threads, resolution, search, levels, directions, processes",
                "CLIP, or a generated one, is coded with one thing changed at a time. At the end ctenc "
                "encodes segments of "
                "it in several processes at once.",
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
    m.attempt("segments", [&] {
      const Segments segments(m);
      Json cases = Json::array();
      for (int n = 1;; n = std::min({2 * n, cores(), 8})) {
        cases.push_back(segments.measure(n));
        if (n == std::min(cores(), 8)) break;
      }
      j["series"].push_back({{"name", "segments, a process each"}, {"cases", cases}});
    });
  };
  return m.run(argc, argv, {.measure = measure});
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// `ctbench speedup`: the evaluation of Katsigiannis, Dimitsas and Maroulis ("A GPU vs CPU performance
// evaluation of an experimental video compression algorithm"), repeated on the machine at hand: times per
// frame of encoding and decoding, disk excluded, transfers and the CPU's part of the GPU path included. Bytes
// and pictures of all that is compared are checked in the same run.
#include <algorithm>

#include "bench/measurement.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

/// The first runner's results, which all other runners must reproduce.
struct Reference {
  std::vector<std::vector<uint8_t>> units;
  std::string pictures, runner;
};

// By value, because the pictures move to memory that the runner reads without a copy.
void measure_runner(Measurement& m, Json& j, Clip clip, ctv_config config, const Runner& runner,
                    Reference& reference) {
  runner.apply(config);
  lay_out_for(config, clip);
  const std::string where = text("%s %dx%d", clip.name.c_str(), clip.video.width, clip.video.height);
  m.show(where + ", " + runner.name());
  const TimedClip timed = time_clip(config, clip, m.runs);
  const Seen seen = look_at(config, clip, timed.coded);
  Json row = {{"clip", clip.name},
              {"digest", clip.digest},
              {"width", clip.video.width},
              {"height", clip.video.height},
              {"frames", clip.frames.size()}};
  row.update(runner.json());
  row["running"] = timed.coded.times.running;
  row["bytes"] = timed.coded.bytes;
  row["psnr"] = number(seen.meter.decibels());
  row["encode"] = timing_json(timed.encode_ms);
  row["decode"] = timing_json(timed.decode_ms);
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

void measure_clip(Measurement& m, Json& j, const Clip& source, const std::vector<Size>& sizes) {
  for (const Size& size : sizes) {
    m.show(text("%s: scaling to %dx%d", source.name.c_str(), size.first, size.second));
    const Clip clip = resized(source, size.first, size.second, true);
    ctv_config config = m.config(clip, {});
    if (config.threads == 0) config.threads = cores();  // all cores, with their number in the record
    j["settings"]["threads"] = config.threads;
    j["settings"]["frames_in_flight"] = config.frames_in_flight;
    Reference reference;
    for (const Runner& runner : m.runners(config)) measure_runner(m, j, clip, config, runner, reference);
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

Exit run_speedup(int argc, const char* const* argv) {
  Measurement m(
      "speedup", "the paper's comparison of CPU and GPU, on this machine",
      "CLIPs, or a generated one, are made RGB, scaled to the paper's sizes and coded with its parameters by "
      "every "
      "backend and engine there is. Prints its Tables II, III and IV with its own figures and this "
      "machine's. Bytes and pictures of all are compared; if they differ, no "
      "speedup is printed and the exit code is 70.",
      {{"ctbench speedup", "the paper's tables from a generated clip"},
       {"ctbench speedup a.y4m b.y4m c.y4m --json run.json", "averaged over real clips"},
       {"ctbench speedup --frames 5 --runs 3 --sizes 1280x720 --variant default", "a first impression"}});
  m.most_clips = SIZE_MAX;
  m.variant = parse_variant("paper");
  m.run_words = {"--in-flight", "1"};  // as the paper measured; --in-flight 4 shows the throughput
  m.runs = 10;
  m.fixed = {"--backend", "--engine"};
  std::vector<Size> sizes = parse_sizes("320x240,640x480,1280x720,1920x1080");
  m.options.value("--sizes", "LIST",
                  "320x240,640x480,1280x720,1920x1080 unless given; 3840x2160 is a good fifth",
                  [&](const std::string& s) { sizes = parse_sizes(s); });
  m.variant_option();
  m.count("--frames", "Frames of each clip", 1, 1 << 16, m.frames);
  m.count("--runs", "Runs that count, after one to warm up", 1, 1000, m.runs);
  m.run_options({"--threads", "--device", "--in-flight"});
  const auto measure = [&](Json& j) {
    j["settings"] = m.settings(static_cast<size_t>(m.frames));
    j["differences"] = j["results"] = Json::array();
    if (m.clips.empty()) {
      const Size largest = *std::max_element(sizes.begin(), sizes.end());
      m.clips = {
          text("generate:%dx%d@25:%lld", largest.first, largest.second, static_cast<long long>(m.frames))};
    }
    for (const std::string& path : m.clips)
      m.attempt(clip_name(path), [&] { measure_clip(m, j, load_clip(path, m.frames), sizes); });
  };
  const auto defect = [](const Json& j) {
    return j["differences"].empty() ? "" : "backends differ: " + j["differences"][0].get<std::string>();
  };
  return m.run(argc, argv, {.measure = measure, .defect = defect});
}

}  // namespace ctv::tools

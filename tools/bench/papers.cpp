// SPDX-License-Identifier: BSD-3-Clause
// `ctbench papers`: the measured kernels of the papers, their tables with this machine's figures.
#include "bench/papers.h"

#include <algorithm>
#include <cmath>

#include "bench/lab/gpu_module.hpp"
#include "bench/measurement.h"
#include "bench/verbs.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

constexpr const char* kExperiments[] = {"dct8x8", "h264_idct", "h264_tq"};

lab::GrayImage gray_image(const std::string& path) {
  Clip clip = load_clip(path.empty() ? "generate:512x512@25:1" : path, 1);
  Frame& frame = clip.frames[0];
  if (clip.video.format == CTV_FORMAT_RGB8)
    throw Failure(Exit::kUsage, "--image: " + path + " has colours", "a grey image");
  const int width = clip.video.width / 8 * 8, height = clip.video.height / 8 * 8;
  if (width == 0 || height == 0 || width > 2048 || height > 2048)
    throw Failure(Exit::kUsage, "--image: " + path + " is smaller than 8x8 or larger than 2048x2048");
  lab::GrayImage image = {width, height, {}};
  for (int r = 0; r < height; ++r) {
    const uint8_t* row = frame.plane(0) + static_cast<size_t>(r) * frame.stride(0);
    image.samples.insert(image.samples.end(), row, row + width);
  }
  return image;
}

lab::YuvFrame yuv_frame(const char* size) {
  Clip clip = load_clip(text("generate:%s@25:1", size), 1);
  Frame& frame = clip.frames[0];
  return lab::whole_macroblocks(clip.video.width, clip.video.height, frame.plane(0), frame.plane(1),
                                frame.plane(2));
}

/// Densities of this codec's streams: blocks that were not zero in three 1080p clips (a street from a car, a
/// wall being painted, roofs; 28 to 54 frames, all planes for 4x4 and luma for 8x8, mean of the clips), coded
/// by the default preset with --transform h264-4x4 and h264-8x8 at each qp. A stream has one transform, so
/// half of the macroblocks are taken to have 8x8 blocks.
std::vector<lab::IdctMode> stream_modes() {
  const auto mode = [](const char* name, double blocks4, double blocks8) {
    const lab::Densities densities = {blocks4, blocks8, 0.5};
    return lab::IdctMode{name, {densities, densities}};
  };
  return {mode("qp 37", 0.27, 0.24), mode("qp 30", 0.36, 0.35), mode("qp 22", 0.64, 0.61)};
}

Json table_json(const lab::PaperTable& t) {
  Json rows = Json::array();
  for (const lab::PaperTable::Row& row : t.rows) {
    Json values = Json::array(), cells = Json::array();
    for (const std::optional<double>& v : row.values) {
      values.push_back(v ? number(*v) : Json(nullptr));
      cells.push_back(!v ? "-" : std::isinf(*v) ? "equal" : text("%.*f", t.decimals, *v));
    }
    rows.push_back({{"label", row.label}, {"here", row.here}, {"values", values}, {"cells", cells}});
  }
  return {{"id", t.id},           {"paper", t.paper}, {"title", t.title},
          {"columns", t.columns}, {"rows", rows},     {"notes", t.notes}};
}

std::string failed_check(const Json& j) {
  for (const Json& check : j["checks"])
    if (!check["passed"].get<bool>())
      return "a check failed: " + check["what"].get<std::string>() + " " + check["detail"].get<std::string>();
  return "";
}

}  // namespace

lab::IdctMode parse_mode(const std::string& mode) {
  const size_t colon = mode.find(':');
  const std::vector<std::string> shares =
      split(colon == std::string::npos ? "" : std::string_view(mode).substr(colon + 1), ',');
  lab::Densities densities;
  double* const to[] = {&densities.blocks4, &densities.blocks8, &densities.macroblocks8};
  bool good = colon != 0 && shares.size() == std::size(to);
  for (size_t i = 0; good && i < std::size(to); ++i) {
    const std::optional<double> share = parse_real(shares[i]);
    good = share && *share >= 0 && *share <= 1;
    if (good) *to[i] = *share;
  }
  if (!good)
    throw Failure(Exit::kUsage, "--mode: '" + mode + "' is not NAME:BLOCKS4,BLOCKS8,MACROBLOCKS8",
                  "shares 0 to 1, as low:0.03,0.05,0.5");
  return {mode.substr(0, colon), {densities, densities}};
}

Exit run_papers(int argc, const char* const* argv) {
  Measurement m(
      "papers", "the papers' kernels, with their published figures and this machine's",
      "DCT 8x8 (Obukhov and Kharlamov 2008), H.264's inverse transforms with compaction (Wang, Alvarez-Mesa, "
      "Chi and Juurlink 2013), H.264's transforms and quantiser (Husemann et al. 2011), on the CPU and, "
      "where "
      "there is one, a CUDA device.",
      {{"ctbench papers --image barbara.png --json papers.json", "with the picture of the paper"},
       {"ctbench papers --only h264_idct --mode sparse:0.01,0.02,0.5", "one experiment, other densities"}});
  m.most_clips = 0;
  m.runs = 5;
  int64_t qp = 28, threads = cores();
  std::string image;
  bool quick = false;
  std::vector<std::string> only(std::begin(kExperiments), std::end(kExperiments)), mode_words;
  m.options.value(
      "--only", "LIST", "Of dct8x8, h264_idct and h264_tq, with commas; all unless given",
      [&](const std::string& s) {
        only = split(s, ',');
        for (const std::string& name : only)
          if (std::find(std::begin(kExperiments), std::end(kExperiments), name) == std::end(kExperiments))
            throw Failure(Exit::kUsage, "--only: no experiment '" + name + "'", "dct8x8, h264_idct, h264_tq");
      });
  m.options.value(
      "--image", "FILE", "Grey image of the DCT 8x8; a generated one of 512x512 unless given",
      [&](const std::string& s) { image = s; }, ValueKind::kFile);
  m.repeated("--mode", "MODE",
             "NAME:BLOCKS4,BLOCKS8,MACROBLOCKS8, shares of blocks that are not zero and of macroblocks with "
             "8x8 blocks",
             mode_words);
  m.count("--qp", "Of the quantiser", 0, 51, qp);
  m.count("--runs", "Runs of which the median counts", 1, 1000, m.runs);
  m.count("--threads", "Where all cores are measured", 1, 256, threads);
  m.options.flag("--quick", "The smallest size of each table only", [&] { quick = true; });
  std::vector<lab::IdctMode> modes = lab::paper_modes();
  const auto check = [&] {
    std::vector<lab::IdctMode> more = mode_words.empty() ? stream_modes() : std::vector<lab::IdctMode>();
    for (const std::string& mode : mode_words) more.push_back(parse_mode(mode));
    modes.insert(modes.end(), more.begin(), more.end());
  };
  const auto measure = [&](Json& j) {
    lab::LabSettings settings;
    settings.runs = static_cast<int>(m.runs);
    settings.threads = static_cast<int>(threads);
    settings.quick = quick;
    settings.gpu = lab::gpu_module(settings.no_gpu);
    settings.progress = [&](const std::string& what) { m.show(what); };
    Json mode_list = Json::array();
    for (const lab::IdctMode& mode : modes) {
      Json densities = Json::array();
      for (const lab::Densities& d : mode.densities)
        densities.push_back(
            {{"blocks4", d.blocks4}, {"blocks8", d.blocks8}, {"macroblocks8", d.macroblocks8}});
      mode_list.push_back({{"name", mode.name}, {"densities", densities}});
    }
    j["settings"] = {{"image", image.empty() ? "generated" : clip_name(image)},
                     {"modes", mode_list},
                     {"qp", qp},
                     {"runs", m.runs},
                     {"threads", threads},
                     {"quick", quick}};
    j["gpu"] = settings.gpu == nullptr ? "" : *settings.gpu->device_name();
    j["no_gpu"] = settings.no_gpu;
    j["tables"] = j["checks"] = Json::array();
    lab::LabReport report;
    const auto keep = [&] {
      for (const lab::PaperTable& table : report.tables) j["tables"].push_back(table_json(table));
      for (const lab::Check& c : report.checks)
        j["checks"].push_back({{"what", c.what}, {"passed", c.passed}, {"detail", c.detail}});
    };
    const auto wanted = [&](const char* name) {
      return std::find(only.begin(), only.end(), name) != only.end();
    };
    try {
      if (wanted(kExperiments[0])) lab::measure_dct8x8(settings, gray_image(image), report);
      if (wanted(kExperiments[1])) lab::measure_h264_idct(settings, modes, report);
      const lab::YuvFrame frames[] = {yuv_frame("704x576"), yuv_frame("1920x1080")};
      if (wanted(kExperiments[2])) lab::measure_h264_tq(settings, frames, static_cast<int>(qp), report);
    } catch (const Interrupted&) {
      keep();
      throw;
    }
    keep();
  };
  return m.run(argc, argv, {.check = check, .measure = measure, .defect = &failed_check});
}

}  // namespace ctv::tools

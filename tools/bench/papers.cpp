// SPDX-License-Identifier: BSD-3-Clause
// `ctbench papers`: the measured kernels of the papers, and the papers' tables with this machine's figures.
#include <cmath>

#include "bench/lab/experiments.hpp"
#include "bench/lab/gpu.hpp"
#include "bench/measurement.h"
#include "bench/verbs.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/channels.h"

namespace ctv::tools {
namespace {

constexpr int kQp = 28;  // of the quantiser

/// A grey image in its own size, and doubled up to three times.
std::vector<lab::GrayImage> gray_images(const std::string& path, bool quick) {
  const Clip clip = load_clip(path.empty() ? "generate:512x512@25:1" : path, 1);
  if (clip.video.format == CTV_FORMAT_RGB8)
    throw Failure(Exit::kUsage, "--image: " + path + " has colours", "a grey image");
  const int width = clip.video.width / 8 * 8, height = clip.video.height / 8 * 8;
  if (width == 0 || height == 0 || width > 2048 || height > 2048)
    throw Failure(Exit::kUsage, "--image: " + path + " is smaller than 8x8 or larger than 2048x2048");
  Frame frame;
  frame.reset({CTV_FORMAT_GRAY8, width, height, 25, 1});
  const Channel luma = channels(clip.frames[0].picture())[0];
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      frame.plane(0)[r * width + c] = static_cast<uint8_t>(luma.at(c, r) >> (luma.bits - 8));
  std::vector<lab::GrayImage> images;
  for (int factor = 1; factor <= (quick ? 1 : 8); factor *= 2) {
    const Frame scaled = scale_frame(frame, width * factor, height * factor);
    images.push_back({width * factor, height * factor, {scaled.bytes().begin(), scaled.bytes().end()}});
  }
  return images;
}

lab::YuvFrame yuv_frame(int width, int height) {
  Clip clip = load_clip(text("generate:%dx%d@25:1", width, height), 1);
  Frame& frame = clip.frames[0];
  const auto plane = [&](int p, int samples) {
    return std::vector<uint8_t>(frame.plane(p), frame.plane(p) + samples);
  };
  const int luma = width * height;
  return {width, height, plane(0, luma), plane(1, luma / 4), plane(2, luma / 4)};
}

Json table_json(const lab::PaperTable& t, const std::string& no_gpu) {
  Json rows = Json::array();
  for (const lab::PaperTable::Row& row : t.rows) {
    Json values = Json::array(), cells = Json::array();
    for (const std::optional<double>& v : row.values) {
      values.push_back(v ? number(*v) : Json(nullptr));
      cells.push_back(!v ? "-" : std::isinf(*v) ? "equal" : text("%.*f", t.decimals, *v));
    }
    rows.push_back({{"label", row.label},
                    {"here", row.label.starts_with("here")},
                    {"values", values},
                    {"cells", cells}});
  }
  std::vector<std::string> notes = t.notes;
  if (!no_gpu.empty()) notes.push_back("No CUDA figures: " + no_gpu);
  return {{"id", t.id},           {"paper", t.paper}, {"title", t.title},
          {"columns", t.columns}, {"rows", rows},     {"notes", notes}};
}

std::string failed_check(const Json& j) {
  for (const Json& check : j["checks"])
    if (!check["passed"].get<bool>())
      return "a check failed: " + check["what"].get<std::string>() + " " + check["detail"].get<std::string>();
  return "";
}

}  // namespace

Exit run_papers(int argc, const char* const* argv) {
  Measurement m(
      "papers", "the papers' kernels, with their published figures and this machine's",
      "DCT 8x8 (Obukhov and Kharlamov 2008), H.264's inverse transforms with compaction (Wang, Alvarez-Mesa, "
      "Chi and Juurlink 2013), H.264's transforms and quantiser (Husemann et al. 2011), on the CPU and, "
      "where there is one, a CUDA device.",
      {{"ctbench papers --image barbara.png --json papers.json", "with the picture of the paper"}});
  m.most_clips = 0;
  m.runs = 5;
  std::string image;
  bool quick = false;
  m.options.value(
      "--image", "FILE", "Grey image of the DCT 8x8; a generated one of 512x512 unless given",
      [&](const std::string& s) { m.inputs = {image = s}; }, ValueKind::kFile);
  m.count("--runs", "Runs of which the median counts", 1, 1000, m.runs);
  m.options.flag("--quick", "The smallest size of each table only", [&] { quick = true; });
  const auto measure = [&](Json& j) {
    const Result<std::string> gpu = lab::gpu_name();
    const std::string no_gpu = gpu.ok() ? "" : gpu.status().message();
    lab::Lab lab;
    lab.runs = static_cast<int>(m.runs);
    lab.threads = static_cast<int>(cores());
    lab.quick = quick;
    lab.gpu = gpu.ok();
    lab.progress = [&](const std::string& what) { m.show(what); };
    j["settings"] = {{"image", image.empty() ? "generated" : clip_name(image)},
                     {"qp", kQp},
                     {"runs", m.runs},
                     {"threads", lab.threads},
                     {"quick", quick}};
    j["gpu"] = gpu.ok() ? *gpu : "";
    j["no_gpu"] = no_gpu;
    j["tables"] = j["checks"] = Json::array();
    const auto keep = [&] {  // partial results of an interrupted run
      for (const lab::PaperTable& table : lab.tables) j["tables"].push_back(table_json(table, no_gpu));
      for (const lab::Check& c : lab.checks)
        j["checks"].push_back({{"what", c.what}, {"passed", c.passed}, {"detail", c.detail}});
      lab.tables.clear();
      lab.checks.clear();
    };
    lab::measure_dct8x8(lab, gray_images(image, quick));
    keep();
    lab::measure_h264_idct(lab);
    keep();
    const lab::YuvFrame frames[] = {yuv_frame(704, 576), yuv_frame(1920, 1088)};
    lab::measure_h264_tq(lab, frames, kQp);
    keep();
  };
  return m.run(argc, argv, {.measure = measure, .defect = &failed_check});
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// `ctbench papers`: the measured kernels of the papers, their tables with this machine's figures.
#include "bench/papers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include "bench/arguments.h"
#include "bench/clip.h"
#include "bench/lab/gpu_module.hpp"
#include "bench/outputs.h"
#include "bench/status_line.h"
#include "bench/table.h"
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

std::vector<lab::IdctMode> all_modes(const PapersOptions& options) {
  std::vector<lab::IdctMode> modes = lab::paper_modes();
  modes.insert(modes.end(), options.modes.begin(), options.modes.end());
  return modes;
}

bool wanted(const PapersOptions& options, const char* experiment) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), experiment) != options.only.end();
}

std::string cell(const std::optional<double>& value, int decimals) {
  if (!value) return "-";
  return std::isinf(*value) ? "equal" : text("%.*f", decimals, *value);
}

// Every figure of every table as a row of its own.
Json figures(const PapersResult& result) {
  Json list = Json::array();
  for (const lab::PaperTable& t : result.report.tables)
    for (const lab::PaperTable::Row& row : t.rows)
      for (size_t i = 0; i < row.values.size(); ++i)
        if (row.values[i])
          list.push_back({{"paper", t.paper},
                          {"table", t.id},
                          {"row", row.label},
                          {"here", row.here},
                          {"column", t.columns[i]},
                          {"value", number(*row.values[i])}});
  return list;
}

}  // namespace

std::vector<lab::IdctMode> stream_modes() {
  const auto mode = [](const char* name, double blocks4, double blocks8) {
    const lab::Densities densities = {blocks4, blocks8, 0.5};
    return lab::IdctMode{name, {densities, densities}};
  };
  return {mode("qp 37", 0.27, 0.24), mode("qp 30", 0.36, 0.35), mode("qp 22", 0.64, 0.61)};
}

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

PapersResult measure_papers(const PapersOptions& options) {
  PapersResult result;
  StatusLine status(options.progress && !options.quiet);
  lab::LabSettings settings;
  settings.runs = options.runs;
  settings.threads = options.threads;
  settings.quick = options.quick;
  settings.gpu = lab::gpu_module(result.no_gpu);
  settings.no_gpu = result.no_gpu;
  if (settings.gpu != nullptr) result.gpu = *settings.gpu->device_name();
  settings.progress = [&](const std::string& what) {
    check_interrupted();
    status.show(what);
  };
  try {
    if (wanted(options, kExperiments[0]))
      lab::measure_dct8x8(settings, gray_image(options.image), result.report);
    if (wanted(options, kExperiments[1])) lab::measure_h264_idct(settings, all_modes(options), result.report);
    if (wanted(options, kExperiments[2])) {
      const lab::YuvFrame frames[] = {yuv_frame("704x576"), yuv_frame("1920x1080")};
      lab::measure_h264_tq(settings, frames, options.qp, result.report);
    }
  } catch (const Interrupted&) {
    put_off_signal();
    result.complete = false;
  }
  return result;
}

std::string papers_text(const PapersOptions& options, const PapersResult& result) {
  std::string out =
      text("The papers' kernels on %s\nMedians of %d runs; %s\n", machine_line(machine_json()).c_str(),
           options.runs, result.gpu.empty() ? result.no_gpu.c_str() : result.gpu.c_str());
  for (const lab::PaperTable& t : result.report.tables) {
    std::vector<std::string> head = {""};
    head.insert(head.end(), t.columns.begin(), t.columns.end());
    Table table(head);
    for (const lab::PaperTable::Row& row : t.rows) {
      std::vector<std::string> cells = {row.label};
      for (size_t i = 0; i < t.columns.size(); ++i)
        cells.push_back(i < row.values.size() ? cell(row.values[i], t.decimals) : "-");
      table.add(cells);
    }
    out += "\n" + t.paper + ", " + t.title + "\n\n" + table.text();
    for (const std::string& note : t.notes) out += note + "\n";
  }
  size_t passed = 0;
  for (const lab::Check& check : result.report.checks) {
    passed += check.passed ? 1 : 0;
    if (!check.passed) out += "\nFAILED: " + check.what + (check.detail.empty() ? "" : ": " + check.detail);
  }
  out += text("\n%zu of %zu checks passed: all variants of a kernel compute the same.\n", passed,
              result.report.checks.size());
  return out + (result.complete ? "" : "Interrupted: some is missing.\n");
}

Json papers_json(const PapersOptions& options, const PapersResult& result) {
  Json j = {{"tool", "ctbench"}, {"kind", "papers"}, {"schema", 1}, {"complete", result.complete}};
  j["machine"] = machine_json();
  Json modes = Json::array();
  for (const lab::IdctMode& mode : all_modes(options)) {
    Json densities = Json::array();
    for (const lab::Densities& d : mode.densities)
      densities.push_back({{"blocks4", d.blocks4}, {"blocks8", d.blocks8}, {"macroblocks8", d.macroblocks8}});
    modes.push_back({{"name", mode.name}, {"densities", densities}});
  }
  j["settings"] = {{"image", options.image.empty() ? "generated" : clip_name(options.image)},
                   {"modes", modes},
                   {"qp", options.qp},
                   {"runs", options.runs},
                   {"threads", options.threads},
                   {"quick", options.quick}};
  j["gpu"] = result.gpu;
  j["no_gpu"] = result.no_gpu;
  j["tables"] = Json::array();
  for (const lab::PaperTable& t : result.report.tables) {
    Json rows = Json::array();
    for (const lab::PaperTable::Row& row : t.rows) {
      Json values = Json::array();
      for (const std::optional<double>& v : row.values) values.push_back(v ? number(*v) : Json(nullptr));
      Json cells = Json::array();
      for (const std::optional<double>& v : row.values) cells.push_back(cell(v, t.decimals));
      rows.push_back({{"label", row.label}, {"here", row.here}, {"values", values}, {"cells", cells}});
    }
    j["tables"].push_back({{"id", t.id},
                           {"paper", t.paper},
                           {"title", t.title},
                           {"columns", t.columns},
                           {"rows", rows},
                           {"notes", t.notes}});
  }
  j["checks"] = Json::array();
  for (const lab::Check& check : result.report.checks)
    j["checks"].push_back({{"what", check.what}, {"passed", check.passed}, {"detail", check.detail}});
  return j;
}

Exit run_papers(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench papers";
  about.summary = "the papers' kernels, each with its published figures beside this machine's";
  about.description =
      "DCT 8x8 (Obukhov and Kharlamov 2008), H.264's inverse transforms with compaction (Wang, Alvarez-Mesa, "
      "Chi and "
      "Juurlink 2013), H.264's transforms and quantiser (Husemann et al. 2011), on the CPU and, where there "
      "is one, a "
      "CUDA device.";
  about.examples = {
      {"ctbench papers --image barbara.png --json papers.json", "with the picture of the paper"},
      {"ctbench papers --only h264_idct --mode sparse:0.01,0.02,0.5", "one experiment, other densities"}};
  Options options(about);
  PapersOptions papers;
  papers.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U));
  options.section("Measuring");
  options.value(
      "--only", "LIST", "Of dct8x8, h264_idct and h264_tq, with commas; all unless given",
      [&](const std::string& s) {
        papers.only = split(s, ',');
        for (const std::string& name : papers.only)
          if (std::find(std::begin(kExperiments), std::end(kExperiments), name) == std::end(kExperiments))
            throw Failure(Exit::kUsage, "--only: no experiment '" + name + "'", "dct8x8, h264_idct, h264_tq");
      });
  options.value(
      "--image", "FILE", "Grey image of the DCT 8x8; a generated one of 512x512 unless given",
      [&](const std::string& s) { papers.image = s; }, ValueKind::kFile);
  options.value(
      "--mode", "MODE",
      "NAME:BLOCKS4,BLOCKS8,MACROBLOCKS8, shares of blocks that are not zero and of macroblocks with 8x8 "
      "blocks; may be given up to three times, from sparse to dense",
      [](const std::string&) {});
  options.integer("--qp", "N", "Of the quantiser; 28 unless given", 0, 51,
                  [&](int64_t n) { papers.qp = static_cast<int>(n); });
  options.integer("--runs", "N", "Runs of which the median counts; 5 unless given", 1, 1000,
                  [&](int64_t n) { papers.runs = static_cast<int>(n); });
  options.integer("--threads", "N", "Where all cores are measured; as many as there are unless given", 1, 256,
                  [&](int64_t n) { papers.threads = static_cast<int>(n); });
  options.flag("--quick", "The smallest size of each table only", [&] { papers.quick = true; });
  options.section("Reports");
  options.value(
      "--json", "FILE", "Write all as JSON; - is standard output",
      [&](const std::string& s) { papers.json = s; }, ValueKind::kFile);
  options.value(
      "--csv", "FILE", "Write every figure as a line; - is standard output",
      [&](const std::string& s) { papers.csv = s; }, ValueKind::kFile);
  options.flag("-q,--quiet", "Say nothing but errors", [&] { papers.quiet = true; });
  options.flag("--no-progress", "No moving line on the terminal", [&] { papers.progress = false; });
  const Arguments arguments = take_arguments(argc, argv, options, {"--mode"});
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
  if (!arguments.positional.empty()) throw Failure(Exit::kUsage, "no arguments beside options", "see --help");
  if (!arguments.repeated[0].empty()) papers.modes.clear();
  for (const std::string& mode : arguments.repeated[0]) papers.modes.push_back(parse_mode(mode));
  Outputs outputs({papers.json, papers.csv});
  const PapersResult result = measure_papers(papers);
  outputs.write(0, dump(papers_json(papers, result)));
  outputs.write(1, csv_of(figures(result)));
  if (!papers.quiet && !outputs.uses_stdout()) std::fputs(papers_text(papers, result).c_str(), stdout);
  for (const lab::Check& check : result.report.checks)
    if (!check.passed)
      throw Failure(Exit::kDefect,
                    "a check failed: " + check.what + (check.detail.empty() ? "" : ": " + check.detail));
  return end_of_run(result.complete);
}

}  // namespace ctv::tools

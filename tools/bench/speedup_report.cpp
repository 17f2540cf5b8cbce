// SPDX-License-Identifier: BSD-3-Clause
// The paper's Tables II, III and IV with this machine's figures below its own, the stages, and all of it as
// JSON.
#include <algorithm>

#include "bench/speedup.h"
#include "bench/table.h"
#include "cli/names.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

using What = Timing SpeedupRow::*;

std::vector<Size> sizes_of(const SpeedupResult& result) {
  std::vector<Size> sizes;
  for (const SpeedupRow& row : result.rows)
    if (std::find(sizes.begin(), sizes.end(), row.size) == sizes.end()) sizes.push_back(row.size);
  return sizes;
}

std::vector<std::string> head(const std::string& first, const std::vector<Size>& sizes) {
  std::vector<std::string> row = {first};
  for (const Size& s : sizes) row.push_back(text("%dx%d", s.first, s.second));
  return row;
}

std::string ms(double value) { return text(value < 10 ? "%.3f" : value < 100 ? "%.2f" : "%.1f", value); }

template <class Cell>
void add_row(Table& table, const std::string& name, const std::vector<Size>& sizes, const Cell& cell) {
  std::vector<std::string> row = {name};
  for (const Size& size : sizes) row.push_back(cell(size));
  table.add(row);
}

void add_paper_row(Table& table, const std::string& name, const std::vector<Size>& sizes,
                   double PaperFigures::*figure) {
  add_row(table, name, sizes, [&](Size size) {
    const PaperFigures* paper = paper_figures(size);
    return paper != nullptr ? text("%.3f", paper->*figure) : std::string("-");
  });
}

/// Half of what lies between the quartiles of the runs, in per cent of the median; the largest over clips.
std::string spread(const SpeedupResult& result, const std::string& runner, Size size, What what) {
  double widest = 0;
  for (const SpeedupRow& row : result.rows) {
    if (row.runner.name() != runner || row.size != size) continue;
    const std::vector<double>& runs = (row.*what).runs;
    widest = std::max(widest, 50 * (quantile(runs, 0.75) - quantile(runs, 0.25)) / median(runs));
  }
  return text(" ± %.0f %%", widest);
}

std::string times_table(const SpeedupResult& result, What what, double PaperFigures::*cpu,
                        double PaperFigures::*gpu) {
  const std::vector<Size> sizes = sizes_of(result);
  Table table(head("ms a frame", sizes));
  add_paper_row(table, "paper, CPU", sizes, cpu);
  add_paper_row(table, "paper, GPU", sizes, gpu);
  for (const std::string& name : runner_names(result)) {
    add_row(table, "here, " + name, sizes, [&](Size size) {
      const std::optional<double> value = mean_ms(result, name, size, what);
      return value ? ms(*value) + spread(result, name, size, what) : std::string("-");
    });
  }
  return table.text();
}

std::string ratio(std::optional<double> value) { return value ? text("%.3f", *value) : "-"; }

std::string speedup_table(const SpeedupResult& result) {
  const std::vector<Size> sizes = sizes_of(result);
  Table table(head("CPU time / GPU time", sizes));
  add_paper_row(table, "paper, encoding", sizes, &PaperFigures::encode_speedup);
  add_row(table, "here, encoding", sizes,
          [&](Size s) { return ratio(speedup_of(result, s, &SpeedupRow::encode)); });
  add_paper_row(table, "paper, decoding", sizes, &PaperFigures::decode_speedup);
  add_row(table, "here, decoding", sizes,
          [&](Size s) { return ratio(speedup_of(result, s, &SpeedupRow::decode)); });
  return table.text();
}

/// One column a runner, at the largest size; the mean over clips.
std::string stage_breakdown(const SpeedupResult& result, What what) {
  const Size size = sizes_of(result).back();
  const std::vector<std::string> runners = runner_names(result);
  std::vector<std::string> names;
  for (const SpeedupRow& row : result.rows)
    for (const auto& stage : (row.*what).stages)
      if (row.size == size && std::find(names.begin(), names.end(), stage.first) == names.end())
        names.push_back(stage.first);
  std::vector<std::string> titles = {text("ms a frame, %dx%d", size.first, size.second)};
  titles.insert(titles.end(), runners.begin(), runners.end());
  Table table(titles);
  for (const std::string& name : names) {
    std::vector<std::string> cells = {name};
    for (const std::string& runner : runners) {
      std::vector<double> values;
      for (const SpeedupRow& row : result.rows)
        for (const auto& stage : (row.*what).stages)
          if (row.size == size && row.runner.name() == runner && stage.first == name)
            values.push_back(stage.second);
      cells.push_back(values.empty() ? "-" : ms(mean(values)));
    }
    table.add(cells);
  }
  return table.text();
}

Json timing_json(const Timing& timing) {
  Json j = {{"ms_per_frame", median(timing.runs)},
            {"quartiles", {quantile(timing.runs, 0.25), quantile(timing.runs, 0.75)}},
            {"runs", timing.runs}};
  j["stages"] = Json::array();
  for (const auto& [name, value] : timing.stages)
    j["stages"].push_back({{"name", name}, {"ms_per_frame", value}});
  return j;
}

}  // namespace

std::string speedup_text(const SpeedupOptions& options, const SpeedupResult& r) {
  std::string out;
  const SpeedupRow& row = r.rows.front();
  out += text("%s, %d threads, %d frame%s in flight; %s\n", options.variant.name.c_str(), r.threads,
              r.frames_in_flight, r.frames_in_flight > 1 ? "s" : "", machine_line(machine_json()).c_str());
  out += text(
      "First clip: %s, %dx%d, %llu bytes, %.2f dB. Median of %d runs of %lld frames after one to warm "
      "up; ± half the distance of the quartiles; clips averaged.\n\n",
      row.clip.c_str(), row.size.first, row.size.second, static_cast<unsigned long long>(row.bytes),
      row.decibels, options.runs, static_cast<long long>(options.frames));
  out += "Table III, encoding:\n\n" +
         times_table(r, &SpeedupRow::encode, &PaperFigures::encode_cpu, &PaperFigures::encode_gpu);
  out += "\nTable IV, decoding:\n\n" +
         times_table(r, &SpeedupRow::decode, &PaperFigures::decode_cpu, &PaperFigures::decode_gpu);
  if (r.differences.empty()) {
    out += "\nTable II, speedup (fastest engine of each";
    out += runner_names(r).size() > 1 ? "; all made the same bytes and pictures in this run):\n\n"
                                      : "; nothing to compare with on this machine):\n\n";
    out += speedup_table(r);
  } else {
    out += "\nNo speedup is told, because not all did the same work:\n";
    for (const std::string& difference : r.differences) out += "  " + difference + "\n";
  }
  out += "\nWhere encoding spends its time (stages of several threads overlap):\n\n" +
         stage_breakdown(r, &SpeedupRow::encode);
  out += "\nWhere decoding does:\n\n" + stage_breakdown(r, &SpeedupRow::decode);
  if (!r.complete) out += "\nInterrupted: some is missing.\n";
  return out;
}

Json speedup_json(const SpeedupOptions& options, const SpeedupResult& r) {
  Json j = {{"tool", "ctbench"}, {"kind", "speedup"}, {"schema", 1}, {"complete", r.complete}};
  j["machine"] = machine_json();
  j["settings"] = {{"variant", options.variant.name},
                   {"arguments", options.variant.arguments},
                   {"frames", options.frames},
                   {"runs", options.runs},
                   {"threads", r.threads},
                   {"frames_in_flight", r.frames_in_flight}};
  j["left_out"] = r.missing;
  j["identical"] = r.differences.empty();
  j["differences"] = r.differences;
  j["results"] = Json::array();
  for (const SpeedupRow& row : r.rows)
    j["results"].push_back({{"clip", row.clip},
                            {"digest", row.digest},
                            {"width", row.size.first},
                            {"height", row.size.second},
                            {"backend", name_of(kBackends, row.runner.backend)},
                            {"engine", name_of(kEngines, row.runner.engine)},
                            {"running", row.running},
                            {"bytes", row.bytes},
                            {"psnr", number(row.decibels)},
                            {"encode", timing_json(row.encode)},
                            {"decode", timing_json(row.decode)}});
  j["speedup"] = Json::array();
  const auto value = [](std::optional<double> v) { return v ? Json(*v) : Json(nullptr); };
  for (const Size& size : sizes_of(r))
    j["speedup"].push_back({{"width", size.first},
                            {"height", size.second},
                            {"encode", value(speedup_of(r, size, &SpeedupRow::encode))},
                            {"decode", value(speedup_of(r, size, &SpeedupRow::decode))}});
  j["paper"] = Json::array();
  for (const PaperFigures& p : kPaper)
    j["paper"].push_back({{"width", p.size.first},
                          {"height", p.size.second},
                          {"encode_cpu", p.encode_cpu},
                          {"encode_gpu", p.encode_gpu},
                          {"decode_cpu", p.decode_cpu},
                          {"decode_gpu", p.decode_gpu},
                          {"encode_speedup", p.encode_speedup},
                          {"decode_speedup", p.decode_speedup}});
  return j;
}

}  // namespace ctv::tools

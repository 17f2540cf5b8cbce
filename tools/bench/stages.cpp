// SPDX-License-Identifier: BSD-3-Clause
// `ctbench stages`.
#include "bench/stages.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/arguments.h"
#include "bench/outputs.h"
#include "bench/process.h"
#include "bench/status_line.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

/// The host's part is done by the CPU whatever the backend.
std::string column(const Json& row) {
  return row["backend"] == "host" ? "cpu" : row["backend"].get<std::string>();
}

/// What a stage would take if it only moved its bytes, as fast as plain copies on this backend do; nothing
/// where no bytes are counted.
Json least_microseconds(const Json& row, const Json& runners) {
  const std::string backend = column(row);
  double least = 0;
  for (const Json& runner : runners) {
    if (runner["backend"] != backend) continue;
    for (const auto& [bytes, rate] : {std::pair{"memory_bytes", "copy"}, std::pair{"upload_bytes", "upload"},
                                      std::pair{"download_bytes", "download"}})
      if (runner[rate].is_number() && runner[rate].get<double>() > 0)
        least = std::max(least, row[bytes].get<double>() / runner[rate].get<double>() * 1e6);
  }
  return least > 0 ? Json(least) : Json(nullptr);
}

std::string title(const Json& row) {
  const std::string engine = row["engine"];
  return row["stage"].get<std::string>() + (engine.empty() ? "" : ", " + engine);
}

std::string microseconds(double value) { return text(value < 100 ? "%.1f" : "%.0f", value); }

/// Time, its spread, share of the least time, arithmetic.
std::vector<std::string> cells(const Json& row) {
  const auto time = row["microseconds"].get<double>();
  const double spread = 50 * (row["quartiles"][1].get<double>() - row["quartiles"][0].get<double>()) / time;
  const auto operations = row["operations"].get<double>();
  return {microseconds(time) + text(" ± %.0f %%", spread),
          row["least_microseconds"].is_null()
              ? "-"
              : text("%.0f %%", 100 * row["least_microseconds"].get<double>() / time),
          operations > 0 ? text("%.1f", operations / time / 1000) : "-"};
}

}  // namespace

StagesResult read_stages(const std::string& lines) {
  StagesResult result;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    Json object = Json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("kind")) continue;  // cut by an interruption
    const std::string kind = object["kind"];
    object.erase("kind");
    if (kind == "runner") {
      result.runners.push_back(object);
    } else if (kind == "stage") {
      object["least_microseconds"] = least_microseconds(object, result.runners);
      result.rows.push_back(object);
    } else {
      result.missing.push_back(object["why"]);
    }
  }
  return result;
}

std::vector<std::string> wrong_stages(const StagesResult& result) {
  std::vector<std::string> wrong;
  for (const Json& row : result.rows) {
    const std::string where = title(row) + " on " + row["backend"].get<std::string>();
    if (!row["verified"].get<bool>()) wrong.push_back(where + " is not what its definition says");
    if (!row["same"].get<bool>()) wrong.push_back(where + " differs from the first backend's");
  }
  return wrong;
}

StagesResult measure_stages(const StagesOptions& options) {
  const std::string program = own_folder() + "/ctstages";
  if (!std::filesystem::exists(program))
    throw Failure(Exit::kFile, "ctstages is not beside ctbench", "build all of ctv");
  const ScratchFolder scratch;
  const std::string file = scratch.file("stages.jsonl");
  StatusLine status(options.progress && !options.quiet);
  ProcessResult run;
  bool complete = true;
  try {
    run = run_process(
        {program, text("%dx%d", options.size.first, options.size.second), std::to_string(options.runs), file},
        [&](const std::string& line) { status.show(line); });
  } catch (const Interrupted&) {
    put_off_signal();
    complete = false;
  }
  status.clear();
  std::ifstream in(file);
  std::stringstream lines;
  lines << in.rdbuf();
  StagesResult result = read_stages(lines.str());
  result.complete = complete;
  if (run.code != 0 && wrong_stages(result).empty())
    throw Failure(Exit::kFile, text("ctstages ended with code %d: ", run.code) + run.last_line());
  return result;
}

std::string stages_text(const StagesOptions& options, const StagesResult& result) {
  std::string out = text("Each stage alone, %dx%d; %s\n", options.size.first, options.size.second,
                         machine_line(machine_json()).c_str());
  for (const Json& runner : result.runners) {
    out += runner["description"].get<std::string>() + ":";
    for (const auto& [key, words] : {std::pair{"copy", "copies (read and written)"},
                                     std::pair{"upload", "up"}, std::pair{"download", "down the bus"}})
      if (runner[key].is_number()) out += text(" %s %.1f GB/s,", words, runner[key].get<double>() / 1e9);
    out.back() = '\n';
  }
  std::vector<std::string> backends, titles;
  const auto add_once = [](std::vector<std::string>& list, const std::string& word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
  };
  const auto key = [](const Json& row) { return title(row) + " (" + row["about"].get<std::string>() + ")"; };
  for (const Json& row : result.rows) {
    add_once(backends, column(row));
    add_once(titles, key(row));
  }
  std::vector<std::string> head = {"stage"};
  for (const std::string& backend : backends)
    head.insert(head.end(), {backend + " us", "of copies", "Gop/s"});
  Table table(head);
  for (const std::string& name : titles) {
    std::vector<std::string> line = {name};
    for (const std::string& backend : backends) {
      const auto found = std::find_if(result.rows.begin(), result.rows.end(), [&](const Json& row) {
        return key(row) == name && column(row) == backend;
      });
      const std::vector<std::string> three =
          found == result.rows.end() ? std::vector<std::string>{"-", "-", "-"} : cells(*found);
      line.insert(line.end(), three.begin(), three.end());
    }
    table.add(line);
  }
  out += "\n" + table.text() +
         "\nus: median, ± half the distance of the quartiles. Of copies: the time in which plain copies move "
         "the "
         "same bytes,\nover the time taken (above 100 %: what fits a cache). Gop/s: operations of the "
         "definition.\n";
  const std::vector<std::string> wrong = wrong_stages(result);
  if (wrong.empty() && !result.rows.empty()) {
    out +=
        "Every stage made what its definition says on a small picture, and the same on every backend at full "
        "size.\n";
  } else {
    for (const std::string& line : wrong) out += "WRONG: " + line + "\n";
  }
  for (const std::string& missing : result.missing) out += "left out: " + missing + "\n";
  return out + (result.complete ? "" : "Interrupted: some is missing.\n");
}

Json stages_json(const StagesOptions& options, const StagesResult& result) {
  Json j = {{"tool", "ctbench"}, {"kind", "stages"}, {"schema", 1}, {"complete", result.complete}};
  j["machine"] = machine_json();
  j["width"] = options.size.first;
  j["height"] = options.size.second;
  j["runs"] = options.runs;
  j["left_out"] = result.missing;
  j["runners"] = result.runners;
  j["results"] = result.rows;
  return j;
}

Exit run_stages(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench stages";
  about.summary = "each stage alone: checked, timed, and what the machine's memory would allow";
  about.description =
      "Every stage is run by itself on every backend and engine. On a small picture it must make what its "
      "definition says, at full size what the first backend makes; if not, the exit code is 70. Its time is "
      "set "
      "beside that of plain copies of the bytes that it has to move.";
  about.examples = {{"ctbench stages", "1920x1080"},
                    {"ctbench stages --size 3840x2160 --json run.json", "larger"}};
  Options options(about);
  StagesOptions stages;
  options.section("Measuring");
  options.value("--size", "WxH", "Size of the picture; 1920x1080 unless given", [&](const std::string& s) {
    const auto size = parse_size(s);
    if (!size || size->first < 16 || size->second < 16 || size->first > 16384 || size->second > 16384)
      throw Failure(Exit::kUsage, "--size: '" + s + "' is not WIDTHxHEIGHT", "16x16 to 16384x16384");
    stages.size = *size;
  });
  options.integer("--runs", "N", "Batches of calls that count; 11 unless given", 1, 1000,
                  [&](int64_t n) { stages.runs = static_cast<int>(n); });
  options.section("Reports");
  options.value(
      "--json", "FILE", "Write all as JSON; - is standard output",
      [&](const std::string& s) { stages.json = s; }, ValueKind::kFile);
  options.value(
      "--csv", "FILE", "Write every stage as a line", [&](const std::string& s) { stages.csv = s; },
      ValueKind::kFile);
  options.flag("-q,--quiet", "Say nothing but errors", [&] { stages.quiet = true; });
  options.flag("--no-progress", "No moving line on the terminal", [&] { stages.progress = false; });
  const Arguments arguments = take_arguments(argc, argv, options, {});
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
  if (!arguments.positional.empty()) throw Failure(Exit::kUsage, "stages takes no clip", "see --help");
  Outputs outputs({stages.json, stages.csv});
  const StagesResult result = measure_stages(stages);
  outputs.write(0, dump(stages_json(stages, result)));
  outputs.write(1, csv_of(result.rows));
  if (!stages.quiet && !outputs.uses_stdout()) std::fputs(stages_text(stages, result).c_str(), stdout);
  if (const std::vector<std::string> wrong = wrong_stages(result); !wrong.empty())
    throw Failure(Exit::kDefect, wrong.front());
  return end_of_run(result.complete);
}

}  // namespace ctv::tools

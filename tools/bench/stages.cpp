// SPDX-License-Identifier: BSD-3-Clause
// `ctbench stages`.
#include "bench/stages.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/measurement.h"
#include "bench/process.h"
#include "bench/table.h"
#include "bench/verbs.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

/// The host's part is done by the CPU whatever the backend.
std::string backend_of(const Json& row) {
  return row["backend"] == "host" ? "cpu" : row["backend"].get<std::string>();
}

/// What a stage would take if it only moved its bytes, as fast as plain copies on this backend do.
Json least_microseconds(const Json& row, const Json& runners) {
  double least = 0;
  for (const Json& runner : runners) {
    if (runner["backend"] != backend_of(row)) continue;
    for (const auto& [bytes, rate] : {std::pair{"memory_bytes", "copy"}, std::pair{"upload_bytes", "upload"},
                                      std::pair{"download_bytes", "download"}})
      if (runner[rate].is_number() && runner[rate].get<double>() > 0)
        least = std::max(least, row[bytes].get<double>() / runner[rate].get<double>() * 1e6);
  }
  return least > 0 ? Json(least) : Json(nullptr);
}

std::string title(const Json& row) {
  const std::string engine = row["engine"];
  return row["stage"].get<std::string>() + (engine.empty() ? "" : ", " + engine) + " (" +
         row["about"].get<std::string>() + ")";
}

/// Time, its spread, share of the least time, arithmetic.
std::vector<std::string> cells(const Json& row) {
  const auto time = row["microseconds"].get<double>(), operations = row["operations"].get<double>();
  const Json& quartiles = row["quartiles"];
  const double spread = 50 * (quartiles[1].get<double>() - quartiles[0].get<double>()) / time;
  const Json& least = row["least_microseconds"];
  return {text(time < 100 ? "%.1f ± %.0f %%" : "%.0f ± %.0f %%", time, spread),
          least.is_null() ? "-" : text("%.0f %%", 100 * least.get<double>() / time),
          operations > 0 ? text("%.1f", operations / time / 1000) : "-"};
}

}  // namespace

std::vector<std::string> read_stages(const std::string& lines, Json& document) {
  std::vector<std::string> left_out;
  document["runners"] = document["results"] = Json::array();
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    Json object = Json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("kind")) continue;  // cut by an interruption
    const std::string kind = object["kind"];
    object.erase("kind");
    if (kind == "runner") {
      document["runners"].push_back(object);
    } else if (kind == "stage") {
      object["least_microseconds"] = least_microseconds(object, document["runners"]);
      document["results"].push_back(object);
    } else {
      left_out.push_back(object["why"]);
    }
  }
  return left_out;
}

std::string wrong_stage(const Json& document) {
  for (const Json& row : document["results"]) {
    const std::string where = title(row) + " on " + row["backend"].get<std::string>();
    if (!row["verified"].get<bool>()) return where + " is not what its definition says";
    if (!row["same"].get<bool>()) return where + " differs from the first backend's";
  }
  return "";
}

std::string stages_text(const Json& j) {
  std::string out = text("Each stage alone, %dx%d; %s\n", j["width"].get<int>(), j["height"].get<int>(),
                         machine_line(j["machine"]).c_str());
  for (const Json& runner : j["runners"]) {
    out += runner["description"].get<std::string>() + ":";
    for (const auto& [key, words] : {std::pair{"copy", "copies (read and written)"},
                                     std::pair{"upload", "up"}, std::pair{"download", "down the bus"}})
      if (runner[key].is_number()) out += text(" %s %.1f GB/s,", words, runner[key].get<double>() / 1e9);
    out.back() = '\n';
  }
  const std::vector<std::string> backends = unique(j["results"], &backend_of);
  std::vector<std::string> head = {"stage"};
  for (const std::string& backend : backends)
    head.insert(head.end(), {backend + " us", "of copies", "Gop/s"});
  Table table(head);
  for (const std::string& name : unique(j["results"], &title)) {
    std::vector<std::string> line = {name};
    for (const std::string& backend : backends) {
      std::vector<std::string> three = {"-", "-", "-"};
      for (const Json& row : j["results"])
        if (title(row) == name && backend_of(row) == backend) three = cells(row);
      line.insert(line.end(), three.begin(), three.end());
    }
    table.add(line);
  }
  const std::string wrong = wrong_stage(j);
  return out + "\n" + table.text() +
         "\nus: median, ± half the distance of the quartiles. Of copies: the time in which plain copies move "
         "the same "
         "bytes,\nover the time taken (above 100 %: what fits a cache). Gop/s: operations of the "
         "definition.\n" +
         (wrong.empty()
              ? "Every stage made what its definition says on a small picture, and the same on every backend "
                "at full size.\n"
              : "WRONG: " + wrong + "\n");
}

Exit run_stages(int argc, const char* const* argv) {
  Measurement m(
      "stages", "each stage alone: checked, timed, and what the machine's memory would allow",
      "Every stage runs alone on every backend and engine. On a small picture it must make what its "
      "definition says, at full size what the first backend makes; if not, the exit code is 70. Its time is "
      "compared with that of plain copies of the bytes that it has to move.",
      {{"ctbench stages", "1920x1080"}, {"ctbench stages --size 3840x2160 --json run.json", "larger"}});
  m.most_clips = 0;
  m.size = {1920, 1080};
  m.runs = 11;
  m.extent("--size", "Size of the picture, 16x16 to 16384x16384", m.size);
  m.count("--runs", "Batches of calls that count", 1, 1000, m.runs);
  const auto check = [&] {
    if (std::min(m.size.first, m.size.second) < 16 || std::max(m.size.first, m.size.second) > 16384)
      throw Failure(Exit::kUsage, "--size: a picture of 16x16 to 16384x16384");
  };
  const auto measure = [&](Json& j) {
    j["width"] = m.size.first;
    j["height"] = m.size.second;
    j["runs"] = m.runs;
    const std::string program = own_folder() + "/ctstages";
    if (!std::filesystem::exists(program))
      throw Failure(Exit::kFile, "ctstages is not in ctbench's folder", "build all of ctv");
    const ScratchFolder scratch;
    const std::string file = scratch.file("stages.jsonl");
    const auto read = [&] {
      std::stringstream lines;
      lines << std::ifstream(file).rdbuf();
      for (const std::string& why : read_stages(lines.str(), j)) m.leave_out(why);
    };
    ProcessResult run;
    try {
      run = run_process({program, text("%dx%d", m.size.first, m.size.second), std::to_string(m.runs), file},
                        [&](const std::string& line) { m.show(line); });
    } catch (const Interrupted&) {
      read();
      throw;
    }
    read();
    if (run.code != 0 && wrong_stage(j).empty())
      throw Failure(Exit::kFile, text("ctstages ended with code %d: ", run.code) + run.last_line());
  };
  return m.run(argc, argv,
               {.check = check, .measure = measure, .text = &stages_text, .defect = &wrong_stage});
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Tables and `ctbench report`, by report/tables.py and report/report.py. These are searched where they are
// installed, next to this program's folder, then in the source tree of this program.
#include "bench/measurement.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/process.h"
#include "bench/verbs.h"
#include "cli/arguments.h"
#include "cli/text.h"
#include "io/check_files.h"

namespace ctv::tools {
namespace {

std::string script(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::string& candidate :
       {(self.parent_path().parent_path() / CTV_BENCH_DATA_DIR / "report" / name).string(),
        CTV_BENCH_SOURCE_DIR "/report/" + name})
    if (std::filesystem::exists(candidate, error)) return candidate;
  throw Failure(Exit::kFile, name + " is not installed");
}

/// The user's python3 if it has scipy, which BD-rates need, or is the only one; else the system's.
std::string python() {
  const std::string system = "/usr/bin/python3";
  if (!std::filesystem::exists(system)) return "python3";
  return run_process({"python3", "-c", "import scipy"}).code == 0 ? "python3" : system;
}

}  // namespace

std::string tables_of(const Json& document) {
  const ScratchFolder scratch;
  std::ofstream(scratch.file("run.json")) << dump(document);
  const ProcessResult run = run_process({python(), script("tables.py"), scratch.file("run.json")});
  if (run.code != 0) throw Failure(Exit::kFile, "tables: " + run.last_line());
  return run.output;
}

Exit run_report(int argc, const char* const* argv) {
  ToolText about;
  about.name = "ctbench report";
  about.summary = "one page from the JSON of runs";
  about.description =
      "Shows the JSON that other verbs of ctbench wrote, any number of files, as one page of HTML.";
  about.examples = {{"ctbench report run.json... -o report.html", "the page"}};
  about.operands = "RUN.json...";
  Options options(about);
  std::string output = "report.html";
  options.value(
      "-o,--output", "FILE", "The page; report.html unless given", [&](const std::string& s) { output = s; },
      ValueKind::kFile);
  const Arguments arguments = take_arguments(argc, argv, options, {});
  if (!options.parse(static_cast<int>(arguments.rest.size()), arguments.rest.data())) return Exit::kOk;
  if (arguments.positional.empty()) throw Failure(Exit::kUsage, "no JSON to show", about.examples[0].first);
  check_files(arguments.positional, {output});
  std::vector<std::string> command = {python(), script("report.py"), "-o", output};
  command.insert(command.end(), arguments.positional.begin(), arguments.positional.end());
  const ProcessResult result = run_process(command);
  if (result.code == 0) {
    std::fputs(result.output.c_str(), stdout);
    return Exit::kOk;
  }
  std::string line = result.last_line();
  if (const std::string prefix = "ctbench report: "; line.starts_with(prefix)) line.erase(0, prefix.size());
  throw Failure(Exit::kFile, "report: " + line);
}

}  // namespace ctv::tools

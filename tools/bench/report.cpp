// SPDX-License-Identifier: BSD-3-Clause
// Tables and `ctbench report`: by report/tables.py, and report/report.py, which draws with matplotlib. They
// are looked for where they are installed, next to this program's folder, then in the source tree that this
// program was built from.
#include "bench/report.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/process.h"
#include "bench/verbs.h"
#include "cli/text.h"

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

/// The user's python3, or the system's, whichever has the module of the package.
std::string python_with(const std::string& module, const char* package) {
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    try {
      if (run_process({candidate, "-c", "import " + module}).code == 0) return candidate;
    } catch (const Failure&) {  // not there
    }
  }
  throw Failure(Exit::kFile, "no python3 with " + module, std::string("apt-get install ") + package);
}

}  // namespace

std::string tables_of(const Json& document) {
  const std::string python =
      document["kind"] == "rd" ? python_with("scipy", "python3-scipy") : python_with("json", "python3");
  const ScratchFolder scratch;
  std::ofstream(scratch.file("run.json")) << dump(document);
  const ProcessResult run = run_process({python, script("tables.py"), scratch.file("run.json")});
  if (run.code != 0) throw Failure(Exit::kDefect, "tables: " + run.last_line());
  return run.output;
}

Exit run_report(int argc, const char* const* argv) {
  const std::string path = script("report.py");
  std::vector<std::string> command = {python_with("matplotlib", "python3-matplotlib"), path};
  command.insert(command.end(), argv + 1, argv + argc);
  const ProcessResult result = run_process(command);
  if (result.code == 0) {
    std::fputs(result.output.c_str(), stdout);
    return Exit::kOk;
  }
  std::string line = result.last_line();
  if (const std::string prefix = "ctbench report: "; line.starts_with(prefix)) line.erase(0, prefix.size());
  throw Failure(result.code == 2 ? Exit::kUsage : Exit::kFile, "report: " + line);
}

}  // namespace ctv::tools

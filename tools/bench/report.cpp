// SPDX-License-Identifier: BSD-3-Clause
// `ctbench report`: hands over to report/report.py, which draws with matplotlib. It is looked for where it is
// installed, next to this program's folder, then in the source tree that this program was built from.
#include <cstdio>
#include <filesystem>

#include "bench/process.h"
#include "bench/verbs.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

std::string script() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::string& candidate :
       {(self.parent_path().parent_path() / CTV_BENCH_DATA_DIR / "report/report.py").string(),
        std::string(CTV_BENCH_SOURCE_DIR "/report/report.py")})
    if (std::filesystem::exists(candidate, error)) return candidate;
  throw Failure(Exit::kFile, "report.py is not installed");
}

/// The user's python3, or the system's, whichever has matplotlib.
std::string python() {
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    try {
      if (run_process({candidate, "-c", "import matplotlib"}).code == 0) return candidate;
    } catch (const Failure&) {  // not there
    }
  }
  throw Failure(Exit::kFile, "no python3 with matplotlib", "apt-get install python3-matplotlib");
}

}  // namespace

Exit run_report(int argc, const char* const* argv) {
  const std::string path = script();
  std::vector<std::string> command = {python(), path};
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

// SPDX-License-Identifier: BSD-3-Clause
#include "bench/outputs.h"

#include <cstdio>

#include "cli/signals.h"

namespace ctv::tools {

Outputs::Outputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path == "-" && uses_stdout_)
      throw Failure(Exit::kUsage, "standard output is asked for more than once");
    uses_stdout_ = uses_stdout_ || path == "-";
    files_.push_back(path.empty() ? nullptr : std::make_unique<OutputFile>(path));
  }
}

void Outputs::write(size_t i, const std::string& content) {
  if (!files_[i]) return;
  files_[i]->write(std::string_view(content));
  files_[i]->commit();
}

Exit end_of_run(bool complete) {
  if (std::fflush(stdout) != 0) throw Failure(Exit::kFile, "cannot write standard output");
  if (complete) return Exit::kOk;
  std::fputs("ctbench: interrupted; what was measured until then is written\n", stderr);
  die_by_signal();
  return Exit::kFile;
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
#include "io/check_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/exit.h"
#include "io/file_status.h"

namespace ctv::tools {

void check_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  namespace fs = std::filesystem;
  if (std::ranges::count(inputs, "-") > 1)
    throw Failure(Exit::kUsage, "standard input is asked for more than once");
  std::set<std::string> names;
  for (const std::string& path : outputs) {
    if (path.empty() || path == "null" || path.starts_with("/dev/") || path.starts_with("/proc/")) continue;
    std::error_code ignored;
    if (!names
             .insert(path == "-" ? path : name_of(fs::weakly_canonical(fs::absolute(path_of(path)), ignored)))
             .second) {
      if (path == "-") throw Failure(Exit::kUsage, "standard output is asked for more than once");
      throw Failure(Exit::kUsage, "'" + path + "' is asked for as output more than once");
    }
    const std::optional<FileStatus> output = path == "-" ? std::nullopt : status_of(path);
    if (!output || !output->regular) continue;
    for (const std::string& name : inputs) {
      const std::optional<FileStatus> input = name == "-" ? status_of(STDIN_FILENO) : status_of(name);
      if (input && input->identity == output->identity)
        throw Failure(Exit::kUsage, path + " is the input as well", "give the output another name");
    }
  }
}

}  // namespace ctv::tools

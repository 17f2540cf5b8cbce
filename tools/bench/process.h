// SPDX-License-Identifier: BSD-3-Clause
// External programs: found in PATH, run, timed.
#pragma once

#include <string>
#include <vector>

namespace ctv::tools {

bool find_program(const std::string& name);

struct ProcessResult {
  int code = 0;  // exit status, 127 if there is no such program; 128 + signal
  double seconds = 0;
  std::string output;  // standard output and error
  /// The last line that is not blank.
  std::string last_line() const;
};

/// Throws Interrupted if a signal came while the program ran, after it has ended; a terminal sends the signal
/// to the program, too.
ProcessResult run_process(const std::vector<std::string>& command);

/// For example "x264 --qp 20 a.y4m", quoted where a shell needs it.
std::string shown_command(const std::vector<std::string>& command);

/// A folder that is removed with its contents.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace ctv::tools

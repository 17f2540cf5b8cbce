// SPDX-License-Identifier: BSD-3-Clause
// Files that a run writes at its end, opened at its beginning, so that an unwritable place is found first.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/exit.h"
#include "io/output_file.h"

namespace ctv::tools {

class Outputs {
 public:
  /// "" for none, "-" for standard output (once).
  explicit Outputs(const std::vector<std::string>& paths);
  void write(size_t i, const std::string& content);
  bool uses_stdout() const { return uses_stdout_; }

 private:
  std::vector<std::unique_ptr<OutputFile>> files_;
  bool uses_stdout_ = false;
};

/// Where everything is written: a run that was interrupted still ends by the signal.
Exit end_of_run(bool complete);

}  // namespace ctv::tools

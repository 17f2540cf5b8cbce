// SPDX-License-Identifier: BSD-3-Clause
#include "bench/status_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/text.h"

namespace ctv::tools {

StatusLine::StatusLine(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

void StatusLine::show(const std::string& what) {
  if (!shown_) return;
  std::string line = what;
  if (steps_ > 0)
    line = text("[%3.0f%%] ", 100 * static_cast<double>(done_) / static_cast<double>(steps_)) + what;
  std::fprintf(stderr, "\r%-78.78s", line.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void StatusLine::clear() {
  if (!visible_) return;
  std::fprintf(stderr, "\r%78s\r", "");
  visible_ = false;
}

void leave_out(StatusLine& status, bool quiet, const std::string& why, std::vector<std::string>& missing) {
  if (std::find(missing.begin(), missing.end(), why) != missing.end()) return;
  missing.push_back(why);
  status.clear();
  if (!quiet) std::fprintf(stderr, "ctbench: left out: %s\n", why.c_str());
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// What is being measured right now: one moving line, on a terminal only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ctv::tools {

class StatusLine {
 public:
  explicit StatusLine(bool wanted);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  /// How much there will be to do, for the percentage.
  void expect(int64_t steps) { steps_ = steps; }
  void show(const std::string& what);
  void step() { ++done_; }
  void clear();

 private:
  bool shown_;
  bool visible_ = false;
  int64_t steps_ = 0, done_ = 0;
};

/// Says in one line what is left out and why, unless quiet, and remembers it once.
void leave_out(StatusLine& status, bool quiet, const std::string& why, std::vector<std::string>& missing);

}  // namespace ctv::tools

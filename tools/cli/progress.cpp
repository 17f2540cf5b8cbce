// SPDX-License-Identifier: BSD-3-Clause
#include "cli/progress.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "cli/text.h"

namespace ctv::tools {
namespace {

std::atomic<bool> g_line_shown{false};  // log lines may come from other threads

}  // namespace

Progress::Progress(bool wanted, std::optional<int64_t> total, double rate)
    : shown_(wanted && isatty(STDERR_FILENO) == 1), total_(total), rate_(rate) {}

Progress::~Progress() { clear_progress_line(); }

void Progress::update(int64_t frames, uint64_t bytes) {
  if (!shown_ || frames < 1) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto done = static_cast<double>(frames);
  const double fps = seconds > 0 ? done / seconds : 0;
  const double kbps = static_cast<double>(bytes) * 8 / 1000 / (done / rate_);
  std::string line;
  if (total_ && *total_ >= frames && fps > 0) {
    const auto eta = static_cast<long long>(static_cast<double>(*total_ - frames) / fps);
    line = text("[%.1f%%] %lld/%lld frames, %.2f fps, %.2f kb/s, eta %lld:%02lld:%02lld",
                100 * done / static_cast<double>(*total_), static_cast<long long>(frames),
                static_cast<long long>(*total_), fps, kbps, eta / 3600, eta / 60 % 60, eta % 60);
  } else {
    line = text("%lld frames, %.2f fps, %.2f kb/s", static_cast<long long>(frames), fps, kbps);
  }
  std::fprintf(stderr, "\r%-78s", line.c_str());
  std::fflush(stderr);
  g_line_shown = true;
}

void clear_progress_line() {
  if (!g_line_shown) return;
  std::fprintf(stderr, "\r%78s\r", "");
  g_line_shown = false;
}

}  // namespace ctv::tools

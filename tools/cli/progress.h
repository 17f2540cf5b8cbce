// SPDX-License-Identifier: BSD-3-Clause
// The progress line, like x264's "[12.0%] 6/50 frames, 45.10 fps, 915.80 kb/s, eta 0:00:01", on stderr, on a
// terminal only, a few times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace ctv::tools {

class Progress {
 public:
  /// total: frames, if known; rate: the stream's frames per second, for kb/s.
  Progress(bool wanted, std::optional<int64_t> total, double rate);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// frames done, bytes of the stream so far.
  void update(int64_t frames, uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  std::optional<int64_t> total_;
  double rate_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

/// Wipes the line, if one is there, before other text is printed.
void clear_progress_line();

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Time and calls per stage, summed since open.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace ctv {

enum class Stage {
  kColour,
  kMotionSearch,
  kMotionRefine,
  kSkip,
  kCompensate,
  kSlopes,
  kForward,
  kQuantise,
  kPredict,
  kInverse,
  kFilter,
  kError,
  kSymbols,
  kCount
};

inline constexpr std::array<const char*, static_cast<size_t>(Stage::kCount)> kStageNames = {
    "colour",       "motion search",     "motion refinement", "skip decision", "motion compensation",
    "slope search", "forward transform", "quantiser",         "prediction",    "inverse transform",
    "loop filter",  "squared error",     "entropy coding"};

class StageTimes {
 public:
  bool wanted = false;  // times were requested: stages are timed even where that takes time
  struct Entry {
    double seconds = 0;
    uint64_t calls = 0;
  };
  using Entries = std::array<Entry, static_cast<size_t>(Stage::kCount)>;
  Entries entries{};  // read by others while no call is being timed

  void add(Stage stage, double seconds) {
    Entry& e = entries[static_cast<size_t>(stage)];
    e.seconds += seconds;
    ++e.calls;
  }
  /// Mark the begin and end of a call, from any thread. Overlapping calls of one stage count once.
  /// Overlapping calls of different stages count for each, so the sum may exceed the elapsed time.
  void begin(Stage stage) {
    const std::lock_guard lock(mutex_);
    Running& r = running_[static_cast<size_t>(stage)];
    if (r.calls++ == 0) r.since = Clock::now();
  }
  void end(Stage stage) {
    const std::lock_guard lock(mutex_);
    Running& r = running_[static_cast<size_t>(stage)];
    Entry& e = entries[static_cast<size_t>(stage)];
    ++e.calls;
    if (--r.calls == 0) e.seconds += std::chrono::duration<double>(Clock::now() - r.since).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    int calls = 0;
    Clock::time_point since;
  };
  std::mutex mutex_;
  std::array<Running, static_cast<size_t>(Stage::kCount)> running_{};
};

/// Adds the time from construction to destruction to a stage.
class StageTimer {
 public:
  StageTimer(StageTimes& times, Stage stage) : times_(times), stage_(stage) { times_.begin(stage_); }
  ~StageTimer() { times_.end(stage_); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageTimes& times_;
  Stage stage_;
};

}  // namespace ctv

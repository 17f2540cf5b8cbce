// SPDX-License-Identifier: BSD-3-Clause
// Time and calls per stage, summed since open.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace ctv {

enum class Stage {
  kUpload,
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
  kDownload,
  kSymbols,
  kCount
};

inline constexpr std::array<const char*, static_cast<size_t>(Stage::kCount)> kStageNames = {
    "upload",
    "colour",
    "motion search",
    "motion refinement",
    "skip decision",
    "motion compensation",
    "slope search",
    "forward transform",
    "quantiser",
    "prediction",
    "inverse transform",
    "loop filter",
    "squared error",
    "download",
    "symbols and DEFLATE"};

struct StageTimes {
  bool wanted = false;  // somebody has asked: stages are timed even where that takes time
  struct Entry {
    double seconds = 0;
    uint64_t calls = 0;
  };
  std::array<Entry, static_cast<size_t>(Stage::kCount)> entries{};

  void add(Stage stage, double seconds) {
    Entry& e = entries[static_cast<size_t>(stage)];
    e.seconds += seconds;
    ++e.calls;
  }
};

/// Adds the time from construction to destruction to a stage.
class StageTimer {
 public:
  StageTimer(StageTimes& times, Stage stage)
      : times_(times), stage_(stage), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    times_.add(stage_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageTimes& times_;
  Stage stage_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace ctv

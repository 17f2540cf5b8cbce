// SPDX-License-Identifier: BSD-3-Clause
// Detects scene cuts from short runs of samples of the source. A cut changes both the samples at equal
// positions and the distribution of luma; motion changes only the former, light only the latter. A cut may
// change the distribution little, but then many runs suddenly differ more from the previous picture than from
// their own mean; with motion they do so in the pictures before, too.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

class SceneCutDetector {
 public:
  /// True if `picture` begins a new scene; false unless it is in host memory. Keeps its runs for the next
  /// call.
  bool is_cut(const ctv_picture& picture);

 private:
  // Grid of the runs compared; the real number is less than twice as large. Most lie far apart in memory, so
  // each takes a cache miss.
  static constexpr int kGridRows = 32;
  static constexpr int kGridCols = 64;
  static constexpr size_t kBins = 16;
  static constexpr int kRun = 16;  // samples in a row
  using Run = std::array<uint8_t, kRun>;
  void look_at(const ctv_picture& picture);
  static int difference_of(const Run& a, const Run& b);
  std::vector<Run> runs_, last_;
  std::array<int, kBins> histogram_{}, last_histogram_{};
  int new_ = 0;  // runs nearer to their mean than to the previous picture
};

}  // namespace ctv

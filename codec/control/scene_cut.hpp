// SPDX-License-Identifier: BSD-3-Clause
// Finds scene cuts by looking at a few samples of the source: a cut changes both the places and the
// distribution of luma, motion only the places, a change of light only the distribution.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

class SceneCutDetector {
 public:
  /// True if `picture` (host memory; others never are) begins a new scene. Remembers it for the next call.
  bool is_cut(const ctv_picture& picture);

 private:
  // Samples looked at, less than twice as many. Most are far from each other in memory, so they take time.
  static constexpr int kGridRows = 32;
  static constexpr int kGridCols = 64;
  static constexpr size_t kBins = 16;
  void look_at(const ctv_picture& picture);
  std::vector<uint8_t> samples_, last_;
  std::array<int, kBins> histogram_{}, last_histogram_{};
};

}  // namespace ctv

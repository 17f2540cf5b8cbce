// SPDX-License-Identifier: BSD-3-Clause
// Detects scene cuts from a few samples of the source. A cut changes both the samples at equal positions and
// the distribution of luma; motion changes only the former, light only the latter.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

class SceneCutDetector {
 public:
  /// True if `picture` begins a new scene; false unless it is in host memory. Keeps its samples for the next
  /// call.
  bool is_cut(const ctv_picture& picture);

 private:
  // Grid of the samples compared; the real number is less than twice as large. Most lie far apart in memory,
  // so each takes a cache miss.
  static constexpr int kGridRows = 32;
  static constexpr int kGridCols = 64;
  static constexpr size_t kBins = 16;
  void look_at(const ctv_picture& picture);
  std::vector<uint8_t> samples_, last_;
  std::array<int, kBins> histogram_{}, last_histogram_{};
};

}  // namespace ctv

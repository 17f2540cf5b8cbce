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
  static constexpr int kGrid = 64;  // samples looked at in each direction, at most
  static constexpr int kBins = 16;
  std::vector<uint8_t> samples_, last_;
};

}  // namespace ctv

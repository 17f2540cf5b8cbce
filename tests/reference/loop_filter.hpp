// SPDX-License-Identifier: BSD-3-Clause
// The loop filter by definition (docs/bitstream.md, section 11), sample by sample.
#pragma once

#include <algorithm>

#include "codec/dsp/loop_filter.hpp"
#include "tests/reference/motion.hpp"

namespace ctv::reference {

/// The correction of the sample of a plane at (row, col).
inline int filter_correction(const SampleAt& at, const LoopFilter& f, int row, int col) {
  int sum = 1 << (kFilterBits - 1);
  for (int dy = -kFilterReach; dy <= kFilterReach; ++dy) {
    for (int dx = -kFilterReach; dx <= kFilterReach; ++dx) {
      const int squared = dy * dy + dx * dx;  // of the distance
      const int weight = squared == 1 ? f.near : (squared == 2 ? f.diagonal : (squared == 4 ? f.far : 0));
      if (weight != 0) {
        sum += weight * std::clamp<int>(at(row + dy, col + dx) - at(row, col), -int{f.bound}, int{f.bound});
      }
    }
  }
  return static_cast<int>(floor_div(sum, 1 << kFilterBits));
}

}  // namespace ctv::reference

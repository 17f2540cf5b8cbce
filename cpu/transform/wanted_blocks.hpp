// SPDX-License-Identifier: BSD-3-Clause
// The blocks that the inverse wavelet must compute to write samples that are not skipped. Lifting spreads
// nonzero coefficients over most of a picture, so zeros alone save little. The 5/3 is so fast that it gains
// nothing.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "codec/util/memory_budget.hpp"
#include "codec/util/types.hpp"
#include "cpu/picture/skipped_runs.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

/// The blocks of a row of the lowpass that the inverse reads. Vertical steps spread an even row, and the
/// steps due with it, up to 3 rows. wanted: as in Wavelet::inverse().
inline BlockMask wanted_lowpass(std::span<const BlockMask> wanted, int row) {
  if (wanted.empty()) return kAllBlocks;
  const int end = std::min(row + 2, static_cast<int>(wanted.size()));
  BlockMask mask = 0;
  for (int k = std::max(row - 2, 0); k < end; ++k) mask |= wanted[static_cast<size_t>(k)];
  return mask;
}

/// The wanted blocks of all scales, from the last inverted scale to the first, for Wavelet::inverse().
class WantedBlocks {
 public:
  explicit WantedBlocks(int scales) : pairs_(static_cast<size_t>(scales)) {}
  std::span<const BlockMask> operator[](int scale) const { return pairs_[static_cast<size_t>(scale - 1)]; }
  /// rows: those of the samples for the scale `last`; otherwise half of those of the previous scale. all: if
  /// the scale has slopes.
  void find(int scale, int last, int rows, bool all, const SkippedRuns& skipped) {
    CountedVector<BlockMask>& pairs = pairs_[static_cast<size_t>(scale - 1)];
    pairs.clear();
    for (int row = 0; row < rows && !all && skipped.any(); row += 2) {
      const auto of_row = [&](int r) {
        return scale == last ? skipped.reached_blocks(r)
                             : split_blocks(wanted_lowpass((*this)[scale - 1], r));
      };
      const BlockMask pair = of_row(row) | of_row(row + 1);
      pairs.push_back(scale == last ? pair : with_neighbours(pair));
    }
  }

 private:
  std::vector<CountedVector<BlockMask>> pairs_;  // [scale - 1][row pair]
};

}  // namespace ctv

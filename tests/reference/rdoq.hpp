// SPDX-License-Identifier: BSD-3-Clause
// RDOQ by definition, one coefficient at a time.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "codec/control/rdo_quantise.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv::reference {

/// coefficients: of a plane, in the layout's order.
inline std::vector<Level> quantise_rdo(const SubbandLayout& layout,
                                       std::span<const SubbandQuantiser> quantisers, FrameType type,
                                       const std::vector<Coefficient>& coefficients) {
  std::vector<Level> levels(layout.num_coefficients);
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Subband& s = layout.subbands[i];
    const SubbandQuantiser& q = quantisers[i];
    const auto at = [&](int r, int c) {
      return s.offset + static_cast<size_t>(r) * static_cast<size_t>(s.cols) + static_cast<size_t>(c);
    };
    // In 65536ths of a step, the rounding offset included.
    const auto scaled = [&](int r, int c) {
      return std::abs(int64_t{coefficients[at(r, c)]}) * q.multiplier + q.rounding_offset;
    };
    const auto digit = [&](int r, int c) { return std::min<int64_t>(scaled(r, c) / 65536, 2); };
    // Of predicted frames, in other subbands that look at the same place: the two that are nearest, the ones
    // before first.
    std::vector<size_t> siblings;
    for (const int k : {-1, 1, -2, 2}) {
      const size_t n = i + static_cast<size_t>(k);
      if (type == FrameType::kKey || siblings.size() == 2 || n >= layout.subbands.size()) continue;
      const Subband& other = layout.subbands[n];
      if (other.layer == s.layer && other.rows == s.rows && other.cols == s.cols) siblings.push_back(n);
    }
    for (int r = 0; r < s.rows; ++r) {
      for (int c = 0; c < s.cols; ++c) {
        int64_t level = scaled(r, c) / 65536;
        if (level == 1 && s.scale != 0 && q.step != 16) {
          int64_t activity = 0;
          for (int y = std::max(r - 1, 0); y <= std::min(r + 1, s.rows - 1); ++y) {
            for (int x = std::max(c - 1, 0); x <= std::min(c + 1, s.cols - 1); ++x) {
              if (y == r && x == c) continue;
              activity += (y == r || x == c ? 5 : 3) * digit(y, x);
            }
          }
          for (const size_t n : siblings) {
            const int64_t magnitude =
                std::abs(int64_t{coefficients[layout.subbands[n].offset + at(r, c) - s.offset]});
            activity +=
                4 * std::min<int64_t>(
                        (magnitude * quantisers[n].multiplier + quantisers[n].rounding_offset) / 65536, 2);
          }
          int64_t growth = 22938;
          for (int64_t k = 0; k < (activity + 2) / 4; ++k) growth /= 2;
          if (scaled(r, c) - 65536 < growth) level = 0;
        }
        levels[at(r, c)] = static_cast<Level>(coefficients[at(r, c)] < 0 ? -level : level);
      }
    }
  }
  return levels;
}

}  // namespace ctv::reference

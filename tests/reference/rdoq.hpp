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
                                       std::span<const SubbandQuantiser> quantisers,
                                       const std::vector<Coefficient>& coefficients) {
  std::vector<Level> levels(layout.num_coefficients);
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Subband& s = layout.subbands[i];
    const SubbandQuantiser& q = quantisers[i];
    const auto at = [&](int r, int c) {
      return s.offset + static_cast<size_t>(r) * static_cast<size_t>(s.cols) + static_cast<size_t>(c);
    };
    // In 65536ths of a step.
    const auto scaled = [&](size_t place) { return std::abs(int64_t{coefficients[place]}) * q.multiplier; };
    const auto activity_at = [&](size_t place) {
      return std::clamp<int64_t>(scaled(place) / 8192 - 1, 0, 16);
    };
    for (int r = 0; r < s.rows; ++r) {
      for (int c = 0; c < s.cols; ++c) {
        int64_t offset = q.rounding_offset;
        if (s.scale != 0 && q.step != 16) {
          int64_t activity = 0;
          for (int y = std::max(r - 1, 0); y <= std::min(r + 1, s.rows - 1); ++y) {
            for (int x = std::max(c - 1, 0); x <= std::min(c + 1, s.cols - 1); ++x) {
              if (y == r && x == c) continue;
              activity += (y == r || x == c ? 3 : 2) * activity_at(at(y, x));
            }
          }
          int64_t reduction = 28000 * (64 - activity % 32) / 64;
          for (int64_t k = 0; k < activity / 32; ++k) reduction /= 2;
          offset -= reduction;
        }
        const int64_t level = std::max<int64_t>(scaled(at(r, c)) + offset, 0) / 65536;
        levels[at(r, c)] = static_cast<Level>(coefficients[at(r, c)] < 0 ? -level : level);
      }
    }
  }
  return levels;
}

}  // namespace ctv::reference

// SPDX-License-Identifier: BSD-3-Clause
// Events of quads by definition (docs/bitstream.md, 6.5; codec/entropy/model/quad_events.hpp): each quad
// independently, from the levels.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "codec/entropy/model/quad_alphabet.hpp"
#include "codec/entropy/model/quad_events.hpp"
#include "codec/util/types.hpp"

namespace ctv::reference {

struct FoundQuads {
  std::vector<QuadRow> rows;
  std::vector<QuadEvent> events;     // 0 where a row has none
  std::vector<uint16_t> magnitudes;  // 0 where a row has none
  QuadEvents view() const { return {rows.data(), events.data(), magnitudes.data()}; }
};

class QuadsByDefinition {
 public:
  QuadsByDefinition(std::span<const ContextBand> bands, std::span<const Level* const> planes)
      : bands_(bands), planes_(planes) {}

  FoundQuads find() const {
    FoundQuads found;
    size_t first = 0;
    for (const ContextBand& b : bands_) {
      if (b.lowpass) continue;
      for (int y = 0; y < b.quad_rows(); ++y, first += static_cast<size_t>(b.quad_cols())) {
        found.events.resize(first + static_cast<size_t>(b.quad_cols()));
        found.magnitudes.resize(4 * found.events.size());
        found.rows.push_back(
            find_row(b, y, found.events.data() + first, found.magnitudes.data() + 4 * first));
      }
    }
    return found;
  }

 private:
  int level(const ContextBand& b, int y, int x) const {
    if (y < 0 || x < 0 || y >= b.rows || x >= b.cols) return 0;
    const auto at = static_cast<size_t>(y) * static_cast<size_t>(b.cols) + static_cast<size_t>(x);
    return planes_[static_cast<size_t>(b.plane)][b.offset + at];
  }
  int sum(const ContextBand& b, int y, int x) const {
    if (y < 0 || x < 0) return 0;
    int s = 0;
    for (int i = 0; i < 4; ++i) s += std::abs(level(b, 2 * y + i / 2, 2 * x + i % 2));
    return std::min(s, 31);
  }
  int context(const ContextBand& b, int y, int x) const {
    int t = 3 * sum(b, y, x - 1) + sum(b, y, x - 2) + 3 * sum(b, y - 1, x) + sum(b, y - 1, x - 1) +
            sum(b, y - 1, x + 1) + sum(b, y - 2, x);
    if (b.siblings[0] >= 0) {
      const int s1 = sum(bands_[static_cast<size_t>(b.siblings[0])], y, x);
      const int s2 = b.siblings[1] < 0 ? s1 : sum(bands_[static_cast<size_t>(b.siblings[1])], y, x);
      t += 2 * ((s1 + s2 + 1) >> 1);
    }
    if (b.parent < 0) return t;
    const ContextBand& parent = bands_[static_cast<size_t>(b.parent)];
    return t + (b.parent_grid == ParentGrid::kHalf ? 3 * std::min(31, std::abs(level(parent, y, x)))
                                                   : 3 * sum(parent, y, x) >> 1);
  }
  static uint32_t reached(std::initializer_list<int> thresholds, int t) {
    return static_cast<uint32_t>(
        std::count_if(thresholds.begin(), thresholds.end(), [t](int v) { return v <= t; }));
  }

  QuadRow find_row(const ContextBand& b, int y, QuadEvent* events, uint16_t* magnitudes) const {
    QuadRow row{0, 0};
    uint32_t zeros = 0;
    for (int x = 0; x < b.quad_cols(); ++x) {
      const int t = context(b, y, x);
      if (t == 0 && sum(b, y, x) == 0) {
        ++zeros;
        continue;
      }
      int value = 0;
      int bigs = 0;
      uint32_t signs = 0;
      uint32_t sign = 1;
      for (int i = 0; i < 4; ++i) {
        const int l = level(b, 2 * y + i / 2, 2 * x + i % 2);
        value = 3 * value + std::min(std::abs(l), 2);
        if (l < 0) signs |= sign;
        if (l != 0) sign <<= 1;
        if (std::abs(l) < 2) continue;
        ++bigs;
        magnitudes[row.magnitudes++] = static_cast<uint16_t>(std::abs(l) - 2);
      }
      events[row.events++] =
          pack_event({zeros, reached({8, 20, 40, 80, 140, 220}, t + 8 * (std::max(bigs, 1) - 1)), signs,
                      reached({1, 2, 3, 4, 6, 8, 11, 15, 21, 30, 44, 64}, t),
                      kQuads.symbol_of_value[static_cast<size_t>(value)]});
      zeros = 0;
    }
    return row;
  }

  std::span<const ContextBand> bands_;
  std::span<const Level* const> planes_;
};

}  // namespace ctv::reference

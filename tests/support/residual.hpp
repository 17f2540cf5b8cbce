// SPDX-License-Identifier: BSD-3-Clause
// Macroblocks and levels of a predicted frame, drawn at random.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/format/macroblocks.hpp"
#include "codec/util/types.hpp"

namespace ctv::test {

struct DrawnResidual {
  std::vector<Macroblock> macroblocks;
  std::array<std::vector<Level>, 3> levels;  // 0 where no block is coded
};

/// The coded blocks of a macroblock in a plane: first level in the macroblock's array, and number of levels.
inline std::vector<std::pair<size_t, size_t>> coded_blocks(const MacroblockGrid& grid, const Macroblock& m,
                                                           int plane) {
  std::vector<std::pair<size_t, size_t>> blocks;
  if (plane > 0) {
    for (int b = 0; b < grid.chroma_blocks(); ++b) {
      if ((m.chroma[plane - 1] >> b & 1) != 0)
        blocks.emplace_back(kChromaBlockLevels * static_cast<size_t>(b), kChromaBlockLevels);
    }
    return blocks;
  }
  if (m.kind == static_cast<uint8_t>(MacroblockKind::k16x16)) return {{size_t{0}, kLumaLevels}};
  for (int q = 0; q < kMacroblockQuarters; ++q) {
    const auto first = static_cast<size_t>(64 * q);
    if (m.quarter(q) == QuarterKind::k8x8) blocks.emplace_back(first, 64);
    if (m.quarter(q) != QuarterKind::k4x4) continue;
    for (int b = 0; b < 4; ++b) {
      if ((m.blocks >> (4 * q + b) & 1) != 0) blocks.emplace_back(first + static_cast<size_t>(16 * b), 16);
    }
  }
  return blocks;
}

/// What an encoder may code, or with `hostile` what a decoder may read: also levels of -32768, coded blocks
/// without levels, and chroma blocks that the format lacks. between(lo, hi): a number of that range.
template <typename Between>
DrawnResidual draw_residual(const MacroblockGrid& grid, const MotionGrid& cells, const uint8_t* skips,
                            bool hostile, Between between) {
  DrawnResidual drawn;
  drawn.macroblocks.resize(grid.size());
  for (int p = 0; p < grid.planes; ++p)
    drawn.levels[static_cast<size_t>(p)].resize(grid.size() * grid.levels(p));
  const int chroma_bits = (1 << grid.chroma_blocks()) - 1;
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      const size_t index = grid.index(row, col);
      const uint32_t skipped = skipped_quarters(cells, skips, row, col);
      Macroblock m{};
      m.cost = static_cast<uint16_t>(between(3, 4000));
      if (skipped != kAllSkipped) {
        m.kind = static_cast<uint8_t>(between(0, 2));
        for (int q = 0; m.kind == static_cast<uint8_t>(MacroblockKind::kSplit) && q < 4; ++q) {
          if ((skipped >> q & 1) != 0) continue;
          const int kind = between(0, 2);
          m.quarters = static_cast<uint8_t>(m.quarters | kind << 2 * q);
          if (kind == static_cast<int>(QuarterKind::k4x4))
            m.blocks = static_cast<uint16_t>(m.blocks | between(1, 15) << 4 * q);
        }
        for (uint8_t& chroma : m.chroma) {
          if (between(0, 1) == 0) continue;
          if (chroma_bits > 0) chroma = static_cast<uint8_t>(between(1, hostile ? 15 : chroma_bits));
        }
      }
      drawn.macroblocks[index] = m;
      for (int p = 0; p < grid.planes; ++p) {
        std::vector<Level>& all = drawn.levels[static_cast<size_t>(p)];
        for (const auto& [first, count] : coded_blocks(grid, m, p)) {
          Level* const at = all.data() + index * grid.levels(p) + first;
          const int kept = between(1, static_cast<int>(count));  // from the lowest frequencies on
          const int most = between(0, 5) == 0 ? 32767 : between(1, 20);
          for (int i = 0; i < kept; ++i)
            at[i] = static_cast<Level>(between(0, 2) == 0 ? between(hostile ? -most - 1 : -most, most) : 0);
          if (!hostile && std::all_of(at, at + count, [](Level l) { return l == 0; }))
            at[kept - 1] = static_cast<Level>(between(0, 1) == 0 ? -1 : 1);
        }
      }
    }
  }
  return drawn;
}

}  // namespace ctv::test

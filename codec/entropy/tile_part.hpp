// SPDX-License-Identifier: BSD-3-Clause
// Codes one part of a tile on the CPU, in both directions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/model/tile_walk.hpp"

namespace ctv {

/// Codes part b of a tile whose earlier parts are in `parts`. above, left: borders of the neighbouring tiles;
/// replaced by the part's own. The caller sets the levels in coder and walk.
template <typename Coder>
void code_part(Coder& coder, PartWalk& walk, std::array<TilePart, kTileBands>& parts, size_t b,
               uint64_t& above, uint64_t& left) {
  walk.part = &parts[b];
  walk.sibling0 = &parts[b > 0 ? b - 1 : 0];
  walk.sibling1 = &parts[b > 1 ? b - 2 : 0];
  walk.siblings = static_cast<uint32_t>(std::min<size_t>(b, kMostSiblings));
  TileBorder border{above, left};
  start_part(coder, walk, border);
  PartCounts counts;
  Coder in_registers = coder;
  for (uint64_t rest = walk.quads; rest != 0; rest &= rest - 1) {
    code_quad(in_registers, walk, counts, lowest_bit(rest));
  }
  coder = in_registers;
  end_part(coder, walk, counts, border);
  above = border.above;
  left = border.left;
}

}  // namespace ctv

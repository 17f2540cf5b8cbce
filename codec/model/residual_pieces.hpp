// SPDX-License-Identifier: BSD-3-Clause
// Division of macroblocks into pieces. A macroblock begins a piece if its piece number differs from that of
// the macroblock before, so all costs and their prefix sums can be computed in parallel. Both backends
// compile these formulas. Only the limit is normative.
#pragma once

#include <cstdint>

#include "codec/util/host_device.hpp"

namespace ctv {

/// Target cost of a piece in eighths of a bit: about 300 bytes.
inline constexpr uint32_t kResidualPieceCost = 300 * 8 * 8;
inline constexpr uint32_t kSkippedMacroblockCost = 3;
inline constexpr uint32_t kUncodedMacroblockCost = 6;
inline constexpr uint32_t kMacroblockCost = 20;
/// Longer pieces count as damaged.
inline constexpr uint32_t kMostPieceMacroblocks = 8192;
static_assert(kResidualPieceCost / kSkippedMacroblockCost + 2 < kMostPieceMacroblocks);
/// Macroblock::cost of one that is not skipped: a fixed cost, and the bits if anything is coded.
CTV_HOST_DEVICE uint16_t macroblock_cost(bool coded, uint32_t bits) {
  if (!coded) return kUncodedMacroblockCost;
  return static_cast<uint16_t>(min_of(kMacroblockCost + bits, 65535U));
}
/// before: sum of the costs of all macroblocks before this one.
CTV_HOST_DEVICE uint64_t residual_piece_of(uint64_t before, uint32_t cost) {
  return (before + cost / 2) / kResidualPieceCost;
}

}  // namespace ctv

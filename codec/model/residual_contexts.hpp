// SPDX-License-Identifier: BSD-3-Clause
// Symbol tables of the residual, by context (docs/bitstream.md, 12). Tables have 16 symbols.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/format/macroblocks.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

/// Sum of the densities, 0 to 3 each, of the blocks to the left and above.
inline constexpr uint32_t kDensities = 7;
inline constexpr uint32_t kQuadsAround = 8;
inline constexpr uint32_t kLargeClasses = 3;  // of frequencies
inline constexpr uint32_t kLargeAround = 4;
inline constexpr uint32_t kLastGroups = 8;

/// First table of each kind of symbol.
enum ResidualTable : uint32_t {
  kModeTable = 0,                                                 // [left][above][skipped]: 27
  kQuarterTable = kModeTable + 32,                                // 7
  kBlocksTable = kQuarterTable + 7,                               // [quarter][4x4 to the left][above]
  kChromaTable = kBlocksTable + 16,                               // [plane]
  kLastTable = kChromaTable + 2,                                  // [type][density]
  kLastLowTable = kLastTable + kBlockTypes * kDensities,          // [group]
  kLastQuadTable = kLastLowTable + kLastGroups,                   // [type][frequency]
  kQuadTable = kLastQuadTable + kBlockTypes * kFrequencyClasses,  // [type][frequency][around]
  kLargeTable = kQuadTable + kBlockTypes * kFrequencyClasses * kQuadsAround,    // [large before][type]...
  kEscapeTable = kLargeTable + 2 * kBlockTypes * kLargeClasses * kLargeAround,  // ...[class][around]
  kResidualTables = kEscapeTable + 2                                            // [chroma]
};

/// Whether a symbol of a table may occur. Other symbols have empty intervals, so they cannot be decoded.
constexpr bool residual_symbol_occurs(size_t table, size_t symbol) {
  if (table < kQuarterTable) return symbol < 12;
  if (table < kBlocksTable) return symbol < 3;
  if (table < kLastTable) return symbol != 0;
  if (table < kLastTable + kDensities) return symbol < 4;
  if (table < kLastLowTable) return true;
  if (table < kLastQuadTable) return symbol < 4;
  return table >= kQuadTable || symbol != 0;
}

/// Magnitudes from here on use an escape.
inline constexpr uint32_t kEscape = 15;

CTV_HOST_DEVICE constexpr uint32_t large_class(int frequency) {
  return static_cast<uint32_t>(frequency == 0 ? 0 : frequency < 3 ? 1 : 2);
}

/// Density of a block, by the number of its last quad: 1 to 3; 0 if it is not coded.
CTV_HOST_DEVICE uint32_t block_density(BlockType type, uint32_t last) {
  const uint32_t few = type == BlockType::k16x16 ? 2 : 1;
  const uint32_t some = type == BlockType::k4x4 ? 3 : type == BlockType::k16x16 ? 10 : 5;
  return last < few ? 1 : last < some ? 2 : 3;
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// How many blocks of levels in a stream are not zero: what compaction can leave out (Wang et al. 2013, Fig.
// 2).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "codec/format/subband_layout.hpp"
#include "codec/util/status.hpp"

namespace ctv::lab {

struct BlockCount {
  uint64_t blocks = 0, occupied = 0;
  double share() const {
    return blocks == 0 ? 0 : static_cast<double>(occupied) / static_cast<double>(blocks);
  }
  void add(const BlockCount& other) {
    blocks += other.blocks;
    occupied += other.occupied;
  }
};

/// Blocks of size x size levels in a plane that have a level other than zero. Of a block transform of that
/// size, its blocks: all levels of one place in the picture; a level that stands for several blocks (H.264's
/// DC of a macroblock) counts for each. Of another block transform, none. Otherwise, squares within each
/// subband, those at the edges being smaller.
BlockCount count_blocks(const SubbandLayout& layout, const int16_t* levels, int size);

struct StreamDensity {
  TransformKind transform = TransformKind::kContourlet;
  uint64_t frames = 0;
  BlockCount luma[2], all[2];  // of 4x4 and 8x8; luma alone, all planes
};

/// Of a whole stream, as ctenc writes it. Errors: as the decoder's; CTV_ERROR_STREAM also for a stream that
/// ends within a unit.
Result<StreamDensity> measure_density(std::span<const uint8_t> stream);

}  // namespace ctv::lab

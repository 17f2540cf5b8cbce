// SPDX-License-Identifier: BSD-3-Clause
// The data of a packet by position in the picture: vectors, skips, and the number of bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/util/types.hpp"

namespace ctv::tools {

struct PacketMap {
  bool key = false;
  int side = 8;  // luma samples of a cell, squares from the upper left corner on
  int rows = 0, cols = 0;
  std::vector<MotionVector> vectors;  // [rows][cols], eighths of a luma sample; 0 in key frames
  std::vector<uint8_t> skips;         // [rows][cols], 1: skipped
  /// [rows][cols], of levels. The bits of each component are shared out among its levels, to each
  /// 1 + 2 log2(1 + |level|) parts, and a 64th part to a level of 0: what a level costs depends on its
  /// neighbours, so a place's share is an estimate, and the sum is exact. A level's share is spread evenly
  /// over the samples that it stands for.
  std::vector<double> bits;
};

/// header, packet: units of a stream. Throws Failure(kStream).
PacketMap read_packet_map(std::span<const uint8_t> header, std::span<const uint8_t> packet);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Codes the slopes of a key frame (docs/bitstream.md, 7.5).
#pragma once

#include <cstdint>
#include <span>

#include "codec/entropy/growing.hpp"
#include "codec/format/slope_grid.hpp"

namespace ctv {

class SlopeMap {
 public:
  explicit SlopeMap(const SlopeGrid& grid) : grid_(grid) {}
  /// slopes: an array of the grid. Returns the bytes written to `out`; 0 if no scale has slopes.
  size_t encode(const int8_t* slopes, Growing<uint8_t>& out) const;
  /// Overwrites all slopes. Returns false if the bytes are not exactly one encoding.
  bool decode(std::span<const uint8_t> bytes, int8_t* slopes) const;

 private:
  SlopeGrid grid_;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Turns levels on the device into masks of quads, and divides their tiles into pieces.
#pragma once

#include "codec/model/tile_cost.hpp"
#include "codec/model/tile_skips.hpp"
#include "cuda/entropy/lowpass_errors.hpp"

namespace ctv::cuda {

/// Masks of a quad's levels: nonzero, plus 16 times large, plus 256 times negative.
using QuadBits = uint16_t;

/// Results in device memory. Tiles and parts are numbered across all components.
struct TileCuts {
  const QuadBits* bits;   // [parts][64]
  const uint64_t* quads;  // [parts]: nonzero quads, bit 8 y + x
  const uint8_t* masks;   // [tiles]: nonzero parts
  const TileSums* sums;   // [tiles]
  const uint64_t* skips;  // [tiles]: find_skips()
  const uint32_t*
      first;  // [tiles]: first tiles of pieces; those of a component begin at the index of its first tile
  const uint32_t* pieces;         // [components]: number of pieces
  const uint32_t* piece_of_tile;  // [tiles]: index in `first`
  const TileSums* piece_sums;     // parallel to `first`
};

class TileCutter {
 public:
  Status initialise(Device& device, const TileLayout& layout);
  /// Starts on `stream`. skips: on the device.
  Status cut(Device& device, const DeviceTileLayout& layout, const LevelSource& levels, const SkipGrid& skips,
             cudaStream_t stream);
  TileCuts cuts() const {
    return {bits_.data(),  quads_.data(),  masks_.data(),         sums_.data(),      skips_.data(),
            first_.data(), pieces_.data(), piece_of_tile_.data(), piece_sums_.data()};
  }

 private:
  DeviceArray<QuadBits> bits_;
  DeviceArray<uint64_t> quads_;
  DeviceArray<uint8_t> masks_;
  DeviceArray<TileSums> sums_;
  DeviceArray<uint64_t> skips_;
  DeviceArray<uint32_t> first_;
  DeviceArray<uint32_t> pieces_;
  DeviceArray<uint32_t> piece_of_tile_;
  DeviceArray<TileSums> piece_sums_;
};

}  // namespace ctv::cuda

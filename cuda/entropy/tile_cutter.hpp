// SPDX-License-Identifier: BSD-3-Clause
// Levels on the device as bits of quads, and where the pieces of their tiles begin.
#pragma once

#include "codec/model/tile_cost.hpp"
#include "codec/model/tile_skips.hpp"
#include "cuda/entropy/lowpass_errors.hpp"

namespace ctv::cuda {

/// Of a quad's levels: which are not 0, and 16 times which are large, and 256 times which are negative.
using QuadBits = uint16_t;

/// What the cutter leaves in device memory. Numbers of tiles and parts are among those of all components.
struct TileCuts {
  const QuadBits* bits;   // [parts][64]
  const uint64_t* quads;  // [parts]: not 0, bit 8 y + x
  const uint8_t* masks;   // [tiles]: parts that are not 0
  const TileSums* sums;   // [tiles]
  const uint64_t* skips;  // [tiles]: find_skips()
  const uint32_t*
      first;  // [tiles]: first tiles of pieces; those of a component from its first tile's place on
  const uint32_t* pieces;         // [components]: how many
  const uint32_t* piece_of_tile;  // [tiles]: its place in `first`
  const TileSums* piece_sums;     // as `first`
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

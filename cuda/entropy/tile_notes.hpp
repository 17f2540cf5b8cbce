// SPDX-License-Identifier: BSD-3-Clause
// The symbols of all parts of a frame as events, noted at once: what their contexts look at follows from the
// levels, so no part waits for another.
#pragma once

#include "cuda/entropy/tile_cutter.hpp"

namespace ctv::cuda {

/// What is noted, in device memory. Parts and tiles are numbered among those of all components.
struct TileEvents {
  uint32_t* parts;   // [parts][kPartEvents]: symbol_event() or raw_event(), in the order of the walk
  uint16_t* counts;  // [parts]: events; 0 where all levels are 0
  uint32_t* bands;   // [tiles]: the first event of a tile
};

class TileNotes {
 public:
  Status initialise(Device& device, const TileLayout& layout);
  /// Starts on `stream`, behind the cuts of the same levels.
  Status note(Device& device, const DeviceTileLayout& layout, const TileCuts& cuts, const LevelSource& levels,
              cudaStream_t stream);
  TileEvents events() const { return {events_.data(), counts_.data(), bands_.data()}; }

 private:
  unsigned tiles_ = 0;
  DeviceArray<uint32_t> events_;
  DeviceArray<uint16_t> counts_;
  DeviceArray<uint32_t> bands_;
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Notes the symbols of all parts of a frame as events in parallel. Contexts follow from the levels, so parts
// do not wait for each other.
#pragma once

#include "cuda/entropy/tile_cutter.hpp"

namespace ctv::cuda {

/// Notes in device memory. Parts and tiles are numbered across all components.
struct TileEvents {
  uint32_t* parts;   // [parts][kPartEvents]: symbol_event() or raw_event(), in the order of the walk
  uint16_t* counts;  // [parts]: number of events; 0 if all levels are 0
  uint32_t* bands;   // [tiles]: first event of a tile
};

class TileNotes {
 public:
  /// events: enlarged if necessary; every note() uses it.
  Status initialise(Device& device, const TileLayout& layout, DeviceArray<uint32_t>& events);
  /// Starts on `stream`, after the cuts of the same levels.
  Status note(Device& device, const DeviceTileLayout& layout, const TileCuts& cuts, const LevelSource& levels,
              cudaStream_t stream);
  TileEvents events() const { return {events_->data(), counts_.data(), bands_.data()}; }

 private:
  unsigned tiles_ = 0;
  DeviceArray<uint32_t>* events_ = nullptr;
  DeviceArray<uint16_t> counts_;
  DeviceArray<uint32_t> bands_;
};

}  // namespace ctv::cuda

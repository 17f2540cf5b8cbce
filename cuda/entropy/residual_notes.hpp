// SPDX-License-Identifier: BSD-3-Clause
// Notes the symbols of all macroblocks of a frame as events in parallel, and finds the first macroblocks of
// pieces. Contexts follow from the coded data, so macroblocks do not wait for each other.
#pragma once

#include <array>
#include <cstdint>

#include "codec/format/side_info.hpp"
#include "codec/model/tile_sets.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Most events of a macroblock: for modes and blocks, rounded up; and per quad a pattern, four magnitudes
/// with escapes, and signs.
inline uint32_t most_events(const MacroblockGrid& grid) {
  return 64 + (1 + 4 * 3 + 1) * static_cast<uint32_t>((grid.levels(0) + 2 * grid.levels(1)) / 4);
}

/// Notes in device memory. Macroblocks have the numbers of MacroblockGrid::index().
struct ResidualNoted {
  const uint32_t* first;   // first macroblock of each piece
  const uint32_t* codes;   // by piece: whether something is coded
  const uint32_t* pieces;  // number of pieces
  uint32_t* events;        // [macroblocks][most]: symbol_event() or raw_event(), in the order of the walk
  const uint16_t* counts;  // [macroblocks]: number of events
  uint32_t most;
};

class ResidualNotes {
 public:
  /// events: enlarged if necessary; every note() uses it.
  Status initialise(Device& device, const MacroblockGrid& grid, const MotionGrid& cells,
                    DeviceArray<uint32_t>& events);
  /// Starts on `stream`. levels, side: on the device.
  Status note(Device& device, const std::array<const Level*, 3>& levels, const ConstSideInfo& side,
              cudaStream_t stream);
  ResidualNoted noted() const {
    return {first_.data(), codes_.data(), pieces_.data(), events_->data(), counts_.data(), most_};
  }

 private:
  MacroblockGrid grid_;
  MotionGrid cells_;
  uint32_t most_ = 0;  // events per macroblock
  DeviceArray<uint32_t> first_, codes_, pieces_, piece_of_;
  DeviceArray<uint32_t>* events_ = nullptr;
  DeviceArray<uint16_t> counts_;
};

}  // namespace ctv::cuda

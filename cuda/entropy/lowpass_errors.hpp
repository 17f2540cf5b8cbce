// SPDX-License-Identifier: BSD-3-Clause
// Prediction errors in lowpass subbands, coded instead of the levels if they are smaller (docs/bitstream.md,
// 6.3).
#pragma once

#include <array>

#include "cuda/entropy/tile_layout.hpp"

namespace ctv::cuda {

/// Sums of magnitudes in a component's lowpass subbands.
struct LowpassSums {
  unsigned long long levels, errors;
};

/// The levels to be coded, in device memory.
struct LevelSource {
  const Level* planes[3];
  const Level* errors;      // at DeviceTileSet::errors
  const LowpassSums* sums;  // [components]

  __device__ bool predicted(uint32_t component) const {
    return sums[component].errors < sums[component].levels;
  }
  __device__ const Level* band(const DeviceTileSet& set, uint32_t b) const {
    return set.lowpass && predicted(set.component) ? errors + set.errors : planes[set.plane] + set.offsets[b];
  }
};

class LowpassErrors {
 public:
  Status initialise(Device& device, const TileLayout& layout);
  /// Starts on `stream`, which must be the same for all frames. levels: per plane, on the device.
  Status find(Device& device, const DeviceTileLayout& layout, const std::array<const Level*, 3>& levels,
              cudaStream_t stream);
  /// Source of the frame of the last find().
  LevelSource source(const std::array<const Level*, 3>& levels) const {
    return {{levels[0], levels[1], levels[2]}, errors_.data(), sums_.data() + own_sums_};
  }

 private:
  unsigned sets_ = 0, blocks_ = 0;  // lowpass subbands; blocks of the largest one
  size_t components_ = 0;
  DeviceArray<Level> errors_;
  DeviceArray<LowpassSums> sums_;  // of this frame and the next, alternating
  size_t own_sums_ = 0;            // first one of this frame
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Levels from lists of 2x2 blocks, made on the device.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cuda/entropy/quad_bands.hpp"

namespace ctv::cuda {

/// Brings lists of quads up and makes levels of them.
class QuadSpreader {
 public:
  /// Allocates; copies the plan to the device. levels: of each plane, all.
  Status initialise(Device& device, const QuadPlan& plan, const std::array<size_t, 3>& levels);
  /// One list per component, in host memory.
  std::span<QuadList> lists() { return lists_; }
  /// Starts the copies of the lists on `stream`; they must not change before it has come so far.
  Status upload(Device& device, cudaStream_t stream);
  /// On the device's stream, which has waited for the upload: writes all levels of the plan's components.
  Status spread(Device& device, const std::array<Level*, 3>& levels);

 private:
  std::array<size_t, 3> as_levels_{}, all_{};
  DeviceArray<QuadBand> bands_;
  DeviceArray<int> first_bands_;  // of each component, and the end
  DeviceArray<QuadEntry> entries_;
  DeviceArray<uint32_t> counts_;
  PinnedArray<QuadEntry> host_entries_;
  PinnedArray<uint32_t> host_counts_;
  std::vector<QuadList> lists_;
};

}  // namespace ctv::cuda

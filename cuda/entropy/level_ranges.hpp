// SPDX-License-Identifier: BSD-3-Clause
// Levels that a decoder sets to 0 before it decodes.
#pragma once

#include <array>
#include <vector>

#include "codec/format/run_ranges.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Joins ranges where they touch.
std::vector<RunRange> join_ranges(std::vector<RunRange> ranges);
/// Starts on `stream`. levels: per plane, on the device.
Status clear_ranges(Device& device, const std::vector<RunRange>& ranges, const std::array<Level*, 3>& levels,
                    cudaStream_t stream);

}  // namespace ctv::cuda

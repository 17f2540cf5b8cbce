// SPDX-License-Identifier: BSD-3-Clause
// The loop filter of a plane (codec/dsp/loop_filter.hpp), on the device.
#pragma once

#include "codec/backend/backend.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// See Backend::filter_changes().
Status filter_changes(Device& device, std::span<const UnfilteredPlane> planes, const uint8_t* skips,
                      int64_t* changes);
/// See Backend::filter().
Status filter_plane(Device& device, PlaneView<const Sample> from, const LoopFilter& filter,
                    const FilteredCells& cells, PlaneView<Sample> to);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation of a plane on the device.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// prediction: what the vectors point at in `reference`, of the same extent; both on the device.
Status compensate_plane(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction);

/// The same where no block can be split and cells have at least 8x8 samples.
Status compensate_cells(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction);
/// The same where blocks may be split.
Status compensate_split(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction);

}  // namespace ctv::cuda

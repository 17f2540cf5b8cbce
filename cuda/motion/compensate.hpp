// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation of a plane on the device.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/format/side_info.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// prediction: receives `reference` moved by the vectors. All arrays are on the device.
Status compensate_plane(Device& device, PlaneView<const Sample> reference, const ConstSideInfo& side,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction);

}  // namespace ctv::cuda

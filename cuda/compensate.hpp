// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codec/backend/backend.hpp"
#include "cuda/device.hpp"

namespace ctv::cuda {

Status compensate_plane(Device& device, PlaneView<const Sample> reference, const MotionVector* vectors,
                        const CompensationGeometry& geometry, PlaneView<Sample> prediction);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Motion search and refinement on the device.
#pragma once

#include "codec/backend/motion_estimator.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

Result<std::unique_ptr<MotionEstimator>> make_motion_estimator(std::shared_ptr<Device> device,
                                                               const MotionParameters& parameters);

}  // namespace ctv::cuda

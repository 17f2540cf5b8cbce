// SPDX-License-Identifier: BSD-3-Clause
// Distortion of a plane on the device.
#pragma once

#include "codec/backend/distortion_meter.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

Result<std::unique_ptr<DistortionMeter>> make_distortion_meter(std::shared_ptr<Device> device);

}  // namespace ctv::cuda

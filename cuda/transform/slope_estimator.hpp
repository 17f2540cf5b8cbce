// SPDX-License-Identifier: BSD-3-Clause
// The search for slopes on the device.
#pragma once

#include <memory>

#include "codec/backend/slope_estimator.hpp"
#include "codec/format/subband_layout.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

Result<std::unique_ptr<SlopeEstimator>> make_slope_estimator(std::shared_ptr<Device> device,
                                                             const SubbandLayout& luma);

}  // namespace ctv::cuda

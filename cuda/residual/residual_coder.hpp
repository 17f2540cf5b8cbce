// SPDX-License-Identifier: BSD-3-Clause
// Residual coder of the device (codec/backend/residual_coder.hpp).
#pragma once

#include <memory>

#include "codec/backend/residual_coder.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

std::unique_ptr<ResidualCoder> make_residual_coder(std::shared_ptr<Device> device);

}  // namespace ctv::cuda

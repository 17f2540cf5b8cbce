// SPDX-License-Identifier: BSD-3-Clause
// Transform and quantisation of a plane on the device.
#pragma once

#include "codec/backend/transform_coder.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

Result<std::unique_ptr<TransformCoder>> make_transform_coder(std::shared_ptr<Device> device,
                                                             const SubbandLayout& layout, Engine engine);

}  // namespace ctv::cuda

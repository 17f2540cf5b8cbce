// SPDX-License-Identifier: BSD-3-Clause
// The block transforms (DCT 8x8, H.264 4x4 and 8x8) and their quantisers on the device.
#pragma once

#include <memory>

#include "codec/backend/transform_coder.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

std::unique_ptr<TransformCoder> make_block_transform(std::shared_ptr<Device> device,
                                                     const SubbandLayout& layout);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Pictures between the caller and planes on the device.
#pragma once

#include "codec/backend/picture_transfer.hpp"
#include "codec/format/picture_layout.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// threads: CPU threads for copies between the caller's memory and pinned memory.
Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(std::shared_ptr<Device> device,
                                                               const PictureLayout& layout, int threads);

}  // namespace ctv::cuda

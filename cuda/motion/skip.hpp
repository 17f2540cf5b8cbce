// SPDX-License-Identifier: BSD-3-Clause
// The decision which cells are skipped, on the device.
#pragma once

#include "codec/backend/backend.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// As Backend::decide_skips; all on the device.
Status decide_skips(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    const MotionVector* searched, const SideInfo& side);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The decision which cells are skipped, on the device.
#pragma once

#include "codec/backend/backend.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// As the functions of Backend; all on the device.
Status find_still(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  uint8_t* still);
Status decide_skips(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                    const uint8_t* still, const SideInfo& side);
Status find_close(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  const MotionVector* vectors, uint8_t* close);
Status unite_skips(Device& device, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                   const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                   const SideInfo& side);

}  // namespace ctv::cuda

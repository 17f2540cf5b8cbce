// SPDX-License-Identifier: BSD-3-Clause
// Decisions on skipped cells, on the device.
#pragma once

#include "codec/backend/backend.hpp"
#include "cuda/motion/search.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// The functions of MotionEstimator and Backend with these names; all arrays are on the device. luma, halves:
/// of both pictures, from a motion estimator.
Status decide_skips(Device& device, const SkipPlanes& planes, const SearchPlanes& luma,
                    const HalfPlanes& halves, const MotionGrid& grid, uint32_t base_step,
                    const uint8_t* still, const SideInfo& side);
Status find_still(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  uint8_t* still);
Status skip_still_only(Device& device, const MotionGrid& grid, const MotionVector* vectors, uint8_t* skips);
Status skip_by_ssd(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                   const MotionVector* vectors, uint8_t* close);
Status merge_skip_vectors(Device& device, const SkipPlanes& planes, const MotionGrid& grid,
                          uint32_t base_step, const MotionVector* vectors, const SideInfo& side);

}  // namespace ctv::cuda

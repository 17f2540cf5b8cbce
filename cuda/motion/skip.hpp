// SPDX-License-Identifier: BSD-3-Clause
// The decisions which cells are skipped, on the device.
#pragma once

#include "codec/backend/backend.hpp"
#include "cuda/motion/search.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// As the functions of MotionEstimator and Backend; all on the device. luma, halves: of both pictures, as a
/// motion estimator has it.
Status decide_skips(Device& device, const SkipPlanes& planes, const SearchPlanes& luma,
                    const HalfPlanes& halves, const MotionGrid& grid, uint32_t base_step,
                    const uint8_t* still, const SideInfo& side);
Status find_still(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  uint8_t* still);
Status skip_by_ssd(Device& device, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                   const MotionVector* vectors, uint8_t* close);
Status merge_skip_vectors(Device& device, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                          const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                          const SideInfo& side);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The decision which cells are skipped.
#pragma once

#include "codec/backend/backend.hpp"

namespace ctv {

/// As the functions of Backend.
void find_still(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                uint8_t* still);
void decide_skips(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  const uint8_t* still, const SideInfo& side);
void find_close(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                const MotionVector* vectors, const uint8_t* still, uint8_t* close);
void unite_skips(int threads, PlaneView<const Sample> source, PlaneView<const Sample> reference,
                 const MotionGrid& grid, uint32_t base_step, const MotionVector* vectors,
                 const SideInfo& side);

}  // namespace ctv

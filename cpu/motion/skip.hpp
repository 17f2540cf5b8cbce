// SPDX-License-Identifier: BSD-3-Clause
// The decision which cells are skipped.
#pragma once

#include "codec/backend/backend.hpp"

namespace ctv {

/// As Backend::decide_skips().
void decide_skips(int threads, const SkipPlanes& planes, const MotionGrid& grid, uint32_t base_step,
                  const MotionVector* searched, const SideInfo& side);

}  // namespace ctv

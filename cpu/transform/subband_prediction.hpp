// SPDX-License-Identifier: BSD-3-Clause
// Prediction of levels from the previous frame's levels, subband by subband.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv {

enum class Direction { kSubtract, kAdd };

/// out = in -+ moved(previous) for the subbands of the first `layers` layers. out may be in.
void predict_subbands(Direction direction, int threads, const SubbandLayout& layout, ChromaShift chroma,
                      const MotionGrid& grid, const MotionVector* vectors, const Level* in,
                      const Level* previous, int layers, Level* out);

}  // namespace ctv

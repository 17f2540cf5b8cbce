// SPDX-License-Identifier: BSD-3-Clause
// Prediction of levels from the previous frame's levels, on the device. Vectors are read as words: arrays of
// side information are aligned for it.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/format/subband_layout.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// out = in - moved previous (sign -1) or in + moved previous (1), for the first `layers` layers.
Status predict_subbands(Device& device, int sign, const SubbandLayout& layout, ChromaShift chroma,
                        const MotionGrid& grid, const MotionVector* vectors, const Level* in,
                        const Level* previous, int layers, Level* out);

}  // namespace ctv::cuda

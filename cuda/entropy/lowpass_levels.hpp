// SPDX-License-Identifier: BSD-3-Clause
// Levels of lowpass subbands whose errors of prediction are coded in their place (docs/bitstream.md, 6.3).
#pragma once

#include <array>

#include "cuda/entropy/tile_layout.hpp"

namespace ctv::cuda {

/// Turns errors into levels, in their place. predicted: a bit for each of TileLayout::lowpass; without any
/// nothing is started. Starts on `stream`.
Status add_predictions(Device& device, const DeviceTileLayout& layout, const std::array<Level*, 3>& levels,
                       uint32_t predicted, cudaStream_t stream);

}  // namespace ctv::cuda

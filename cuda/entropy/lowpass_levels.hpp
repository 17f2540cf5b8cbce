// SPDX-License-Identifier: BSD-3-Clause
// Levels of lowpass subbands that are coded as prediction errors (docs/bitstream.md, 6.3).
#pragma once

#include <array>

#include "cuda/entropy/tile_layout.hpp"

namespace ctv::cuda {

/// Replaces errors by levels. predicted: a bit for each element of TileLayout::lowpass; if 0, starts nothing.
/// Starts on `stream`.
Status add_predictions(Device& device, const DeviceTileLayout& layout, const std::array<Level*, 3>& levels,
                       uint32_t predicted, cudaStream_t stream);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Transfer of levels between device and host, with or without entropy coding.
#pragma once

#include "codec/backend/level_transfer.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/model/tile_sets.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

Result<std::unique_ptr<LevelTransfer>> make_level_transfer(std::shared_ptr<Device> device,
                                                           const PictureLayout& layout,
                                                           const MotionGrid& grid, const CodingPlan& plan);

}  // namespace ctv::cuda

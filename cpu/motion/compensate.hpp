// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation of one plane.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/format/side_info.hpp"
#include "codec/util/types.hpp"

namespace ctv {

void compensate_plane(int threads, PlaneView<const Sample> reference, const ConstSideInfo& side,
                      const CompensationGeometry& geometry, PlaneView<Sample> prediction);

}  // namespace ctv

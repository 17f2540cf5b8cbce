// SPDX-License-Identifier: BSD-3-Clause
// What skipped cells change around compensation, on the device: their residual is 0, and the inverse
// transform does not reach them.
#pragma once

#include "codec/format/motion_grid.hpp"
#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// residual = samples - prediction, 0 in skipped cells. All three have one extent.
Status subtract_prediction(Device& device, PlaneView<const Sample> samples,
                           PlaneView<const Sample> prediction, const uint8_t* skips,
                           const CompensationGeometry& geometry, PlaneView<Sample> residual);
/// Copies the samples of skipped cells.
Status copy_skipped(Device& device, PlaneView<const Sample> from, const uint8_t* skips,
                    const CompensationGeometry& geometry, PlaneView<Sample> to);

}  // namespace ctv::cuda

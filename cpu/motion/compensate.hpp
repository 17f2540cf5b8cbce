// SPDX-License-Identifier: BSD-3-Clause
// Motion compensation of one plane, and what skipped cells change around it.
#pragma once

#include "codec/format/coded_frame.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/util/types.hpp"

namespace ctv {

void compensate_plane(int threads, PlaneView<const Sample> reference, const ConstSideInfo& side,
                      const CompensationGeometry& geometry, PlaneView<Sample> prediction);

/// residual = samples - prediction, 0 in skipped cells.
void subtract_prediction(int threads, PlaneView<const Sample> samples, PlaneView<const Sample> prediction,
                         const uint8_t* skips, const CompensationGeometry& geometry,
                         PlaneView<Sample> residual);

/// Copies the samples of skipped cells.
void copy_skipped(int threads, PlaneView<const Sample> from, const uint8_t* skips,
                  const CompensationGeometry& geometry, PlaneView<Sample> to);

}  // namespace ctv

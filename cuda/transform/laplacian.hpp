// SPDX-License-Identifier: BSD-3-Clause
// The two filters of the Laplacian pyramid: launchers. All planes are dense.
#pragma once

#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/samples.hpp"

namespace ctv::cuda {

/// target [rows / 2][cols / 2] = rounded lowpass of source (extent, even) at even positions.
Status laplacian_lowpass(Device& device, const PlaneSource& source, Extent extent, Coefficient* target);

/// Interpolation of low [rows / 2][cols / 2] to extent: detail = source - interpolation.
Status laplacian_detail(Device& device, const Coefficient* low, Extent extent, const PlaneSource& source,
                        Coefficient* detail);
/// target = detail + interpolation; with `projection` not of low, but of low - rounded lowpass of the detail
/// (Do and Vetterli 2003). target.data is neither low nor detail.
Status laplacian_merge(Device& device, const Coefficient* low, Extent extent, const Coefficient* detail,
                       bool projection, const PlaneTarget& target);

}  // namespace ctv::cuda

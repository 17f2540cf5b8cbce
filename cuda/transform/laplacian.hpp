// SPDX-License-Identifier: BSD-3-Clause
// The two filters of the Laplacian pyramid: launchers. All planes are dense.
#pragma once

#include "codec/util/types.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/samples.hpp"

namespace ctv::cuda {

/// target = rounded lowpass of source (extent, even) at even positions, target [rows / 2][cols / 2];
/// with `from`: target = from - rounded lowpass. target may be from.
Status laplacian_lowpass(Device& device, const PlaneSource& source, Extent extent, const Coefficient* from,
                         Coefficient* target);

/// Interpolation of low [rows / 2][cols / 2] to extent: detail = source - interpolation.
Status laplacian_detail(Device& device, const Coefficient* low, Extent extent, const PlaneSource& source,
                        Coefficient* detail);
/// target = detail + interpolation.
Status laplacian_merge(Device& device, const Coefficient* low, Extent extent, const Coefficient* detail,
                       const PlaneTarget& target);

}  // namespace ctv::cuda

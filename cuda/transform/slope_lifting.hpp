// SPDX-License-Identifier: BSD-3-Clause
// One scale of the 9/7 along slopes: launchers.
#pragma once

#include "codec/format/slope_grid.hpp"
#include "cuda/transform/wavelet.hpp"

namespace ctv::cuda {

/// As wavelet_forward() and wavelet_inverse() if *scale.along, on the device, is not 0; otherwise no
/// operation. slopes: of the scale, in device memory.
Status slope_forward(Device& device, SlopeView slopes, const WaveletScale<int16_t>& scale,
                     const PlaneSource& source);
Status slope_inverse(Device& device, SlopeView slopes, const WaveletScale<const int16_t>& scale,
                     const PlaneTarget& target);

}  // namespace ctv::cuda

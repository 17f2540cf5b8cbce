// SPDX-License-Identifier: BSD-3-Clause
// Synthesis gains and weights of subbands.
#pragma once

#include <cstdint>

#include "codec/dsp/lifting.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/format/transform_parameters.hpp"

namespace ctv {

/// Synthesis gain of a subband in 4096ths: the L2 norm, in samples, of the picture of a single coefficient of
/// one unit.
uint32_t subband_gain(const TransformParameters& transform, const Subband& subband);

/// 1 / gain in 4096ths (kWeightOne is 1). With step = base step x weight, errors of all subbands weigh the
/// same.
uint32_t subband_weight(const TransformParameters& transform, const Subband& subband);

/// Factor, in units of kUnitScale, from the lowpass of resolution 2^-reduction to the picture's range.
inline int lowpass_scale(const TransformParameters& transform, int reduction) {
  return transform.pyramid == Pyramid::kWavelet9_7 ? lowpass_scale_9_7(reduction) : kUnitScale;
}

}  // namespace ctv

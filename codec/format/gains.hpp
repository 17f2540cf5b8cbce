// SPDX-License-Identifier: BSD-3-Clause
// How fine each subband is quantised for a given base step.
#pragma once

#include <cstdint>

#include "codec/dsp/lifting.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/format/transform_parameters.hpp"

namespace ctv {

/// Synthesis gain of a subband in 4096ths of a sample: the root of the energy that one unit of it puts in the
/// picture.
uint32_t subband_gain(const TransformParameters& transform, const Subband& subband);

/// 1 / gain in 4096ths (kWeightOne is 1): with step = base step * weight every subband's error weighs the
/// same.
uint32_t subband_weight(const TransformParameters& transform, const Subband& subband);

/// What brings coefficients of the lowpass 2^-reduction back to the range of the picture: in units of
/// kUnitScale.
inline int lowpass_scale(const TransformParameters& transform, int reduction) {
  return transform.pyramid == Pyramid::kWavelet9_7 ? lowpass_scale_9_7(reduction) : kUnitScale;
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Prediction of levels from the previous frame's levels, on the device. Vectors are read as words; arrays of
// side information are aligned accordingly.
#pragma once

#include <span>

#include "codec/backend/subband_predictor.hpp"
#include "codec/dsp/quantise.hpp"
#include "cuda/transform/quantise.hpp"

namespace ctv::cuda {

/// out = in + sign * moved(previous), sign -1 or 1, for the first `layers` layers.
Status predict_subbands(Device& device, int sign, const SubbandLayout& layout, ChromaShift chroma,
                        const MotionGrid& grid, const MotionVector* vectors, const Level* in,
                        const Level* previous, int layers, Level* out);

/// Gathered subbands and the positions of their coefficients; `first`: index of the first subband in the
/// layout.
struct ScaleBands {
  const GatheredScale& scale;
  size_t first;
  Coefficient* bands;
};
/// predict_subbands() with sign 1 and dequantise_scale() of the sums in one launch, for all subbands of `to`:
/// at most one pyramid scale and the lowpass. quantisers: one per subband of the layout.
Status dequantise_predicted(Device& device, const PredictedLevels& predicted,
                            std::span<const SubbandQuantiser> quantisers, std::span<const ScaleBands> to);

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The finest bands HL and LH of a key frame's luma, which may have directions: launchers. The device's
// decisions are known on the device only, so each launch reads them there.
#pragma once

#include "cuda/transform/directional.hpp"
#include "cuda/transform/wavelet.hpp"

namespace ctv::cuda {

/// directions: on the device, [kDirectedBands]. bands: coefficients of HL and LH, which the forward call
/// modifies. levels: their levels. T: as in WaveletBand.
Status directed_forward(Device& device, const Bands& bands, const int8_t* directions,
                        const WaveletBand<Level>* levels);
Status directed_inverse(Device& device, const Bands& bands, const int8_t* directions,
                        const WaveletBand<const Level>* levels);

/// Chooses `directions` (slope_decisions.hpp). bands: coefficients, overwritten. steps: of HL and LH. costs:
/// workspace, [kDirectedBands][kDirectedDepth + 1].
Status find_directions(Device& device, const Bands& bands, const uint32_t* steps, unsigned long long* costs,
                       int8_t* directions);

}  // namespace ctv::cuda

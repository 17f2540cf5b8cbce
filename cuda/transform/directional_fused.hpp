// SPDX-License-Identifier: BSD-3-Clause
// The directional bank with its quantiser in one launch, for short filters: launchers.
#pragma once

#include "cuda/transform/directional.hpp"
#include "cuda/transform/quantise.hpp"

namespace ctv::cuda {

/// Whether these kernels support a bank: two taps, two or four directions.
bool fuses_directions(int directions_log2, int taps);

/// bands -> levels; the bands are unchanged.
Status directional_quantise(Device& device, const GatheredScale& level, const DirectionalPlan& plan,
                            std::span<const SubbandQuantiser> quantisers, const Bands& bands, Level* levels);
/// levels -> bands.
Status dequantise_directional(Device& device, const GatheredScale& level, const DirectionalPlan& plan,
                              std::span<const SubbandQuantiser> quantisers, const Level* levels,
                              const Bands& bands);

}  // namespace ctv::cuda

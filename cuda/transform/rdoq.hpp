// SPDX-License-Identifier: BSD-3-Clause
// The quantiser with a rate-distortion decision for each coefficient: launcher.
#pragma once

#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/format/subband_layout.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// Quantises the coefficients of a plane; both arrays are in the layout's order. quantisers: one per subband.
Status quantise_rdo_plane(Device& device, const SubbandLayout& layout,
                          std::span<const SubbandQuantiser> quantisers, const Coefficient* coefficients,
                          Level* levels);

}  // namespace ctv::cuda

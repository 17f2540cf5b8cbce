// SPDX-License-Identifier: BSD-3-Clause
// The quantiser with a rate-distortion decision for each coefficient.
#pragma once

#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv {

/// Coefficients of a plane to levels; both arrays in the layout's order. quantisers: one per subband.
void quantise_rdo_plane(int threads, const SubbandLayout& layout,
                        std::span<const SubbandQuantiser> quantisers, const Coefficient* coefficients,
                        Level* levels);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The quantiser with rate-distortion optimisation (RDOQ).
#pragma once

#include <span>

#include "codec/dsp/quantise.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv {

/// Quantises the coefficients of a plane. Both arrays are in the layout's order. quantisers: one per subband.
void quantise_rdo_plane(int threads, const SubbandLayout& layout,
                        std::span<const SubbandQuantiser> quantisers, const Coefficient* coefficients,
                        Level* levels);

}  // namespace ctv

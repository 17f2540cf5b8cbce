// SPDX-License-Identifier: BSD-3-Clause
// One row of a directional shear. Kernels write whole blocks (kBlock): up to kBlock - 1 elements after count
// are overwritten.
#pragma once

#include <cstdint>

#include "codec/util/types.hpp"

namespace ctv {

/// target += or -= round(factor * filtered); the factor is sin(pi/4) or tan(pi/8).
struct Shear {
  bool sine;
  bool subtract;
};

/// out[i] = sum over k of a_k (plus[k][i] - minus[k][i]), half_taps (3 or 6) of them, 64ths.
void filter_row(int half_taps, int32_t* out, const Coefficient* const* plus, const Coefficient* const* minus,
                int count);
/// The same sum over filtered rows, rounded and added to the target.
void shear_row(Shear shear, int half_taps, Coefficient* target, const int32_t* const* plus,
               const int32_t* const* minus, int count);
}  // namespace ctv

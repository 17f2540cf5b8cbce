// SPDX-License-Identifier: BSD-3-Clause
// Lifting steps of the 5/3 on rows.
#pragma once

#include <array>

#include "codec/util/types.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

/// Both steps along a row, deinterleaved into even and odd columns, n elements of each in whole blocks of
/// kBlock. Both halves have one mirrored column before the first and after the last.
void lift_5_3(bool inverse, Coefficient* even, Coefficient* odd, int n, BlockMask mask);

/// Both vertical steps. The first changes rows[2] by rows[1] and rows[3], unless rows[3] is null. Then the
/// second changes rows[1] by rows[0] and rows[2], unless rows[0] is null. rows[0] may be rows[2].
void lift_5_3_rows(bool inverse, const std::array<Coefficient*, 4>& rows, int n, BlockMask mask);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Lifting steps of the 5/3 on rows.
#pragma once

#include <array>

#include "codec/util/types.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

/// Both steps along a row, deinterleaved into even and odd columns, n elements of each in whole blocks of
/// kBlock. Both have mirrored columns at either end: one before the first, one behind the last.
void lift_5_3(bool inverse, Coefficient* even, Coefficient* odd, int n, BlockMask mask);

/// Both steps down the columns: the first changes rows[2] by the rows beside it, unless there is no rows[3],
/// then the second changes rows[1] by those beside it, unless there is no rows[0]. rows[0] may be rows[2].
void lift_5_3_rows(bool inverse, const std::array<Coefficient*, 4>& rows, int n, BlockMask mask);

}  // namespace ctv

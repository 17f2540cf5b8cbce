// SPDX-License-Identifier: BSD-3-Clause
// Lifting steps of the 9/7 on rows.
#pragma once

#include <array>
#include <cstdint>

#include "codec/util/types.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

/// out += or -= (inverse) step(a, b) for n elements in whole blocks of kBlock. step: 1..4. Odd steps change
/// odd samples. a and b may be equal.
void lift_9_7(int step, bool inverse, Coefficient* out, const Coefficient* a, const Coefficient* b, int n,
              BlockMask mask = kAllBlocks);

/// All steps along a row, whose halves have margins of kBlock elements. Columns beyond the row are set to 0
/// in the blocks that are lifted.
void lift_9_7_row(bool inverse, Coefficient* even, Coefficient* odd, int half, BlockMask mask = kAllBlocks);

/// Applies steps 1 to 4 (inverse: 4 to 1) to rows[1] to rows[4], each with the rows before and after it. Rows
/// have two halves, `stride` elements apart.
void lift_9_7_rows(bool inverse, const std::array<Coefficient*, 6>& rows, int half, int stride,
                   BlockMask mask);

/// A row, deinterleaved into even and odd columns.
struct SplitRow {
  Coefficient* even;
  Coefficient* odd;
};
/// One step on a whole row along slopes: column c uses column c - d of the row above and c + d of the row
/// below, d = half_columns() / 2. slopes: one per 8 columns of a half. half: columns of a half. The rows
/// above and below have kSlopeReach mirrored columns at both ends. Writes up to 7 elements beyond a half.
void lift_9_7_along(int step, bool inverse, SplitRow out, SplitRow above, SplitRow below,
                    const int8_t* slopes, int half);

}  // namespace ctv

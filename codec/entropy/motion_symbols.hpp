// SPDX-License-Identifier: BSD-3-Clause
// Motion vectors as differences: each is predicted by the median of its neighbours left, above and above
// right (as in H.264); differences are in units of the stream's vector precision, all rows first, then all
// columns.
#pragma once

#include <span>

#include "codec/base/types.hpp"
#include "codec/frame/coded_frame.hpp"

namespace ctv {

/// vectors: [rows][cols] eighths of a luma sample, multiples of 2^(3-subpel). differences: 2 * grid.size().
void difference_vectors(const MotionGrid& grid, int subpel, const MotionVector* vectors,
                        std::span<Level> differences);
/// The way back, for any differences: sums wrap to 16 bits.
void sum_vectors(const MotionGrid& grid, int subpel, std::span<const Level> differences,
                 MotionVector* vectors);

}  // namespace ctv

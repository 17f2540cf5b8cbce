// SPDX-License-Identifier: BSD-3-Clause
// Rows of chroma between 4:4:4, 4:2:2 and 4:2:0.
#pragma once

#include "codec/util/types.hpp"

namespace ctv {

/// Rows are made in pieces of at most so many samples, in buffers on the stack.
inline constexpr int kRowPiece = 512;

/// Means of 2x2 or 2x1 samples: `cols` source columns (the last one repeats if odd) give (cols + 1) / 2.
void subsample_2x2_row(const Sample* upper, const Sample* lower, int cols, Sample* out);
void subsample_columns_row(const Sample* source, int cols, Sample* out);
/// Means of 1x2 samples; out may be a source.
void subsample_rows_row(const Sample* upper, const Sample* lower, int n, Sample* out);

/// Columns [first, first + n) of row `row` of a chroma plane of shape `to`, from the plane of shape `from`.
/// first is even, n at most kRowPiece.
void resample_chroma(PlaneView<const Sample> source, ChromaShift from, ChromaShift to, int row, int first,
                     int n, Sample* out);

}  // namespace ctv

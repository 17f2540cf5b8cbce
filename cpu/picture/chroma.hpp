// SPDX-License-Identifier: BSD-3-Clause
// Rows of chroma between 4:4:4, 4:2:2 and 4:2:0.
#pragma once

#include "codec/util/types.hpp"

namespace ctv {

/// Rows are processed in pieces of at most this many samples, in buffers on the stack.
inline constexpr int kRowPiece = 512;

/// Means of 2x2 or 2x1 samples. `cols` source columns give (cols + 1) / 2; the last column is repeated if
/// cols is odd.
void subsample_2x2_row(const Sample* upper, const Sample* lower, int cols, Sample* out);
void subsample_columns_row(const Sample* source, int cols, Sample* out);
/// Means of 1x2 samples. out may be one of the sources.
void subsample_rows_row(const Sample* upper, const Sample* lower, int n, Sample* out);

/// Computes columns [first, first + n) of row `row` of a chroma plane with subsampling `to` from a plane with
/// subsampling `from`. first is even, n at most kRowPiece.
void resample_chroma(PlaneView<const Sample> source, ChromaShift from, ChromaShift to, int row, int first,
                     int n, Sample* out);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Rows of samples and coefficients: interleaved, or deinterleaved into even and odd columns.
#pragma once

#include "codec/format/picture_layout.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Deinterleaves a row of 2 * half elements into even and odd columns, and the inverse.
void split_row(const Coefficient* row, Coefficient* even, Coefficient* odd, int half);
void join_row(const Coefficient* even, const Coefficient* odd, Coefficient* row, int half);

/// (samples - prediction) << shift, deinterleaved. prediction null: `dc_offset` everywhere. Prefetches the
/// elements at distance `ahead`.
void split_difference(const Sample* samples, const Sample* prediction, int dc_offset, int shift,
                      Coefficient* even, Coefficient* odd, int half, ptrdiff_t ahead);

/// even &= of_even, odd &= of_odd, n elements.
void mask_columns(const Coefficient* of_even, const Coefficient* of_odd, int n, Coefficient* even,
                  Coefficient* odd);

/// Coefficients to samples: scale (lifting.hpp), round, add the prediction, clamp.
struct ToSamples {
  int dc_offset;  // prediction if there are no prediction samples
  int scale;
  int shift;
  SampleRange range;
};

/// The inverse of split_difference. samples may be prediction.
void join_samples(const Coefficient* even, const Coefficient* odd, const Sample* prediction,
                  const ToSamples& to, Sample* samples, int half, ptrdiff_t ahead);

/// The same for an interleaved row.
void round_samples(const Coefficient* row, const Sample* prediction, const ToSamples& to, Sample* samples,
                   int count);

/// The prediction only; to may be from.
void clamp_samples(const Sample* from, SampleRange range, Sample* to, int count);

}  // namespace ctv

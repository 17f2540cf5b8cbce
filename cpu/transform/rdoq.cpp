// SPDX-License-Identifier: BSD-3-Clause
// quantise_rdo() of codec/control/rdo_quantise.hpp on the subbands of a plane. The definition quantises nine
// neighbours per coefficient. Here each row's activities are computed once, three rows are summed vertically,
// then three columns horizontally.
#include "cpu/transform/rdoq.hpp"

#include <algorithm>

#include "codec/control/rdo_quantise.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/quantise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/rdoq.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kPiece = 1024;  // columns at a time

// Computes activities: element j + 1 is that of column first + j, j = -1..count; 0 outside the subband.
void ActivityRow(const Coefficient* coefficients, const Subband& s, int row, SubbandQuantiser q, int first,
                 int count, uint16_t* activities) {
  const uint32_t multiplier = q.multiplier;
  const uint32_t offset = q.rounding_offset;
  const int begin = first > 0 ? first - 1 : 0;
  const int end = min_of(first + count + 1, s.cols);
  const bool inside = row >= 0 && row < s.rows;
  const Coefficient* in = coefficients + static_cast<ptrdiff_t>(inside ? row : 0) * s.cols + begin;
  activities[0] = 0;
  activities[count + 1] = 0;
  uint16_t* out = activities + (begin - first + 1);
  if (!inside) {
    for (int j = 0; j < end - begin; ++j) out[j] = 0;
    return;
  }
  CTV_INDEPENDENT
  for (int j = 0; j < end - begin; ++j)
    out[j] = static_cast<uint16_t>(activity_of(in[j], multiplier, offset));
}

// Quantises rows [top, bottom) of a subband.
void QuantiseRows(const Coefficient* coefficients, const Subband& s, SubbandQuantiser q, int top, int bottom,
                  Level* levels) {
  const uint32_t multiplier = q.multiplier;
  const uint32_t offset = q.rounding_offset;
  uint16_t rows[3][kPiece + 2];
  uint16_t sums[kPiece + 2];
  for (int first = 0; first < s.cols; first += kPiece) {
    const int count = min_of(kPiece, s.cols - first);
    uint16_t* above = rows[0];
    uint16_t* here = rows[1];
    uint16_t* below = rows[2];
    ActivityRow(coefficients, s, top - 1, q, first, count, above);
    ActivityRow(coefficients, s, top, q, first, count, here);
    for (int row = top; row < bottom; ++row) {
      ActivityRow(coefficients, s, row + 1, q, first, count, below);
      CTV_INDEPENDENT
      for (int j = 0; j < count + 2; ++j) sums[j] = static_cast<uint16_t>(above[j] + here[j] + below[j]);
      const ptrdiff_t at = static_cast<ptrdiff_t>(row) * s.cols + first;
      const Coefficient* in = coefficients + at;
      Level* out = levels + at;
      CTV_INDEPENDENT
      for (int j = 0; j < count; ++j) {
        const int activity = sums[j] + sums[j + 1] + sums[j + 2] - here[j + 1];
        out[j] = quantise_rdo(in[j], multiplier, offset, static_cast<uint32_t>(activity));
      }
      uint16_t* const free = above;
      above = here;
      here = below;
      below = free;
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(QuantiseRows);

void quantise_rdo_plane(int threads, const SubbandLayout& layout,
                        std::span<const SubbandQuantiser> quantisers, const Coefficient* coefficients,
                        Level* levels) {
  constexpr int kSlices = 8;  // of each subband's rows; a task each
  parallel_for(threads, static_cast<int>(layout.subbands.size()) * kSlices, [&](int task) {
    const auto i = static_cast<size_t>(task / kSlices);
    const Subband& s = layout.subbands[i];
    const int slice_rows = ceil_div(s.rows, kSlices);
    const int top = task % kSlices * slice_rows;
    const int bottom = std::min(s.rows, top + slice_rows);
    if (top >= bottom) return;
    const Coefficient* in = coefficients + s.offset;
    Level* out = levels + s.offset;
    if (decides_by_rate(s.layer, quantisers[i])) {
      HWY_DYNAMIC_DISPATCH(QuantiseRows)(in, s, quantisers[i], top, bottom, out);
    } else {
      const ptrdiff_t at = static_cast<ptrdiff_t>(top) * s.cols;
      quantise_row(in + at, quantisers[i], out + at, (bottom - top) * s.cols);
    }
  });
}

}  // namespace ctv
#endif

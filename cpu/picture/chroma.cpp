// SPDX-License-Identifier: BSD-3-Clause
// Chroma resampling: mean of 2x2 down, bilinear from four neighbours up (Katsigiannis et al., section II).
// The bilinear weights 9 3 3 1 are separable. So 3 near + vertical is computed once per chroma sample and
// used for both horizontal neighbours.
#include "cpu/picture/chroma.hpp"

#include <algorithm>

#include "codec/dsp/chroma.hpp"
#include "codec/util/host_device.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/chroma.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

void Subsample2x2(const Sample* __restrict upper, const Sample* __restrict lower, int cols,
                  Sample* __restrict out) {
  const int pairs = cols / 2;
  for (int i = 0; i < pairs; ++i) {
    out[i] =
        static_cast<Sample>(subsample_2x2(upper[2 * i], upper[2 * i + 1], lower[2 * i], lower[2 * i + 1]));
  }
  if (cols % 2 != 0) {
    out[pairs] = static_cast<Sample>(
        subsample_2x2(upper[cols - 1], upper[cols - 1], lower[cols - 1], lower[cols - 1]));
  }
}

void SubsampleColumns(const Sample* __restrict source, int cols, Sample* __restrict out) {
  const int pairs = cols / 2;
  for (int i = 0; i < pairs; ++i)
    out[i] = static_cast<Sample>(subsample_pair(source[2 * i], source[2 * i + 1]));
  if (cols % 2 != 0) out[pairs] = source[cols - 1];
}

void SubsampleRows(const Sample* upper, const Sample* lower, int n, Sample* out) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<Sample>(subsample_pair(upper[i], lower[i]));
}

void UpsampleRows(const Sample* __restrict near, const Sample* __restrict vertical, int n,
                  Sample* __restrict out) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<Sample>(upsample_linear(near[i], vertical[i]));
}

// Two outputs per chroma sample: (3 t + neighbour + half) >> shift. t begins one sample before the first
// output's chroma sample.
template <int kShift>
void UpsampleColumns(const int16_t* __restrict t, int n, Sample* __restrict out) {
  constexpr int kHalf = 1 << (kShift - 1);
  for (int i = 0; i < n / 2; ++i) {
    const int centre = 3 * t[i + 1] + kHalf;
    out[2 * i] = static_cast<Sample>((centre + t[i]) >> kShift);
    out[2 * i + 1] = static_cast<Sample>((centre + t[i + 2]) >> kShift);
  }
  if (n % 2 != 0) out[n - 1] = static_cast<Sample>((3 * t[n / 2 + 1] + t[n / 2] + kHalf) >> kShift);
}

// vertical null: horizontal interpolation only.
void UpsamplePiece(const Sample* near, const Sample* vertical, int cols, int first, int n, Sample* out) {
  int16_t t[kRowPiece / 2 + 2] = {};
  const int from = first / 2 - 1;
  const int count = (n + 1) / 2 + 2;
  const int begin = from < 0 ? 1 : 0;
  const int end = min_of(count, cols - from);
  if (vertical == nullptr) {
    for (int i = begin; i < end; ++i) t[i] = near[from + i];
  } else {
    for (int i = begin; i < end; ++i) t[i] = static_cast<int16_t>(3 * near[from + i] + vertical[from + i]);
  }
  if (begin == 1) t[0] = t[1];
  for (int i = end; i < count; ++i) t[i] = t[end - 1];
  vertical == nullptr ? UpsampleColumns<2>(t, n, out) : UpsampleColumns<4>(t, n, out);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(Subsample2x2);
HWY_EXPORT(SubsampleColumns);
HWY_EXPORT(SubsampleRows);
HWY_EXPORT(UpsampleRows);
HWY_EXPORT(UpsamplePiece);

void subsample_2x2_row(const Sample* upper, const Sample* lower, int cols, Sample* out) {
  HWY_DYNAMIC_DISPATCH(Subsample2x2)(upper, lower, cols, out);
}
void subsample_columns_row(const Sample* source, int cols, Sample* out) {
  HWY_DYNAMIC_DISPATCH(SubsampleColumns)(source, cols, out);
}
void subsample_rows_row(const Sample* upper, const Sample* lower, int n, Sample* out) {
  HWY_DYNAMIC_DISPATCH(SubsampleRows)(upper, lower, n, out);
}

void resample_chroma(PlaneView<const Sample> source, ChromaShift from, ChromaShift to, int row, int first,
                     int n, Sample* out) {
  if (from.y < to.y) {  // fewer rows
    const Sample* upper = source.row(2 * row);
    const Sample* lower = source.row(std::min(2 * row + 1, source.rows - 1));
    if (from.x < to.x) {
      subsample_2x2_row(upper + 2 * first, lower + 2 * first, std::min(2 * n, source.cols - 2 * first), out);
    } else {
      subsample_rows_row(upper + first, lower + first, n, out);
    }
    return;
  }
  const Sample* near = source.row(from.y > to.y ? row >> 1 : row);
  const int beside = std::clamp((row >> 1) + ((row & 1) != 0 ? 1 : -1), 0, source.rows - 1);
  const Sample* vertical = from.y > to.y ? source.row(beside) : nullptr;
  if (from.x < to.x) {
    subsample_columns_row(near + 2 * first, std::min(2 * n, source.cols - 2 * first), out);
  } else if (from.x > to.x) {
    HWY_DYNAMIC_DISPATCH(UpsamplePiece)(near, vertical, source.cols, first, n, out);
  } else if (vertical != nullptr) {
    HWY_DYNAMIC_DISPATCH(UpsampleRows)(near + first, vertical + first, n, out);
  } else {
    std::copy_n(near + first, n, out);
  }
}

}  // namespace ctv
#endif  // HWY_ONCE

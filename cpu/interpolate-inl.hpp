// SPDX-License-Identifier: BSD-3-Clause
// The separable sub-sample filter of codec/math/motion.hpp on small blocks of a fixed width: shared by
// compensation and refinement, compiled per instruction set (included once per set, hence no include guard of
// the usual kind). Products and sums of a pass along rows fit 16 bits, which the assertion below ties to the
// taps.
#if defined(CTV_CPU_INTERPOLATE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_INTERPOLATE_INL_HPP
#undef CTV_CPU_INTERPOLATE_INL_HPP
#else
#define CTV_CPU_INTERPOLATE_INL_HPP
#endif

#include "codec/math/motion.hpp"
#include "cpu/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kTaps = kInterpolationTaps;
constexpr int kBefore = kInterpolationBefore;  // samples that the filter reads before a position

constexpr bool SumsFit() {
  for (int f = 0; f < 8; ++f) {
    int sum = 0;
    for (int t = 0; t < kTaps; ++t) sum += abs_of(interpolation_weight(f, t));
    if (sum > 128) return false;
  }
  return true;
}
static_assert(SumsFit(), "64ths of samples, and 32 times a prediction, must fit 16 bits");

struct Weights {
  int16_t w[kTaps];
  explicit Weights(int eighth) {
    for (int t = 0; t < kTaps; ++t) w[t] = static_cast<int16_t>(interpolation_weight(eighth, t));
  }
};

// Sum of the taps of one position, wrapping to 16 bits (it fits for samples of a picture).
template <typename T>
inline int16_t Sum16(const Weights& k, const T* s, ptrdiff_t step, int rounding) {
  static_assert(kTaps == 8);
  return static_cast<int16_t>(k.w[0] * s[0] + k.w[1] * s[step] + k.w[2] * s[2 * step] + k.w[3] * s[3 * step] +
                              k.w[4] * s[4 * step] + k.w[5] * s[5 * step] + k.w[6] * s[6 * step] +
                              k.w[7] * s[7 * step] + rounding);
}

// Along rows, 64ths: out [rows][kWidth].
template <int kWidth, typename T>
void RowSums(const T* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  const Weights k(eighth);
  for (int r = 0; r < rows; ++r, source += stride, out += kWidth) {
    const T* __restrict s = source - kBefore;
    int16_t* __restrict o = out;
    for (int x = 0; x < kWidth; ++x) o[x] = Sum16(k, s + x, 1, 0);
  }
}

// Along rows, rounded to samples.
template <int kWidth>
void FilterRows(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  const Weights k(eighth);
  for (int r = 0; r < rows; ++r, source += stride, out += kWidth) {
    const Sample* __restrict s = source - kBefore;
    int16_t* __restrict o = out;
    for (int x = 0; x < kWidth; ++x) o[x] = static_cast<int16_t>(Sum16(k, s + x, 1, 32) >> 6);
  }
}

// Along columns, rounded to samples.
template <int kWidth>
void FilterColumns(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  const Weights k(eighth);
  source -= kBefore * stride;
  for (int r = 0; r < rows; ++r, source += stride, out += kWidth) {
    const Sample* __restrict s = source;
    int16_t* __restrict o = out;
    for (int x = 0; x < kWidth; ++x) o[x] = static_cast<int16_t>(Sum16(k, s + x, stride, 32) >> 6);
  }
}

// Along columns of sums of rows, rounded to samples; source: the row kBefore above, rows kWidth apart.
template <int kWidth>
void FilterColumnsOfSums(const int16_t* source, int rows, int eighth, int16_t* out) {
  const Weights k(eighth);
  for (int r = 0; r < rows; ++r, source += kWidth, out += kWidth) {
    const int16_t* __restrict s = source;
    int16_t* __restrict o = out;
    for (int x = 0; x < kWidth; ++x) {
      const int32_t sum = k.w[0] * s[x] + k.w[1] * s[x + kWidth] + k.w[2] * s[x + 2 * kWidth] +
                          k.w[3] * s[x + 3 * kWidth] + k.w[4] * s[x + 4 * kWidth] +
                          k.w[5] * s[x + 5 * kWidth] + k.w[6] * s[x + 6 * kWidth] +
                          k.w[7] * s[x + 7 * kWidth];
      o[x] = static_cast<int16_t>(round_interpolated(sum));
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

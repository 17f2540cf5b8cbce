// SPDX-License-Identifier: BSD-3-Clause
// First and last step of the transform, row by row. Forward: samples minus prediction, scaled to coefficient
// units, deinterleaved into even and odd columns, because lifting and 2x2 phases need each half contiguous.
// Inverse: rounding and clamping. One pass over the row; the loops vectorise into loads and shuffles.
#include "cpu/picture/sample_rows.hpp"

#include "codec/dsp/lifting.hpp"
#include "codec/util/host_device.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/picture/sample_rows.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

void SplitRow(const Coefficient* __restrict row, Coefficient* __restrict even, Coefficient* __restrict odd,
              int half) {
  for (int i = 0; i < half; ++i) {
    even[i] = row[2 * i];
    odd[i] = row[2 * i + 1];
  }
}

void JoinRow(const Coefficient* __restrict even, const Coefficient* __restrict odd,
             Coefficient* __restrict row, int half) {
  for (int i = 0; i < half; ++i) {
    row[2 * i] = even[i];
    row[2 * i + 1] = odd[i];
  }
}

// Prefetches: the hardware cannot predict which blocks of the next row are coded.
[[gnu::always_inline]] inline void PrefetchBlock(const Sample* at) {
  for (int i = 0; i < 2 * kBlock; i += 32) __builtin_prefetch(at + i);
}

// Differences are narrowed first, because compilers do not detect that 16 bits suffice.
[[gnu::always_inline]] inline void SplitBlock(const Sample* __restrict samples,
                                              const Sample* __restrict prediction, int16_t scale,
                                              Coefficient* __restrict even, Coefficient* __restrict odd,
                                              int half) {
  for (int i = 0; i < half; ++i) {
    const auto first = static_cast<int16_t>(samples[2 * i] - prediction[2 * i]);
    const auto second = static_cast<int16_t>(samples[2 * i + 1] - prediction[2 * i + 1]);
    even[i] = static_cast<Coefficient>(first * scale);
    odd[i] = static_cast<Coefficient>(second * scale);
  }
}

void SplitDifference(const Sample* __restrict samples, const Sample* __restrict prediction, int dc_offset,
                     int shift, Coefficient* __restrict even, Coefficient* __restrict odd, int half,
                     ptrdiff_t ahead) {
  if (prediction == nullptr) {
    for (int i = 0; i < half; ++i) {
      even[i] = static_cast<Coefficient>((samples[2 * i] - dc_offset) << shift);
      odd[i] = static_cast<Coefficient>((samples[2 * i + 1] - dc_offset) << shift);
    }
    return;
  }
  const auto scale = static_cast<int16_t>(1 << shift);
  int i = 0;
  for (; i + kBlock <= half; i += kBlock) {
    PrefetchBlock(samples + 2 * i + ahead);
    PrefetchBlock(prediction + 2 * i + ahead);
    SplitBlock(samples + 2 * i, prediction + 2 * i, scale, even + i, odd + i, kBlock);
  }
  SplitBlock(samples + 2 * i, prediction + 2 * i, scale, even + i, odd + i, half - i);
}

void MaskColumns(const Coefficient* __restrict of_even, const Coefficient* __restrict of_odd, int n,
                 Coefficient* __restrict even, Coefficient* __restrict odd) {
  for (int i = 0; i < n; ++i) {
    even[i] = static_cast<Coefficient>(even[i] & of_even[i]);
    odd[i] = static_cast<Coefficient>(odd[i] & of_odd[i]);
  }
}

// samples may be prediction: each element is read before it is written. T must hold the result of round(c)
// plus a prediction.
template <typename T, typename Round>
[[gnu::always_inline]] inline void JoinRounded(const Coefficient* __restrict even,
                                               const Coefficient* __restrict odd, const Sample* prediction,
                                               const ToSamples& to, Sample* samples, int half, Round round) {
  const auto lo = static_cast<T>(to.range.lo);
  const auto hi = static_cast<T>(to.range.hi);
  const auto dc_offset = static_cast<T>(to.dc_offset);
  const auto sample = [=](T residual, T p) {
    return static_cast<Sample>(clamp_to(static_cast<T>(residual + p), lo, hi));
  };
  if (prediction == nullptr) {
    CTV_INDEPENDENT
    for (int i = 0; i < half; ++i) {
      samples[2 * i] = sample(round(even[i]), dc_offset);
      samples[2 * i + 1] = sample(round(odd[i]), dc_offset);
    }
    return;
  }
  CTV_INDEPENDENT
  for (int i = 0; i < half; ++i) {
    const T p0 = prediction[2 * i];
    const T p1 = prediction[2 * i + 1];
    samples[2 * i] = sample(round(even[i]), p0);
    samples[2 * i + 1] = sample(round(odd[i]), p1);
  }
}

// Only pictures of reduced resolution are scaled. When rounding to two bits, the sum fits in 16 bits before
// the addition, too.
void JoinSamples(const Coefficient* even, const Coefficient* odd, const Sample* prediction,
                 const ToSamples& to, Sample* samples, int half, ptrdiff_t ahead) {
  if (to.scale == kUnitScale && to.shift == 2) {
    const auto round = [](Coefficient c) { return static_cast<int16_t>(((c >> 1) + 1) >> 1); };
    int i = 0;
    for (; prediction != nullptr && i + kBlock <= half; i += kBlock) {
      PrefetchBlock(prediction + 2 * i + ahead);
      JoinRounded<int16_t>(even + i, odd + i, prediction + 2 * i, to, samples + 2 * i, kBlock, round);
    }
    const Sample* const rest = prediction == nullptr ? nullptr : prediction + 2 * i;
    return JoinRounded<int16_t>(even + i, odd + i, rest, to, samples + 2 * i, half - i, round);
  }
  const int shift = to.shift;
  const int rounding = (1 << shift) >> 1;
  if (to.scale == kUnitScale) {
    return JoinRounded<int>(even, odd, prediction, to, samples, half,
                            [=](Coefficient c) { return (c + rounding) >> shift; });
  }
  const int scale = to.scale;
  JoinRounded<int>(even, odd, prediction, to, samples, half,
                   [=](Coefficient c) { return (scale_lowpass(c, scale) + rounding) >> shift; });
}

void RoundSamples(const Coefficient* row, const Sample* prediction, const ToSamples& to, Sample* samples,
                  int count) {
  const int rounding = (1 << to.shift) >> 1;
  for (int i = 0; i < count; ++i) {
    const int p = prediction == nullptr ? to.dc_offset : prediction[i];
    const int c = scale_lowpass(row[i], to.scale);
    samples[i] = static_cast<Sample>(clamp_to(((c + rounding) >> to.shift) + p, to.range.lo, to.range.hi));
  }
}

void ClampSamples(const Sample* from, SampleRange range, Sample* to, int count) {
  CTV_INDEPENDENT
  for (int i = 0; i < count; ++i) {
    const Sample s = from[i];
    to[i] = clamp_to(s, static_cast<Sample>(range.lo), static_cast<Sample>(range.hi));
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(SplitRow);
HWY_EXPORT(JoinRow);
HWY_EXPORT(SplitDifference);
HWY_EXPORT(MaskColumns);
HWY_EXPORT(JoinSamples);
HWY_EXPORT(RoundSamples);
HWY_EXPORT(ClampSamples);

void split_row(const Coefficient* row, Coefficient* even, Coefficient* odd, int half) {
  HWY_DYNAMIC_DISPATCH(SplitRow)(row, even, odd, half);
}
void join_row(const Coefficient* even, const Coefficient* odd, Coefficient* row, int half) {
  HWY_DYNAMIC_DISPATCH(JoinRow)(even, odd, row, half);
}
void split_difference(const Sample* samples, const Sample* prediction, int dc_offset, int shift,
                      Coefficient* even, Coefficient* odd, int half, ptrdiff_t ahead) {
  HWY_DYNAMIC_DISPATCH(SplitDifference)(samples, prediction, dc_offset, shift, even, odd, half, ahead);
}
void mask_columns(const Coefficient* of_even, const Coefficient* of_odd, int n, Coefficient* even,
                  Coefficient* odd) {
  HWY_DYNAMIC_DISPATCH(MaskColumns)(of_even, of_odd, n, even, odd);
}
void join_samples(const Coefficient* even, const Coefficient* odd, const Sample* prediction,
                  const ToSamples& to, Sample* samples, int half, ptrdiff_t ahead) {
  HWY_DYNAMIC_DISPATCH(JoinSamples)(even, odd, prediction, to, samples, half, ahead);
}
void round_samples(const Coefficient* row, const Sample* prediction, const ToSamples& to, Sample* samples,
                   int count) {
  HWY_DYNAMIC_DISPATCH(RoundSamples)(row, prediction, to, samples, count);
}
void clamp_samples(const Sample* from, SampleRange range, Sample* to, int count) {
  HWY_DYNAMIC_DISPATCH(ClampSamples)(from, range, to, count);
}

}  // namespace ctv
#endif

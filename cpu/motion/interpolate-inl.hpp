// SPDX-License-Identifier: BSD-3-Clause
// The separable sub-sample filter of codec/dsp/motion_vectors.hpp on small blocks of fixed width, shared by
// compensation and refinement. Included once per instruction set, so it has no ordinary include guard.
// Products and sums of a horizontal pass fit in 16 bits, as the assertion below verifies.
#if defined(CTV_CPU_INTERPOLATE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_INTERPOLATE_INL_HPP
#undef CTV_CPU_INTERPOLATE_INL_HPP
#else
#define CTV_CPU_INTERPOLATE_INL_HPP
#endif

#include "codec/dsp/motion_vectors.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"
#include "cpu/runtime/simd.hpp"

// Before a loop over the columns of a block: makes the compiler vectorise it instead of unrolling it.
#undef CTV_KEEP_LOOP
#if defined(__clang__)
#define CTV_KEEP_LOOP _Pragma("clang loop vectorize(enable)")
#else
#define CTV_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

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
  int32_t pairs[kTaps / 2];  // two taps as 16-bit lanes
};
struct Filters {
  Weights of[8];  // per eighth
  constexpr Filters() : of() {
    for (int f = 0; f < 8; ++f) {
      for (int t = 0; t < kTaps; ++t) of[f].w[t] = static_cast<int16_t>(interpolation_weight(f, t));
      for (int t = 0; t < kTaps; t += 2) {
        of[f].pairs[t / 2] =
            static_cast<int32_t>(static_cast<uint32_t>(interpolation_weight(f, t) & 0xffff) |
                                 static_cast<uint32_t>(interpolation_weight(f, t + 1)) << 16);
      }
    }
  }
};
constexpr Filters kFilters;

// The filtered value at one position, modulo 2^16; samples of pictures do not overflow.
template <typename T>
inline int16_t Sum16(const Weights& k, const T* s, ptrdiff_t step, int rounding) {
  static_assert(kTaps == 8);
  return static_cast<int16_t>(k.w[0] * s[0] + k.w[1] * s[step] + k.w[2] * s[2 * step] + k.w[3] * s[3 * step] +
                              k.w[4] * s[4 * step] + k.w[5] * s[5 * step] + k.w[6] * s[6 * step] +
                              k.w[7] * s[7 * step] + rounding);
}

// Horizontal pass, in 64ths: out [rows][kWidth].
template <int kWidth, typename T>
void RowSums(const T* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  const Weights& k = kFilters.of[eighth];
  for (int r = 0; r < rows; ++r, source += stride, out += kWidth) {
    const T* __restrict s = source - kBefore;
    int16_t* __restrict o = out;
    CTV_KEEP_LOOP
    for (int x = 0; x < kWidth; ++x) o[x] = Sum16(k, s + x, 1, 0);
  }
}

// Horizontal pass, rounded to samples: out [rows][pitch], kWidth columns.
template <int kWidth>
void FilterRows(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out, ptrdiff_t pitch) {
  const Weights& k = kFilters.of[eighth];
  for (int r = 0; r < rows; ++r, source += stride, out += pitch) {
    const Sample* __restrict s = source - kBefore;
    int16_t* __restrict o = out;
    CTV_KEEP_LOOP
    for (int x = 0; x < kWidth; ++x) o[x] = static_cast<int16_t>(Sum16(k, s + x, 1, 32) >> 6);
  }
}

// Vertical pass, rounded to samples.
template <int kWidth>
void FilterColumns(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out,
                   ptrdiff_t pitch) {
  const Weights& k = kFilters.of[eighth];
  source -= kBefore * stride;
  for (int r = 0; r < rows; ++r, source += stride, out += pitch) {
    const Sample* __restrict s = source;
    int16_t* __restrict o = out;
    CTV_KEEP_LOOP
    for (int x = 0; x < kWidth; ++x) o[x] = static_cast<int16_t>(Sum16(k, s + x, stride, 32) >> 6);
  }
}

#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

// Horizontal pass over samples that are bytes, kWidth of them from `source` on, in 64ths. Reads one sample
// more than the filter. Two halves of a vector that overlap make bytes with all that 8 sums need.
template <int kWidth, typename Store>
HWY_INLINE void SumBytes(const Sample* source, int eighth, Store store) {
  const hn::CappedTag<int16_t, kWidth % 16 == 0 ? 16 : 8> d16;
  const hn::Repartition<uint8_t, decltype(d16)> d8;
  const Weights& k = kFilters.of[eighth];
  alignas(16) static constexpr uint8_t kPairs[16] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8};
  const auto pairs = hn::LoadDup128(d8, kPairs);
  for (int x = 0; x < kWidth; x += static_cast<int>(hn::MaxLanes(d16))) {
    const Sample* const s = source + x - kBefore;
    const auto bytes = Pack(hn::LoadU(d16, s), hn::LoadU(d16, s + 8));
    const auto products = [&](int i) HWY_ATTR {
      const auto places = hn::Add(pairs, hn::Set(d8, static_cast<uint8_t>(i)));
      return MultiplyPairs(LookUp(bytes, places), PairWeights(d8, k.w[i], k.w[i + 1]));
    };
    store(d16, x, hn::Add(hn::Add(products(0), products(2)), hn::Add(products(4), products(6))));
  }
}

template <int kWidth>
void RowSumsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  for (int r = 0; r < rows; ++r, source += stride, out += kWidth) {
    SumBytes<kWidth>(source, eighth, [&](auto d, int x, auto sums) HWY_ATTR { hn::Store(sums, d, out + x); });
  }
}

template <int kWidth>
void FilterRowsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out,
                       ptrdiff_t pitch) {
  for (int r = 0; r < rows; ++r, source += stride, out += pitch) {
    SumBytes<kWidth>(source, eighth, [&](auto d, int x, auto sums) HWY_ATTR {
      hn::StoreU(hn::ShiftRight<6>(hn::Add(sums, hn::Set(d, int16_t{32}))), d, out + x);
    });
  }
}

// A SIMD vector whose lanes divide kWidth.
template <int kWidth>
using Lanes16 = hn::CappedTag<int16_t, kWidth % 32 == 0 ? 32 : (kWidth % 16 == 0 ? 16 : 8)>;

// Vertical pass over sums of a horizontal pass, rounded to samples. source: the row kBefore above, kWidth
// values per row. Two interleaved rows make one multiply-add (pmaddwd), and each pair of rows serves three
// outputs. Interleaving and packing both work within 128 bits and cancel.
template <int kWidth>
void FilterColumnsOfSums(const int16_t* source, int rows, int eighth, int16_t* out, ptrdiff_t pitch) {
  const Lanes16<kWidth> d16;
  const hn::Repartition<int32_t, Lanes16<kWidth>> d32;
  const Weights& k = kFilters.of[eighth];
  constexpr int kPairs = kTaps / 2;
  hn::Vec<decltype(d16)> w[kPairs];
  for (int i = 0; i < kPairs; ++i) w[i] = hn::BitCast(d16, hn::Set(d32, k.pairs[i]));
  const auto half = hn::Set(d32, 2048);
  for (int x = 0; x < kWidth; x += static_cast<int>(hn::Lanes(d16))) {
    const int16_t* s = source + x;
    int16_t* o = out + x;
    hn::Vec<decltype(d16)> lower[kTaps - 1];  // rows i and i + 1 interleaved
    hn::Vec<decltype(d16)> upper[kTaps - 1];
    auto last = hn::LoadU(d16, s);
    for (int i = 0; i < kTaps - 2; ++i) {
      s += kWidth;
      const auto next = hn::LoadU(d16, s);
      lower[i] = hn::InterleaveLower(d16, last, next);
      upper[i] = hn::InterleaveUpper(d16, last, next);
      last = next;
    }
    for (int r = 0; r < rows; ++r, o += pitch) {
      s += kWidth;
      const auto next = hn::LoadU(d16, s);
      lower[kTaps - 2] = hn::InterleaveLower(d16, last, next);
      upper[kTaps - 2] = hn::InterleaveUpper(d16, last, next);
      last = next;
      auto unused = hn::Zero(d32);
      auto low = half;
      auto high = half;
      for (int i = 0; i < kPairs; ++i) {
        low = hn::ReorderWidenMulAccumulate(d32, lower[2 * i], w[i], low, unused);
        high = hn::ReorderWidenMulAccumulate(d32, upper[2 * i], w[i], high, unused);
      }
      hn::StoreU(hn::ReorderDemote2To(d16, hn::ShiftRight<12>(low), hn::ShiftRight<12>(high)), d16, o);
      for (int i = 0; i < kTaps - 2; ++i) {
        lower[i] = lower[i + 1];
        upper[i] = upper[i + 1];
      }
    }
  }
}
#else
template <int kWidth>
void RowSumsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  RowSums<kWidth>(source, stride, rows, eighth, out);
}
template <int kWidth>
void FilterRowsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out,
                       ptrdiff_t pitch) {
  FilterRows<kWidth>(source, stride, rows, eighth, out, pitch);
}
template <int kWidth>
void FilterColumnsOfSums(const int16_t* source, int rows, int eighth, int16_t* out, ptrdiff_t pitch) {
  const Weights& k = kFilters.of[eighth];
  for (int r = 0; r < rows; ++r, source += kWidth, out += pitch) {
    const int16_t* __restrict s = source;
    int16_t* __restrict o = out;
    CTV_KEEP_LOOP
    for (int x = 0; x < kWidth; ++x) {
      int32_t sum = 0;
      for (int t = 0; t < kTaps; ++t) sum += k.w[t] * s[x + t * kWidth];
      o[x] = static_cast<int16_t>(round_interpolated(sum));
    }
  }
}
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

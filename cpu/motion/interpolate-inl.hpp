// SPDX-License-Identifier: BSD-3-Clause
// Separable sub-sample filter of codec/dsp/motion_vectors.hpp for small blocks of fixed width, shared by
// compensation and refinement. Included once per instruction set, so it has no ordinary include guard.
// Products and sums of the first pass fit in 16 bits for samples of 8 bits, as asserted below. For others the
// Wide functions add in 32 bits, and filter along rows first.
#if defined(CTV_CPU_INTERPOLATE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_INTERPOLATE_INL_HPP
#undef CTV_CPU_INTERPOLATE_INL_HPP
#else
#define CTV_CPU_INTERPOLATE_INL_HPP
#endif

#include "codec/dsp/motion_vectors.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"
#include "cpu/runtime/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kTaps = kInterpolationTaps;
constexpr int kBefore = kInterpolationBefore;  // samples before a position that the filter reads

constexpr bool SumsFit() {
  for (int f = 0; f < 8; ++f) {
    int sum = 0;
    for (int t = 0; t < kTaps; ++t) sum += abs_of(interpolation_weight(f, t));
    if (sum > 128) return false;
  }
  return true;
}
static_assert(SumsFit(), "64ths of samples, and 16 times a prediction, must fit 16 bits");

struct Weights {
  int16_t w[kTaps];
  int32_t pairs[kTaps / 2];  // two taps as 16-bit lanes
};
struct Filters {
  Weights of[8];  // by eighth
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

// Filtered value at one position, modulo 2^16; does not overflow for samples of pictures.
inline int16_t Sum16(const Weights& k, const Sample* s, ptrdiff_t step, int rounding) {
  static_assert(kTaps == 8);
  return static_cast<int16_t>(k.w[0] * s[0] + k.w[1] * s[step] + k.w[2] * s[2 * step] + k.w[3] * s[3 * step] +
                              k.w[4] * s[4 * step] + k.w[5] * s[5 * step] + k.w[6] * s[6 * step] +
                              k.w[7] * s[7 * step] + rounding);
}

// Columns of the vertical pass, as the horizontal pass over its sums requires.
template <int kWidth>
constexpr int kSumCols = kWidth + kTaps;

// Vertical pass, in 64ths: out [rows][kSumCols<kWidth>], starting kBefore columns to the left.
template <int kWidth>
void VerticalSums(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  const Weights& k = kFilters.of[eighth];
  source -= kBefore * stride + kBefore;
  for (int r = 0; r < rows; ++r, source += stride, out += kSumCols<kWidth>) {
    const Sample* __restrict s = source;
    int16_t* __restrict o = out;
    CTV_KEEP_LOOP
    for (int x = 0; x < kSumCols<kWidth>; ++x) o[x] = Sum16(k, s + x, stride, 0);
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

// Result of a pass: (sum + half) >> bits, limited.
struct PassResult {
  int half, bits;
  int16_t least = INT16_MIN, most = INT16_MAX;
};

#if CTV_BYTE_PAIRS

// Horizontal pass over byte samples, kWidth from `source` on, in 64ths. Reads one sample more than the
// filter. Two overlapping half vectors hold all bytes for 8 sums.
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

// Rounds 64ths to samples: (sum + 32) >> 6.
template <class D>
HWY_INLINE hn::Vec<D> RoundSums(D d16, hn::Vec<D> sums) {
  return hn::MulFixedPoint15(sums, hn::Set(d16, int16_t{1 << (15 - 6)}));
}

template <int kWidth>
void FilterRowsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out,
                       ptrdiff_t pitch) {
  for (int r = 0; r < rows; ++r, source += stride, out += pitch) {
    SumBytes<kWidth>(source, eighth,
                     [&](auto d, int x, auto sums) HWY_ATTR { hn::StoreU(RoundSums(d, sums), d, out + x); });
  }
}

// Vertical pass over byte samples, in 64ths. Pairs of rows are interleaved (pmaddubsw), and each pair serves
// four outputs.
template <class D, typename Store>
HWY_INLINE void SumColumnsOfBytes(D d16, const Sample* source, ptrdiff_t stride, int rows, int eighth,
                                  Store store) {
  const hn::Repartition<uint8_t, D> d8;
  const Weights& k = kFilters.of[eighth];
  hn::Vec<decltype(d8)> pairs[kTaps - 1];  // rows i and i + 1
  source -= kBefore * stride;
  auto last = hn::LoadU(d16, source);
  const auto next_pair = [&]() HWY_ATTR {
    source += stride;
    const auto next = hn::LoadU(d16, source);
    const auto pair = hn::BitCast(d8, hn::Or(last, hn::ShiftLeft<8>(next)));
    last = next;
    return pair;
  };
  for (int i = 0; i < kTaps - 2; ++i) pairs[i] = next_pair();
  for (int r = 0; r < rows; ++r) {
    pairs[kTaps - 2] = next_pair();
    const auto products = [&](int i) HWY_ATTR {
      return MultiplyPairs(pairs[i], PairWeights(d8, k.w[i], k.w[i + 1]));
    };
    store(r, hn::Add(hn::Add(products(0), products(2)), hn::Add(products(4), products(6))));
    for (int i = 0; i < kTaps - 2; ++i) pairs[i] = pairs[i + 1];
  }
}

template <int kWidth>
void VerticalSumsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  const hn::CappedTag<int16_t, 16> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  for (int i = 0; i < kSumCols<kWidth>; i += kLanes) {
    const int x = min_of(i, kSumCols<kWidth> - kLanes);  // the last vector may overlap the one before
    SumColumnsOfBytes(d, source + x - kBefore, stride, rows, eighth, [&](int r, auto sums) HWY_ATTR {
      hn::StoreU(sums, d, out + r * kSumCols<kWidth> + x);
    });
  }
}

template <int kWidth>
void FilterColumnsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out,
                          ptrdiff_t pitch) {
  const hn::CappedTag<int16_t, kWidth % 16 == 0 ? 16 : 8> d;
  for (int x = 0; x < kWidth; x += static_cast<int>(hn::MaxLanes(d))) {
    SumColumnsOfBytes(d, source + x, stride, rows, eighth, [&](int r, auto sums) HWY_ATTR {
      hn::StoreU(RoundSums(d, sums), d, out + r * pitch + x);
    });
  }
}

#else
template <int kWidth>
void VerticalSumsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out) {
  VerticalSums<kWidth>(source, stride, rows, eighth, out);
}
template <int kWidth>
void FilterRowsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out,
                       ptrdiff_t pitch) {
  FilterRows<kWidth>(source, stride, rows, eighth, out, pitch);
}
template <int kWidth>
void FilterColumnsOfBytes(const Sample* source, ptrdiff_t stride, int rows, int eighth, int16_t* out,
                          ptrdiff_t pitch) {
  FilterColumns<kWidth>(source, stride, rows, eighth, out, pitch);
}
#endif

#if CTV_VECTORS
// A SIMD vector whose lanes divide kWidth.
template <int kWidth>
using Lanes16 = hn::CappedTag<int16_t, kWidth % 32 == 0 ? 32 : (kWidth % 16 == 0 ? 16 : 8)>;

// Horizontal pass over sums of a vertical pass, [rows][kSumCols<kWidth>], rounded to samples. Products of
// neighbours are added in pairs (pmaddwd): pairs from column t on make even outputs, pairs from the next
// column odd ones.
template <int kWidth>
void FilterRowsOfSums(const int16_t* source, int rows, int eighth, int16_t* out, ptrdiff_t pitch) {
  const Lanes16<kWidth> d16;
  const hn::Repartition<int32_t, Lanes16<kWidth>> d32;
  static_assert(kInterpolatedBits == 12);
  const Weights& k = kFilters.of[eighth];
  const auto half = hn::Set(d32, kInterpolatedHalf);
#if !HWY_ARCH_ARM
  const auto sums_from = [&](const int16_t* s) HWY_ATTR {
    auto sums = half;
    for (int t = 0; t < kTaps; t += 2) {
      const auto w = hn::BitCast(d16, hn::Set(d32, k.pairs[t / 2]));
      sums = MultiplyAdd(hn::LoadU(d16, s + t), w, sums);
    }
    return sums;
  };
#endif
  for (int r = 0; r < rows; ++r, source += kSumCols<kWidth>, out += pitch) {
    for (int x = 0; x < kWidth; x += static_cast<int>(hn::Lanes(d16))) {
#if HWY_ARCH_ARM  // needs no pairs of neighbours
      auto sums = half;
      auto more = half;
      for (int t = 0; t < kTaps; t += 2) {
        const RowPair<Lanes16<kWidth>> rows_of_taps(hn::LoadU(d16, source + x + t),
                                                    hn::LoadU(d16, source + x + t + 1));
        rows_of_taps.add(k.pairs[t / 2], sums, more);
      }
      const auto rounded = hn::ReorderDemote2To(d16, hn::ShiftRight<12>(sums), hn::ShiftRight<12>(more));
      hn::StoreU(rounded, d16, out + x);
#else
      const auto even = hn::BitCast(d16, hn::ShiftRight<12>(sums_from(source + x)));
      const auto odd = hn::BitCast(d16, hn::ShiftLeft<16 - 12>(sums_from(source + x + 1)));
      hn::StoreU(hn::OddEven(odd, even), d16, out + x);
#endif
    }
  }
}

// Horizontal pass over wide samples; reads as FilterRowsOfSums().
template <int kWidth>
void FilterRowsWide(const int16_t* source, ptrdiff_t stride, int rows, int eighth, PassResult result,
                    int16_t* out, ptrdiff_t pitch) {
  const Lanes16<kWidth> d16;
  const hn::Repartition<int32_t, Lanes16<kWidth>> d32;
  const Weights& k = kFilters.of[eighth];
  const auto half = hn::Set(d32, result.half);
  const auto least = hn::Set(d16, result.least);
  const auto most = hn::Set(d16, result.most);
  const auto sums_from = [&](const int16_t* s) HWY_ATTR {
    auto sums = half;
    for (int t = 0; t < kTaps; t += 2) {
      const auto w = hn::BitCast(d16, hn::Set(d32, k.pairs[t / 2]));
      sums = MultiplyAdd(hn::LoadU(d16, s + t), w, sums);
    }
    return hn::ShiftRightSame(sums, result.bits);
  };
  for (int r = 0; r < rows; ++r, source += stride, out += pitch) {
    for (int x = 0; x < kWidth; x += static_cast<int>(hn::Lanes(d16))) {
      const auto even = hn::BitCast(d16, sums_from(source + x - kBefore));
      const auto odd = hn::BitCast(d16, hn::ShiftLeft<16>(sums_from(source + x - kBefore + 1)));
      hn::StoreU(hn::Clamp(hn::OddEven(odd, even), least, most), d16, out + x);
    }
  }
}

// Vertical pass over wide samples, or sums of a horizontal pass. Each pair of rows serves four outputs.
template <int kWidth>
void FilterColumnsWide(const int16_t* source, ptrdiff_t stride, int rows, int eighth, PassResult result,
                       int16_t* out, ptrdiff_t pitch) {
  const hn::CappedTag<int16_t, kWidth % 16 == 0 ? 16 : 8> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const Weights& k = kFilters.of[eighth];
  const auto half = hn::Set(d32, result.half);
  const auto least = hn::Set(d16, result.least);
  const auto most = hn::Set(d16, result.most);
  source -= kBefore * stride;
  for (int x = 0; x < kWidth; x += static_cast<int>(hn::MaxLanes(d16))) {
    RowPair<decltype(d16)> pairs[kTaps - 1];  // rows i and i + 1
    const int16_t* from = source + x;
    auto last = hn::LoadU(d16, from);
    const auto next_pair = [&](int i) HWY_ATTR {
      from += stride;
      const auto next = hn::LoadU(d16, from);
      pairs[i] = {last, next};
      last = next;
    };
    for (int i = 0; i < kTaps - 2; ++i) next_pair(i);
    for (int r = 0; r < rows; ++r) {
      next_pair(kTaps - 2);
      auto sums = half;
      auto more = half;
      for (int t = 0; t < kTaps; t += 2) pairs[t].add(k.pairs[t / 2], sums, more);
      const auto both = hn::ReorderDemote2To(d16, hn::ShiftRightSame(sums, result.bits),
                                             hn::ShiftRightSame(more, result.bits));
      hn::StoreU(hn::Clamp(both, least, most), d16, out + r * pitch + x);
      for (int i = 0; i < kTaps - 2; ++i) pairs[i] = pairs[i + 1];
    }
  }
}
#else
// step: from tap to tap
template <int kWidth>
void FilterWide(const int16_t* source, ptrdiff_t stride, ptrdiff_t step, int rows, int eighth,
                PassResult result, int16_t* out, ptrdiff_t pitch) {
  const Weights& k = kFilters.of[eighth];
  source -= kBefore * step;
  for (int r = 0; r < rows; ++r, source += stride, out += pitch) {
    const int16_t* __restrict s = source;
    int16_t* __restrict o = out;
    CTV_KEEP_LOOP
    for (int x = 0; x < kWidth; ++x) {
      int32_t sum = result.half;
      for (int t = 0; t < kTaps; ++t) sum += k.w[t] * s[x + t * step];
      o[x] = static_cast<int16_t>(clamp_to<int>(sum >> result.bits, result.least, result.most));
    }
  }
}
template <int kWidth>
void FilterRowsWide(const int16_t* source, ptrdiff_t stride, int rows, int eighth, PassResult result,
                    int16_t* out, ptrdiff_t pitch) {
  FilterWide<kWidth>(source, stride, 1, rows, eighth, result, out, pitch);
}
template <int kWidth>
void FilterColumnsWide(const int16_t* source, ptrdiff_t stride, int rows, int eighth, PassResult result,
                       int16_t* out, ptrdiff_t pitch) {
  FilterWide<kWidth>(source, stride, stride, rows, eighth, result, out, pitch);
}
template <int kWidth>
void FilterRowsOfSums(const int16_t* source, int rows, int eighth, int16_t* out, ptrdiff_t pitch) {
  const Weights& k = kFilters.of[eighth];
  for (int r = 0; r < rows; ++r, source += kSumCols<kWidth>, out += pitch) {
    const int16_t* __restrict s = source;
    int16_t* __restrict o = out;
    CTV_KEEP_LOOP
    for (int x = 0; x < kWidth; ++x) {
      int32_t sum = 0;
      for (int t = 0; t < kTaps; ++t) sum += k.w[t] * s[x + t];
      o[x] = static_cast<int16_t>(round_interpolated(sum));
    }
  }
}
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

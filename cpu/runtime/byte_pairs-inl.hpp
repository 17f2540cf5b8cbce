// SPDX-License-Identifier: BSD-3-Clause
// What Highway lacks in vectors of 8 and 16 bits, by the intrinsics of x86 and of ARM, or by Highway's other
// operations: products added in pairs (pmaddubsw, pmaddwd), packing to bytes within 128 bits (packuswb,
// packsswb), sums of absolute differences (psadbw), and tables of 16 bytes (pshufb) that ignore bits 4 to 6
// of an index. Included once per instruction set.
#if defined(CTV_CPU_BYTE_PAIRS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_BYTE_PAIRS_INL_HPP
#undef CTV_CPU_BYTE_PAIRS_INL_HPP
#else
#define CTV_CPU_BYTE_PAIRS_INL_HPP
#endif

#include "cpu/runtime/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86

HWY_INLINE hn::Vec128<int16_t> MultiplyPairs(hn::Vec128<uint8_t> samples, hn::Vec128<int8_t> weights) {
  return hn::Vec128<int16_t>{_mm_maddubs_epi16(samples.raw, weights.raw)};
}
HWY_INLINE hn::Vec128<uint8_t> Pack(hn::Vec128<int16_t> lower, hn::Vec128<int16_t> upper) {
  return hn::Vec128<uint8_t>{_mm_packus_epi16(lower.raw, upper.raw)};
}
HWY_INLINE hn::Vec128<int8_t> PackSigned(hn::Vec128<int16_t> lower, hn::Vec128<int16_t> upper) {
  return hn::Vec128<int8_t>{_mm_packs_epi16(lower.raw, upper.raw)};
}
HWY_INLINE hn::Vec128<uint8_t> PackInOrder(hn::Vec128<int16_t> lower, hn::Vec128<int16_t> upper) {
  return Pack(lower, upper);
}
/// Sums of eight absolute differences (psadbw).
HWY_INLINE hn::Vec128<uint64_t> SumDifferences(hn::Vec128<uint8_t> a, hn::Vec128<uint8_t> b) {
  return hn::Vec128<uint64_t>{_mm_sad_epu8(a.raw, b.raw)};
}
/// Looks up bytes of a table within each 128 bits; 0 where bit 7 of the index is set.
HWY_INLINE hn::Vec128<uint8_t> LookUp(hn::Vec128<uint8_t> table, hn::Vec128<uint8_t> places) {
  return hn::Vec128<uint8_t>{_mm_shuffle_epi8(table.raw, places.raw)};
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE hn::Vec256<int16_t> MultiplyPairs(hn::Vec256<uint8_t> samples, hn::Vec256<int8_t> weights) {
  return hn::Vec256<int16_t>{_mm256_maddubs_epi16(samples.raw, weights.raw)};
}
HWY_INLINE hn::Vec256<uint8_t> Pack(hn::Vec256<int16_t> lower, hn::Vec256<int16_t> upper) {
  return hn::Vec256<uint8_t>{_mm256_packus_epi16(lower.raw, upper.raw)};
}
HWY_INLINE hn::Vec256<int8_t> PackSigned(hn::Vec256<int16_t> lower, hn::Vec256<int16_t> upper) {
  return hn::Vec256<int8_t>{_mm256_packs_epi16(lower.raw, upper.raw)};
}
HWY_INLINE hn::Vec256<uint8_t> PackInOrder(hn::Vec256<int16_t> lower, hn::Vec256<int16_t> upper) {
  return hn::Vec256<uint8_t>{_mm256_permute4x64_epi64(Pack(lower, upper).raw, 0xd8)};
}
HWY_INLINE hn::Vec256<uint64_t> SumDifferences(hn::Vec256<uint8_t> a, hn::Vec256<uint8_t> b) {
  return hn::Vec256<uint64_t>{_mm256_sad_epu8(a.raw, b.raw)};
}
HWY_INLINE hn::Vec256<uint8_t> LookUp(hn::Vec256<uint8_t> table, hn::Vec256<uint8_t> places) {
  return hn::Vec256<uint8_t>{_mm256_shuffle_epi8(table.raw, places.raw)};
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE hn::Vec512<int16_t> MultiplyPairs(hn::Vec512<uint8_t> samples, hn::Vec512<int8_t> weights) {
  return hn::Vec512<int16_t>{_mm512_maddubs_epi16(samples.raw, weights.raw)};
}
HWY_INLINE hn::Vec512<uint8_t> Pack(hn::Vec512<int16_t> lower, hn::Vec512<int16_t> upper) {
  return hn::Vec512<uint8_t>{_mm512_packus_epi16(lower.raw, upper.raw)};
}
HWY_INLINE hn::Vec512<int8_t> PackSigned(hn::Vec512<int16_t> lower, hn::Vec512<int16_t> upper) {
  return hn::Vec512<int8_t>{_mm512_packs_epi16(lower.raw, upper.raw)};
}
HWY_INLINE hn::Vec512<uint8_t> PackInOrder(hn::Vec512<int16_t> lower, hn::Vec512<int16_t> upper) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  return hn::Vec512<uint8_t>{_mm512_permutexvar_epi64(order, Pack(lower, upper).raw)};
}
HWY_INLINE hn::Vec512<uint8_t> LookUp(hn::Vec512<uint8_t> table, hn::Vec512<uint8_t> places) {
  return hn::Vec512<uint8_t>{_mm512_shuffle_epi8(table.raw, places.raw)};
}
/// Looks up words in a table of 64 words, held in two vectors, by 16-bit indices.
HWY_INLINE hn::Vec512<uint8_t> LookUpWords(hn::Vec512<uint8_t> first, hn::Vec512<uint8_t> second,
                                           hn::Vec512<uint8_t> places) {
  return hn::Vec512<uint8_t>{_mm512_permutex2var_epi16(first.raw, places.raw, second.raw)};
}
HWY_INLINE hn::Vec512<uint64_t> SumDifferences(hn::Vec512<uint8_t> a, hn::Vec512<uint8_t> b) {
  return hn::Vec512<uint64_t>{_mm512_sad_epu8(a.raw, b.raw)};
}
#endif

#else
// Multiplies even and odd samples separately.
template <class V, class W>
HWY_INLINE auto MultiplyPairs(V samples, W weights) {
  const hn::Repartition<uint16_t, hn::DFromV<V>> unsigned_words;
  const hn::Repartition<int16_t, hn::DFromV<V>> words;
  const auto both = hn::BitCast(unsigned_words, samples);
  const auto even = hn::BitCast(words, hn::And(both, hn::Set(unsigned_words, uint16_t{255})));
  const auto odd = hn::BitCast(words, hn::ShiftRight<8>(both));
  const auto w = hn::BitCast(words, weights);
  return hn::Add(hn::Mul(even, hn::ShiftRight<8>(hn::ShiftLeft<8>(w))), hn::Mul(odd, hn::ShiftRight<8>(w)));
}
template <typename T, class V>
HWY_INLINE auto PackTo(V lower, V upper) {
  const hn::Repartition<T, hn::DFromV<V>> d;
  const hn::Half<decltype(d)> half;
  return hn::Combine(d, hn::DemoteTo(half, upper), hn::DemoteTo(half, lower));
}
template <class V>
HWY_INLINE auto Pack(V lower, V upper) {
  return PackTo<uint8_t>(lower, upper);
}
template <class V>
HWY_INLINE auto PackSigned(V lower, V upper) {
  return PackTo<int8_t>(lower, upper);
}
template <class V>
HWY_INLINE auto PackInOrder(V lower, V upper) {
  return PackTo<uint8_t>(lower, upper);
}
#if !HWY_ARCH_ARM
template <class V>
HWY_INLINE auto SumDifferences(V a, V b) {
  return hn::SumsOf8(hn::Sub(hn::Max(a, b), hn::Min(a, b)));
}
#endif
template <class V>
HWY_INLINE V LookUp(V table, V places) {
  return hn::TableLookupBytes(table, hn::And(places, hn::Set(hn::DFromV<V>(), uint8_t{0x8f})));
}
#endif

/// Sums of absolute differences of at most 128 vectors, in the end for each eight lanes. D: tag of the bytes.
template <class D>
class DifferenceSums {
  using V = hn::Vec<D>;
#if HWY_ARCH_ARM
  using Lanes = hn::Repartition<uint16_t, D>;

 public:
  HWY_INLINE DifferenceSums() : sums_(hn::Zero(Lanes())) {}
  HWY_INLINE void add(V a, V b) { sums_.raw = vpadalq_u8(sums_.raw, vabdq_u8(a.raw, b.raw)); }
  HWY_INLINE auto total() const {
    return hn::Vec<hn::Repartition<uint64_t, D>>(vpaddlq_u32(vpaddlq_u16(sums_.raw)));
  }
#else
  using Lanes = hn::Repartition<uint64_t, D>;

 public:
  HWY_INLINE DifferenceSums() : sums_(hn::Zero(Lanes())) {}  // not by a default: that has no instruction set
  HWY_INLINE void add(V a, V b) { sums_ = hn::Add(sums_, SumDifferences(a, b)); }
  HWY_INLINE auto total() const { return sums_; }
#endif

 private:
  hn::Vec<Lanes> sums_;
};

/// Adds the products of adjacent lanes to a sum (pmaddwd).
template <class V, class S>
HWY_INLINE S MultiplyAdd(V a, V b, S sum) {
#if HWY_ARCH_ARM
  return hn::Add(
      sum, S(vpaddq_s32(vmull_s16(vget_low_s16(a.raw), vget_low_s16(b.raw)), vmull_high_s16(a.raw, b.raw))));
#else
  const hn::DFromV<S> d;
  auto unused = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, a, b, sum, unused);
#endif
}

/// Two weights for each lane, signed bytes: on ARM as they are, otherwise as InterleaveLower() and
/// InterleaveUpper() of them. Samples of -kMiddle or more have kMiddle added. D: tag of the samples.
template <class D>
class BytePairWeights {
  using V = hn::Vec<D>;
  using W = hn::Vec<hn::RebindToSigned<D>>;
  using S = hn::Vec<hn::Repartition<int16_t, D>>;

 public:
  static constexpr uint8_t kMiddle = HWY_ARCH_ARM ? 0 : 64;
  HWY_INLINE BytePairWeights() : BytePairWeights(hn::Zero(hn::DFromV<W>()), hn::Zero(hn::DFromV<W>())) {}
  HWY_INLINE BytePairWeights(W first, W second) : first_(first), second_(second) {}
  /// Adds the products of a and b with their weights; PackSigned() puts the sums in order.
  HWY_INLINE void add(V a, V b, S& lower, S& upper) const {
#if HWY_ARCH_ARM
    const auto x = vreinterpretq_s8_u8(a.raw);
    const auto y = vreinterpretq_s8_u8(b.raw);
    lower = S(vmlal_s8(vmlal_s8(lower.raw, vget_low_s8(first_.raw), vget_low_s8(x)), vget_low_s8(second_.raw),
                       vget_low_s8(y)));
    upper = S(vmlal_high_s8(vmlal_high_s8(upper.raw, first_.raw, x), second_.raw, y));
#else
    lower = hn::Add(lower, MultiplyPairs(hn::InterleaveLower(D(), a, b), first_));
    upper = hn::Add(upper, MultiplyPairs(hn::InterleaveUpper(D(), a, b), second_));
#endif
  }
  /// Subtracts the products of one value with all weights.
  HWY_INLINE void subtract(V value, S& lower, S& upper) const {
    lower = hn::Sub(lower, MultiplyPairs(value, first_));
    upper = hn::Sub(upper, MultiplyPairs(value, second_));
  }
  friend HWY_INLINE BytePairWeights operator+(const BytePairWeights& a, const BytePairWeights& b) {
    return {hn::Add(a.first_, b.first_), hn::Add(a.second_, b.second_)};
  }

 private:
  W first_, second_;
};

/// Two rows of 16-bit lanes, for sums of their products with two weights. On ARM, rows need not be
/// interleaved.
template <class D>
class RowPair {
  using V = hn::Vec<D>;
  using Words = hn::Repartition<int32_t, D>;
  using S = hn::Vec<Words>;

 public:
  RowPair() = default;
#if HWY_ARCH_ARM
  HWY_INLINE RowPair(V a, V b) : lower_(a), upper_(b) {}
#else
  HWY_INLINE RowPair(V a, V b)
      : lower_(hn::InterleaveLower(D(), a, b)), upper_(hn::InterleaveUpper(D(), a, b)) {}
#endif
  /// weights: two of 16 bits, the first row's in the lower half. ReorderDemote2To() puts the sums in order.
  HWY_INLINE void add(int32_t weights, S& sums, S& more) const {
    const V w = hn::BitCast(D(), hn::Set(Words(), weights));
#if HWY_ARCH_ARM
    const auto add = [w](S sum, int16x4_t a, int16x4_t b) HWY_ATTR {
      return vmlal_laneq_s16(vmlal_laneq_s16(sum.raw, a, w.raw, 0), b, w.raw, 1);
    };
    sums = S(add(sums, vget_low_s16(lower_.raw), vget_low_s16(upper_.raw)));
    more = S(add(more, vget_high_s16(lower_.raw), vget_high_s16(upper_.raw)));
#else
    sums = MultiplyAdd(lower_, w, sums);
    more = MultiplyAdd(upper_, w, more);
#endif
  }

 private:
  V lower_, upper_;
};

// The weights of each pair. D8: tag of the samples.
template <class D8>
HWY_INLINE hn::Vec<hn::RebindToSigned<D8>> PairWeights(D8, int first, int second) {
  const auto both = static_cast<int16_t>((first & 255) | second * 256);
  return hn::BitCast(hn::RebindToSigned<D8>(), hn::Set(hn::Repartition<int16_t, D8>(), both));
}
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

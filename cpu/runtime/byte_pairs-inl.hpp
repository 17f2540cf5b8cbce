// SPDX-License-Identifier: BSD-3-Clause
// Products of unsigned and signed bytes, added in pairs (pmaddubsw), packing to bytes (packuswb, packsswb),
// sums of absolute differences (psadbw), and tables of 16 bytes (pshufb) that ignore bits 4 to 6 of an index.
// Highway lacks these within 128 bits, or with such indices. Included once per instruction set.
#if defined(CTV_CPU_BYTE_PAIRS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_BYTE_PAIRS_INL_HPP
#undef CTV_CPU_BYTE_PAIRS_INL_HPP
#else
#define CTV_CPU_BYTE_PAIRS_INL_HPP
#endif

#include "cpu/runtime/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

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

// SPDX-License-Identifier: BSD-3-Clause
// Vectors of 16-bit lanes, shifted by one lane from two consecutive vectors. Unaligned loads would wait for
// the stores that they overlap. Included once per instruction set.
#if defined(CTV_CPU_LANE_SHIFT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_LANE_SHIFT_INL_HPP
#undef CTV_CPU_LANE_SHIFT_INL_HPP
#else
#define CTV_CPU_LANE_SHIFT_INL_HPP
#endif

#include <cstdint>

#include "cpu/runtime/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;

/// All lanes of v except the first, then the first of `next`.
HWY_INLINE hn::Vec128<int16_t> LanesAfter(hn::Vec128<int16_t> v, hn::Vec128<int16_t> next) {
  return hn::CombineShiftRightBytes<2>(hn::Full128<int16_t>(), next, v);
}
/// The last lane of `previous`, then all lanes of v except the last.
HWY_INLINE hn::Vec128<int16_t> LanesBefore(hn::Vec128<int16_t> previous, hn::Vec128<int16_t> v) {
  return hn::CombineShiftRightBytes<14>(hn::Full128<int16_t>(), v, previous);
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE hn::Vec256<int16_t> LanesAfter(hn::Vec256<int16_t> v, hn::Vec256<int16_t> next) {
  const __m256i middle = _mm256_permute2x128_si256(v.raw, next.raw, 0x21);
  return hn::Vec256<int16_t>{_mm256_alignr_epi8(middle, v.raw, 2)};
}
HWY_INLINE hn::Vec256<int16_t> LanesBefore(hn::Vec256<int16_t> previous, hn::Vec256<int16_t> v) {
  const __m256i middle = _mm256_permute2x128_si256(previous.raw, v.raw, 0x21);
  return hn::Vec256<int16_t>{_mm256_alignr_epi8(v.raw, middle, 14)};
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE hn::Vec512<int16_t> LanesAfter(hn::Vec512<int16_t> v, hn::Vec512<int16_t> next) {
  const __m512i middle = _mm512_alignr_epi64(next.raw, v.raw, 2);
  return hn::Vec512<int16_t>{_mm512_alignr_epi8(middle, v.raw, 2)};
}
HWY_INLINE hn::Vec512<int16_t> LanesBefore(hn::Vec512<int16_t> previous, hn::Vec512<int16_t> v) {
  const __m512i middle = _mm512_alignr_epi64(v.raw, previous.raw, 6);
  return hn::Vec512<int16_t>{_mm512_alignr_epi8(v.raw, middle, 14)};
}
#endif
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

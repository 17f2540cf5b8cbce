// SPDX-License-Identifier: BSD-3-Clause
// One row of a directional shear. The kernel of N x N taps is separable and odd. The first pass runs along
// one lattice vector: N/2 differences and products per sample, in 32 bits, unrounded. The second runs along
// the other vector and rounds once.
#include "cpu/transform/directional_rows.hpp"

#include "codec/dsp/directional.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/directional_rows.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// sum over k of a_k (plus[k][i] - minus[k][i])
template <int K, typename T>
inline int32_t OddSum(const T* const* plus, const T* const* minus, int i) {
  int32_t sum = 0;
  for (int k = 0; k < K; ++k) sum += directional_tap(2 * K, k + 1) * (plus[k][i] - minus[k][i]);
  return sum;
}

template <int K>
void FilterRowK(int32_t* __restrict out, const Coefficient* const* plus_rows,
                const Coefficient* const* minus_rows, int count) {
  const Coefficient* plus[K];
  const Coefficient* minus[K];
  for (int k = 0; k < K; ++k) {
    plus[k] = plus_rows[k];
    minus[k] = minus_rows[k];
  }
  CTV_INDEPENDENT
  for (int i = 0; i < count; ++i) out[i] = OddSum<K>(plus, minus, i);
}

template <int K, bool kSine>
void ShearRowK(Coefficient* __restrict target, const int32_t* const* plus_rows,
               const int32_t* const* minus_rows, int sign, int count) {
  const int32_t* plus[K];
  const int32_t* minus[K];
  for (int k = 0; k < K; ++k) {
    plus[k] = plus_rows[k];
    minus[k] = minus_rows[k];
  }
  CTV_INDEPENDENT
  for (int i = 0; i < count; ++i) {
    const int32_t sum = OddSum<K>(plus, minus, i);
    const int step = kSine ? shear_sin(sum) : shear_tan(sum);
    target[i] = static_cast<Coefficient>(target[i] + ((step ^ sign) - sign));
  }
}

void FilterRow(int half_taps, int32_t* out, const Coefficient* const* plus, const Coefficient* const* minus,
               int count) {
  count = round_up(count, kBlock);
  if (half_taps == 3) return FilterRowK<3>(out, plus, minus, count);
  return FilterRowK<6>(out, plus, minus, count);
}

// sign: 0 adds, -1 subtracts.
template <bool kSine>
void ShearRowOf(int half_taps, Coefficient* target, const int32_t* const* plus, const int32_t* const* minus,
                int sign, int count) {
  count = round_up(count, kBlock);
  if (half_taps == 3) return ShearRowK<3, kSine>(target, plus, minus, sign, count);
  return ShearRowK<6, kSine>(target, plus, minus, sign, count);
}
void ShearRow(bool sine, int half_taps, Coefficient* target, const int32_t* const* plus,
              const int32_t* const* minus, int sign, int count) {
  if (sine) return ShearRowOf<true>(half_taps, target, plus, minus, sign, count);
  return ShearRowOf<false>(half_taps, target, plus, minus, sign, count);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FilterRow);
HWY_EXPORT(ShearRow);

void filter_row(int half_taps, int32_t* out, const Coefficient* const* plus, const Coefficient* const* minus,
                int count) {
  HWY_DYNAMIC_DISPATCH(FilterRow)(half_taps, out, plus, minus, count);
}
void shear_row(Shear shear, int half_taps, Coefficient* target, const int32_t* const* plus,
               const int32_t* const* minus, int count) {
  HWY_DYNAMIC_DISPATCH(ShearRow)(shear.sine, half_taps, target, plus, minus, shear.subtract ? -1 : 0, count);
}
}  // namespace ctv
#endif

// SPDX-License-Identifier: BSD-3-Clause
#include "cpu/transform/lift_9_7.hpp"

#include "codec/dsp/lifting.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/lift_9_7.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// out = out + sign * ((factor * (a + b) + half) >> bits), n elements in multiples of kLanes. a and b may be
// equal.
#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

// a and b side by side make one multiply-add (pmaddwd). The sum is shifted such that its lower 16 bits
// remain.
template <int kSign, int kFactor, int kBits, int kLanes>
void LiftPair(Coefficient* out, const Coefficient* a, const Coefficient* b, int n) {
  const hn::CappedTag<int16_t, kLanes> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const auto factor = hn::Set(d16, int16_t{kFactor});
  const auto half = hn::Set(d32, 1 << (kBits - 1));
  const auto step = [&](auto pairs) {
    auto unused = hn::Zero(d32);
    const auto sum = hn::ReorderWidenMulAccumulate(d32, pairs, factor, half, unused);
    return hn::ShiftRight<16>(hn::ShiftLeft<16 - kBits>(sum));
  };
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d16))) {
    const auto va = hn::LoadU(d16, a + i);
    const auto vb = hn::LoadU(d16, b + i);
    // Interleaving and packing both work within 128 bits and cancel.
    const auto steps = hn::ReorderDemote2To(d16, step(hn::InterleaveLower(d16, va, vb)),
                                            step(hn::InterleaveUpper(d16, va, vb)));
    const auto old = hn::LoadU(d16, out + i);
    hn::StoreU(kSign > 0 ? hn::Add(old, steps) : hn::Sub(old, steps), d16, out + i);
  }
}
#else
template <int kSign, int kFactor, int kBits, int kLanes>
void LiftPair(Coefficient* out, const Coefficient* a, const Coefficient* b, int n) {
  CTV_INDEPENDENT
  for (int i = 0; i < n; ++i) {
    const int step = (kFactor * (a[i] + b[i]) + (1 << (kBits - 1))) >> kBits;
    out[i] = static_cast<Coefficient>(out[i] + kSign * step);
  }
}
#endif

template <int kSign, int kLanes>
void LiftStep(int step, Coefficient* out, const Coefficient* a, const Coefficient* b, int n) {
  switch (step) {
    case 1:
      return LiftPair<kSign, kPredictFirst97, kPredictBits97, kLanes>(out, a, b, n);
    case 2:
      return LiftPair<kSign, kUpdateFirst97, kUpdateBits97, kLanes>(out, a, b, n);
    case 3:
      return LiftPair<kSign, kPredictSecond97, kPredictBits97, kLanes>(out, a, b, n);
    default:
      return LiftPair<kSign, kUpdateSecond97, kUpdateBits97, kLanes>(out, a, b, n);
  }
}

void Lift97(int step, bool inverse, Coefficient* out, const Coefficient* a, const Coefficient* b, int n) {
  n = round_up(n, kBlock);
  if (inverse) return LiftStep<-1, kBlock>(step, out, a, b, n);
  return LiftStep<1, kBlock>(step, out, a, b, n);
}

// Column c = 2 i + odd of the row is element i of its half. Neighbouring blocks of one slope are lifted
// together.
template <int kSign>
void LiftAlong(int step, SplitRow out, SplitRow above, SplitRow below, const int8_t* slopes, int half) {
  constexpr int kLanes = 8;  // columns of a block's half
  const auto from = [](SplitRow row, int column, int first) {
    return ((column & 1) != 0 ? row.odd : row.even) + (column >> 1) + first;
  };
  const int blocks = ceil_div(half, kLanes);
  for (int block = 0; block < blocks;) {
    const int8_t slope = slopes[block];
    const int first = block * kLanes;
    while (block < blocks && slopes[block] == slope) ++block;
    const int n = block * kLanes - first;
    for (const int odd : {0, 1}) {
      Coefficient* const to = (odd != 0 ? out.odd : out.even) + first;
      const Coefficient* const a = from(above, odd - slope, first);
      const Coefficient* const b = from(below, odd + slope, first);
      const int whole = n / kBlock * kBlock;
      LiftStep<kSign, kBlock>(step, to, a, b, whole);
      LiftStep<kSign, kLanes>(step, to + whole, a + whole, b + whole, n - whole);
    }
  }
}

void Lift97Along(int step, bool inverse, SplitRow out, SplitRow above, SplitRow below, const int8_t* slopes,
                 int half) {
  if (inverse) return LiftAlong<-1>(step, out, above, below, slopes, half);
  return LiftAlong<1>(step, out, above, below, slopes, half);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(Lift97);
HWY_EXPORT(Lift97Along);

void lift_9_7(int step, bool inverse, Coefficient* out, const Coefficient* a, const Coefficient* b, int n) {
  HWY_DYNAMIC_DISPATCH(Lift97)(step, inverse, out, a, b, n);
}

void lift_9_7_along(int step, bool inverse, SplitRow out, SplitRow above, SplitRow below,
                    const int8_t* slopes, int half) {
  HWY_DYNAMIC_DISPATCH(Lift97Along)(step, inverse, out, above, below, slopes, half);
}

}  // namespace ctv
#endif

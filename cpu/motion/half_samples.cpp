// SPDX-License-Identifier: BSD-3-Clause
#include "cpu/motion/half_samples.hpp"

#include "codec/control/motion_decisions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/half_samples.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/runtime/byte_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kBefore = kInterpolationBefore;
constexpr int kAfter = kInterpolationTaps - kBefore - 1;

#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
using Bytes = hn::CappedTag<uint8_t, 32>;
using ByteVector = hn::Vec<Bytes>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Bytes()));

// pairs(i): samples of taps 2 i and 2 i + 1, side by side. Returns sums, rounded to samples.
template <class Pairs>
HWY_INLINE auto HalfSums(Pairs pairs) {
  const Bytes d8;
  const hn::Repartition<int16_t, Bytes> d16;
  auto sum = hn::Zero(d16);
  for (int i = 0; i < kInterpolationTaps; i += 2) {
    const auto w = PairWeights(d8, interpolation_weight(4, i), interpolation_weight(4, i + 1));
    sum = hn::Add(sum, MultiplyPairs(pairs(i), w));
  }
  return hn::MulFixedPoint15(sum, hn::Set(d16, int16_t{1 << (15 - 6)}));  // (sum + 32) >> 6
}
HWY_INLINE void FillBelow(const uint8_t* from, ptrdiff_t stride, uint8_t* to) {
  const Bytes d8;
  const auto row = [&](int i) { return hn::LoadU(d8, from + (i - kBefore) * stride); };
  const auto lower = HalfSums([&](int i) { return hn::InterleaveLower(d8, row(i), row(i + 1)); });
  const auto upper = HalfSums([&](int i) { return hn::InterleaveUpper(d8, row(i), row(i + 1)); });
  hn::StoreU(Pack(lower, upper), d8, to);
}
HWY_INLINE void FillRight(const uint8_t* from, ptrdiff_t, uint8_t* to) {
  const Bytes d8;
  const auto even = HalfSums([&](int i) { return hn::LoadU(d8, from + i - kBefore); });
  const auto odd = HalfSums([&](int i) { return hn::LoadU(d8, from + i - kBefore + 1); });
  alignas(16) static constexpr uint8_t kAlternate[16] = {0, 8,  1, 9,  2, 10, 3, 11,
                                                         4, 12, 5, 13, 6, 14, 7, 15};
  hn::StoreU(hn::TableLookupBytes(Pack(even, odd), hn::LoadDup128(d8, kAlternate)), d8, to);
}
#else
constexpr int kLanes = 1;
inline void FillBelow(const uint8_t* from, ptrdiff_t stride, uint8_t* to) { *to = half_sample(from, stride); }
inline void FillRight(const uint8_t* from, ptrdiff_t, uint8_t* to) { *to = half_sample(from, 1); }
#endif

void FillHalfRow(const SearchPlanes& planes, const HalfPlanes& halves, int row, int begin, int end) {
  const ptrdiff_t stride = planes.reference_stride;
  const ptrdiff_t start = row * stride;
  const uint8_t* whole = planes.reference + start;
  const auto fill = [&](int from, int to, auto one) {
    // The last vector begins earlier, for what follows a row may be another thread's.
    for (int x = from; x < to; x += kLanes) one(min_of(x, to - kLanes));
  };
  fill(begin - kBefore, end + kAfter, [&](int x) { FillBelow(whole + x, stride, halves.below + start + x); });
  fill(begin, end, [&](int x) { FillRight(whole + x, stride, halves.right + start + x); });
  fill(begin, end, [&](int x) { FillRight(halves.below + start + x, stride, halves.diagonal + start + x); });
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FillHalfRow);

void fill_half_row(const SearchPlanes& planes, const HalfPlanes& halves, int row, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(FillHalfRow)(planes, halves, row, begin, end);
}

}  // namespace ctv
#endif  // HWY_ONCE

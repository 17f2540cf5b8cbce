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

#if CTV_VECTORS
using Bytes = hn::CappedTag<uint8_t, 64>;
using ByteVector = hn::Vec<Bytes>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Bytes()));

// pairs(i): interleaved samples of taps 2 i and 2 i + 1. Returns sums, rounded to samples.
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
// Interleaves samples with the half samples to the right of each.
HWY_INLINE void FillAcross(const uint8_t* from, uint8_t* to) {
  const Bytes d8;
  const auto even = HalfSums([&](int i) { return hn::LoadU(d8, from + i - kBefore); });
  const auto odd = HalfSums([&](int i) { return hn::LoadU(d8, from + i - kBefore + 1); });
  alignas(16) static constexpr uint8_t kAlternate[16] = {0, 8,  1, 9,  2, 10, 3, 11,
                                                         4, 12, 5, 13, 6, 14, 7, 15};
  const ByteVector right = hn::TableLookupBytes(Pack(even, odd), hn::LoadDup128(d8, kAlternate));
  hn::StoreInterleaved2(hn::LoadU(d8, from), right, d8, to);
}
#else
constexpr int kLanes = 1;
inline void FillBelow(const uint8_t* from, ptrdiff_t stride, uint8_t* to) { *to = half_sample(from, stride); }
inline void FillAcross(const uint8_t* from, uint8_t* to) {
  to[0] = *from;
  to[1] = half_sample(from, 1);
}
#endif

void FillHalfRows(const SearchPlanes& planes, const HalfSamples& halves, int row, int begin, int end) {
  constexpr int kPiece = 512;
  alignas(64) uint8_t below[round_up(kPiece + kInterpolationTaps, kLanes)];
  for (int from = begin; from < end; from += kPiece) {
    // The last vector starts earlier, since another thread may own the samples after the row.
    const int x = min_of(from, end - kLanes);
    const int count = min_of(kPiece, end - x);
    const uint8_t* const whole = planes.reference + row * planes.reference_stride + x;
    uint8_t* const to = halves.samples + 2 * (row * halves.stride + x);
    for (int i = 0; i < count + kBefore + kAfter; i += kLanes)
      FillBelow(whole + i - kBefore, planes.reference_stride, below + i);
    for (int i = 0; i < count; i += kLanes) {
      const int at = min_of(i, count - kLanes);
      // Prefetches the destination of the next row, which is not cached.
      for (int k = 0; k < 2 * kLanes; k += 64) {
        __builtin_prefetch(to + 2 * halves.stride + 2 * at + k);
        __builtin_prefetch(to + 3 * halves.stride + 2 * at + k);
      }
      FillAcross(whole + at, to + 2 * at);
      FillAcross(below + kBefore + at, to + halves.stride + 2 * at);
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(FillHalfRows);

void fill_half_rows(const SearchPlanes& planes, const HalfSamples& halves, int row, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(FillHalfRows)(planes, halves, row, begin, end);
}

}  // namespace ctv
#endif  // HWY_ONCE

// SPDX-License-Identifier: BSD-3-Clause
// Four vectors at once: their prices relative to four neighbours each, their equality, and the steps around a
// vector. Included once per instruction set.
#if defined(CTV_CPU_FIELD_PRICES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_FIELD_PRICES_INL_HPP
#undef CTV_CPU_FIELD_PRICES_INL_HPP
#else
#define CTV_CPU_FIELD_PRICES_INL_HPP
#endif

#include <cstring>

#include "codec/control/motion_decisions.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;

class FourVectors {
  static constexpr hn::FixedTag<int32_t, 4> kBoth{};
  static constexpr hn::FixedTag<int16_t, 8> kEach{};
  using Both = hn::Vec128<int32_t>;
  using Lanes [[gnu::vector_size(16)]] = int32_t;

 public:
  // Built in registers, since loads stall on data of narrower recent stores.
  HWY_INLINE FourVectors(MotionVector a, MotionVector b, MotionVector c, MotionVector d)
      : vectors_{reinterpret_cast<decltype(Both::raw)>(Lanes{bits(a), bits(b), bits(c), bits(d)})} {}
  HWY_INLINE explicit FourVectors(MotionVector all) : vectors_(hn::Set(kBoth, bits(all))) {}
  /// stepped_vector() in each of four directions.
  static HWY_INLINE FourVectors around(MotionVector v, int step, int range) {
    alignas(16) static constexpr int16_t kSides[8] = {0, -1, -1, 0, 0, 1, 1, 0};  // y, x
    const auto most = static_cast<int16_t>(range * kVectorUnit + kVectorUnit / 2);
    const auto steps = hn::Mul(hn::Load(kEach, kSides), hn::Set(kEach, static_cast<int16_t>(step)));
    const auto moved = hn::Add(hn::BitCast(kEach, hn::Set(kBoth, bits(v))), steps);
    const auto limited =
        hn::Min(hn::Max(moved, hn::Set(kEach, static_cast<int16_t>(-most))), hn::Set(kEach, most));
    return FourVectors(hn::BitCast(kBoth, limited));
  }
  HWY_INLINE void store(MotionVector* out) const {
    std::memcpy(static_cast<void*>(out), &vectors_.raw, sizeof(vectors_.raw));
  }
  /// Bit i: vector i equals that of `other`.
  HWY_INLINE uint32_t equal(const FourVectors& other) const {
    uint8_t bits[8];
    hn::StoreMaskBits(kBoth, hn::Eq(vectors_, other.vectors_), bits);
    return bits[0];
  }
  /// field_cost() of vector bits only, by field_bits() with the neighbours at the same index.
  HWY_INLINE void prices(const FourVectors (&neighbours)[4], uint32_t lambda, uint32_t border_bits,
                         uint32_t* out) const {
    auto nearest = hn::Set(kBoth, INT16_MAX);
    auto equal = hn::Set(kBoth, -4);
    for (const FourVectors& n : neighbours) {
      const auto apart = hn::Abs(hn::Sub(hn::BitCast(kEach, vectors_), hn::BitCast(kEach, n.vectors_)));
      const auto distance = MultiplyAdd(apart, hn::Set(kEach, int16_t{1}), hn::Zero(kBoth));
      nearest = hn::Min(nearest, distance);
      equal = hn::Sub(equal, hn::VecFromMask(kBoth, hn::Eq(distance, hn::Zero(kBoth))));
    }
    // The exponent of a float gives the bit length.
    const hn::RebindToFloat<decltype(kBoth)> floats;
    const auto exponent = hn::ShiftRight<23>(hn::BitCast(kBoth, hn::ConvertTo(floats, nearest)));
    const auto length = hn::Max(hn::Sub(exponent, hn::Set(kBoth, 126)), hn::Zero(kBoth));
    const auto borders = hn::Mul(equal, hn::Set(kBoth, -static_cast<int32_t>(border_bits)));
    const auto all =
        hn::Mul(hn::Add(borders, hn::Add(length, length)), hn::Set(kBoth, static_cast<int32_t>(lambda)));
    std::memcpy(out, &all.raw, sizeof(all.raw));
  }

 private:
  HWY_INLINE explicit FourVectors(Both vectors) : vectors_(vectors) {}
  static HWY_INLINE int32_t bits(MotionVector v) {
    int32_t both;
    std::memcpy(&both, &v, sizeof(both));
    return both;
  }
  Both vectors_;
};
#else
class FourVectors {
 public:
  FourVectors(MotionVector a, MotionVector b, MotionVector c, MotionVector d) : vectors_{a, b, c, d} {}
  explicit FourVectors(MotionVector all) : vectors_{all, all, all, all} {}
  static FourVectors around(MotionVector v, int step, int range) {
    return {stepped_vector(v, step, 0, range), stepped_vector(v, step, 1, range),
            stepped_vector(v, step, 2, range), stepped_vector(v, step, 3, range)};
  }
  void store(MotionVector* out) const { std::memcpy(out, vectors_, sizeof(vectors_)); }
  uint32_t equal(const FourVectors& other) const {
    uint32_t all = 0;
    for (int i = 0; i < 4; ++i) all |= same_vector(vectors_[i], other.vectors_[i]) ? 1U << i : 0;
    return all;
  }
  void prices(const FourVectors (&neighbours)[4], uint32_t lambda, uint32_t border_bits,
              uint32_t* out) const {
    for (int i = 0; i < 4; ++i) {
      const MotionVector beside[] = {neighbours[0].vectors_[i], neighbours[1].vectors_[i],
                                     neighbours[2].vectors_[i], neighbours[3].vectors_[i]};
      out[i] = field_cost(0, lambda, field_bits(beside, vectors_[i], border_bits));
    }
  }

 private:
  MotionVector vectors_[4];
};
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

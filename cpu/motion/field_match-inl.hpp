// SPDX-License-Identifier: BSD-3-Clause
// Compares a block with the reference at half samples, interpolated bilinearly. Included once per instruction
// set.
#if defined(CTV_CPU_FIELD_MATCH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_FIELD_MATCH_INL_HPP
#undef CTV_CPU_FIELD_MATCH_INL_HPP
#else
#define CTV_CPU_FIELD_MATCH_INL_HPP
#endif

#include "cpu/motion/field.hpp"
#include "cpu/motion/hadamard-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// The samples between which a candidate is interpolated, and their weights.
struct Corners {
  const uint8_t* at[4];
  int16_t weights[4];  // sixteenths
};

#if defined(CTV_HAVE_HIGHWAY) && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// Sum of magnitudes of the transforms of 8 rows; none is added beyond `limit`.
template <int kBlock, int kCorners>
HWY_INLINE uint32_t HadamardSum(const uint8_t* current, ptrdiff_t current_stride, const Corners& corners,
                                ptrdiff_t stride, uint32_t limit) {
  const hn::CappedTag<int16_t, kBlock == 8 ? 8 : 16> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Rebind<uint8_t, decltype(d16)> d8;
  using Vector = hn::Vec<decltype(d16)>;
  const auto samples = [&](const uint8_t* p) { return hn::PromoteTo(d16, hn::LoadU(d8, p)); };
  uint32_t total = 0;
  for (int y = 0; y < kBlock && total < limit; y += 8) {
    auto sum = hn::Zero(d32);
    auto unused = hn::Zero(d32);
    for (int x = 0; x < kBlock; x += static_cast<int>(hn::Lanes(d16))) {
      Vector a[8];
      for (int r = 0; r < 8; ++r) {
        const ptrdiff_t offset = (y + r) * stride + x;
        Vector moved;
        if constexpr (kCorners == 1) {
          moved = samples(corners.at[0] + offset);
        } else {
          moved = hn::Set(d16, int16_t{8});
          for (int i = 0; i < kCorners; ++i) {
            moved =
                hn::Add(moved, hn::Mul(samples(corners.at[i] + offset), hn::Set(d16, corners.weights[i])));
          }
          moved = hn::ShiftRight<4>(moved);
        }
        a[r] = hn::Sub(samples(current + (y + r) * current_stride + x), moved);
      }
      Butterflies<8>(a);
      Transpose(d16, a);
      Butterflies<4>(a);
      // |x + y| + |x - y| = 2 max(|x|, |y|), so the last butterflies need not be computed.
      Vector largest = hn::Zero(d16);
      for (int r = 0; r < 4; ++r) largest = hn::Add(largest, hn::Max(hn::Abs(a[r]), hn::Abs(a[r + 4])));
      sum = hn::ReorderWidenMulAccumulate(d32, largest, hn::Set(d16, int16_t{2}), sum, unused);
    }
    total += static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d32, hn::Add(sum, unused))));
  }
  return total;
}
#else
template <int kBlock, int kCorners>
uint32_t HadamardSum(const uint8_t* current, ptrdiff_t current_stride, const Corners& corners,
                     ptrdiff_t stride, uint32_t limit) {
  uint32_t total = 0;
  for (int y = 0; y < kBlock && total < limit; y += 8) {
    for (int x = 0; x < kBlock; x += 8) {
      int a[8][8];
      int half[8][8];
      for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
          const ptrdiff_t offset = (y + r) * stride + x + c;
          int moved = corners.at[0][offset];
          if constexpr (kCorners > 1) {
            moved = 8;
            for (int i = 0; i < kCorners; ++i) moved += corners.at[i][offset] * corners.weights[i];
            moved >>= 4;
          }
          a[r][c] = current[(y + r) * current_stride + x + c] - moved;
        }
      }
      HalfHadamard<8>(a, half);
      HalfHadamard<8>(half, a);
      for (const auto& row : a) {
        for (const int c : row) total += static_cast<uint32_t>(abs_of(c));
      }
    }
  }
  return total;
}
#endif

// A block that is matched.
template <int kBlock>
struct Block {
  const SearchPlanes& planes;
  const HalfPlanes& halves;
  ptrdiff_t y, x;

  // Sum of magnitudes, or a number of at least `limit`.
  uint32_t hadamard(MotionVector v, uint32_t limit) const {
    const HalfDisplacement dy = half_displacement(v.y);
    const HalfDisplacement dx = half_displacement(v.x);
    const ptrdiff_t stride = planes.reference_stride;
    const uint8_t* const whole[4] = {planes.reference, halves.right, halves.below, halves.diagonal};
    Corners corners{};
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      const int down = i >> 1;
      const int across = i & 1;
      const int weight =
          (down != 0 ? dy.quarter : 4 - dy.quarter) * (across != 0 ? dx.quarter : 4 - dx.quarter);
      if (weight == 0) continue;
      const int row = dy.half + down;
      const int col = dx.half + across;
      corners.at[count] = whole[(row & 1) * 2 + (col & 1)] + (y + (row >> 1)) * stride + x + (col >> 1);
      corners.weights[count++] = static_cast<int16_t>(weight);
    }
    const uint8_t* current = planes.current + y * planes.current_stride + x;
    if (count == 1) return HadamardSum<kBlock, 1>(current, planes.current_stride, corners, stride, limit);
    if (count == 2) return HadamardSum<kBlock, 2>(current, planes.current_stride, corners, stride, limit);
    return HadamardSum<kBlock, 4>(current, planes.current_stride, corners, stride, limit);
  }
};

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

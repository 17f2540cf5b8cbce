// SPDX-License-Identifier: BSD-3-Clause
// The squared errors of a piece before and after the loop filter, for the encoder's decision. Included once
// per instruction set.
#if defined(CTV_CPU_FILTER_GAIN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_FILTER_GAIN_INL_HPP
#undef CTV_CPU_FILTER_GAIN_INL_HPP
#else
#define CTV_CPU_FILTER_GAIN_INL_HPP
#endif

#include "codec/backend/backend.hpp"
#include "cpu/picture/filter_bytes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Gain of a piece or less, with its mask. Sums stay in vectors over all rows.
HWY_INLINE FilterGain GainOf(const UnfilteredPlane& plane, const FilterPiece& piece,
                             const int8_t* corrections, const int8_t* mask) {
  FilterGain gain;
  const int down = plane.filter.down;
#if CTV_VECTORS
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<int16_t, kFilterPiece> d16;
  const hn::Rebind<int8_t, decltype(d16)> d8;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  if (piece.cols == kFilterPiece) {
    auto before = hn::Zero(d32), after = hn::Zero(d32);
    auto more_before = hn::Zero(d32), more_after = hn::Zero(d32);  // used by some instruction sets
    for (int i = 0; i < kFilterPiece; i += static_cast<int>(hn::Lanes(d16))) {
      const auto kept = hn::LoadU(d8, mask + i);
      for (int r = 0; r < piece.rows; ++r) {
        const auto x = hn::LoadU(d16, plane.samples.row(piece.row + r) + piece.col + i);
        const auto y = hn::LoadU(d16, plane.source.row(piece.row + r) + piece.col + i);
        const auto correction = hn::And(hn::LoadU(d8, corrections + r * kFilterRun + i), kept);
        auto difference = hn::Sub(y, x);
        if (down > 0) difference = hn::Sub(hn::ShiftRightSame(y, down), hn::ShiftRightSame(x, down));
        const auto error = hn::And(difference, hn::PromoteTo(d16, kept));
        const auto left = hn::Sub(error, hn::PromoteTo(d16, correction));
        before = hn::ReorderWidenMulAccumulate(d32, error, error, before, more_before);
        after = hn::ReorderWidenMulAccumulate(d32, left, left, after, more_after);
      }
    }
    gain.before = hn::GetLane(hn::SumOfLanes(d32, hn::Add(before, more_before)));
    gain.after = hn::GetLane(hn::SumOfLanes(d32, hn::Add(after, more_after)));
    return gain;
  }
#endif
  for (int r = 0; r < piece.rows; ++r, corrections += kFilterRun) {
    const Sample* const x = plane.samples.row(piece.row + r) + piece.col;
    const Sample* const y = plane.source.row(piece.row + r) + piece.col;
    for (int i = 0; i < piece.cols; ++i)
      gain.add(static_cast<int16_t>((y[i] >> down) - (x[i] >> down)) & mask[i], corrections[i] & mask[i]);
  }
  return gain;
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

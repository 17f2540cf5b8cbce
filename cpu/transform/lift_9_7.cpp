// SPDX-License-Identifier: BSD-3-Clause
#include "cpu/transform/lift_9_7.hpp"

#include <algorithm>
#include <array>

#include "codec/dsp/lifting.hpp"
#include "codec/format/slope_grid.hpp"
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
void LiftPair(Coefficient* out, const Coefficient* a, const Coefficient* b, int n, BlockMask mask) {
  const hn::CappedTag<int16_t, kLanes> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const auto factor = hn::Set(d16, int16_t{kFactor});
  const auto half = hn::Set(d32, 1 << (kBits - 1));
  const auto step = [&](auto pairs) {
    auto unused = hn::Zero(d32);
    const auto sum = hn::ReorderWidenMulAccumulate(d32, pairs, factor, half, unused);
    return hn::ShiftRight<16>(hn::ShiftLeft<16 - kBits>(sum));
  };
  for (BlockRun run(mask, n); run.next();) {
    for (int i = run.first; i < run.end; i += static_cast<int>(hn::Lanes(d16))) {
      const auto va = hn::LoadU(d16, a + i);
      const auto vb = hn::LoadU(d16, b + i);
      // Interleaving and packing both work within 128 bits and cancel.
      const auto steps = hn::ReorderDemote2To(d16, step(hn::InterleaveLower(d16, va, vb)),
                                              step(hn::InterleaveUpper(d16, va, vb)));
      const auto old = hn::LoadU(d16, out + i);
      hn::StoreU(kSign > 0 ? hn::Add(old, steps) : hn::Sub(old, steps), d16, out + i);
    }
  }
}

// out[i] = half_sample(x[0][i], ..., x[5][i]).
template <int kLanes>
void Interpolate(Coefficient* out, const std::array<const Coefficient*, 6>& x, int n) {
  const hn::CappedTag<int16_t, kLanes> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const auto sum = [&](auto outer, auto middle, auto inner) {
    auto unused = hn::Zero(d32);
    auto s = hn::ReorderWidenMulAccumulate(d32, outer, hn::Set(d16, int16_t{1}), hn::Set(d32, 16), unused);
    s = hn::ReorderWidenMulAccumulate(d32, middle, hn::Set(d16, int16_t{-5}), s, unused);
    s = hn::ReorderWidenMulAccumulate(d32, inner, hn::Set(d16, int16_t{20}), s, unused);
    return hn::ShiftRight<16>(hn::ShiftLeft<11>(s));
  };
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d16))) {
    const auto v = [&](size_t k) { return hn::LoadU(d16, x[k] + i); };
    const auto lower = [&](size_t k) { return hn::InterleaveLower(d16, v(k), v(5 - k)); };
    const auto upper = [&](size_t k) { return hn::InterleaveUpper(d16, v(k), v(5 - k)); };
    const auto halves =
        hn::ReorderDemote2To(d16, sum(lower(0), lower(1), lower(2)), sum(upper(0), upper(1), upper(2)));
    hn::StoreU(halves, d16, out + i);
  }
}
#else
template <int kLanes>
void Interpolate(Coefficient* out, const std::array<const Coefficient*, 6>& x, int n) {
  CTV_INDEPENDENT
  for (int i = 0; i < n; ++i)
    out[i] = static_cast<Coefficient>(half_sample(x[0][i], x[1][i], x[2][i], x[3][i], x[4][i], x[5][i]));
}
template <int kSign, int kFactor, int kBits, int kLanes>
void LiftPair(Coefficient* out, const Coefficient* a, const Coefficient* b, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) {
    CTV_INDEPENDENT
    for (int i = run.first; i < run.end; ++i) {
      const int step = (kFactor * (a[i] + b[i]) + (1 << (kBits - 1))) >> kBits;
      out[i] = static_cast<Coefficient>(out[i] + kSign * step);
    }
  }
}
#endif

template <int kSign, int kLanes>
void LiftStep(int step, Coefficient* out, const Coefficient* a, const Coefficient* b, int n,
              BlockMask mask = kAllBlocks) {
  switch (step) {
    case 1:
      return LiftPair<kSign, kPredictFirst97, kPredictBits97, kLanes>(out, a, b, n, mask);
    case 2:
      return LiftPair<kSign, kUpdateFirst97, kUpdateBits97, kLanes>(out, a, b, n, mask);
    case 3:
      return LiftPair<kSign, kPredictSecond97, kPredictBits97, kLanes>(out, a, b, n, mask);
    default:
      return LiftPair<kSign, kUpdateSecond97, kUpdateBits97, kLanes>(out, a, b, n, mask);
  }
}

void Lift97(int step, bool inverse, Coefficient* out, const Coefficient* a, const Coefficient* b, int n,
            BlockMask mask) {
  n = round_up(n, kBlock);
  if (inverse) return LiftStep<-1, kBlock>(step, out, a, b, n, mask);
  return LiftStep<1, kBlock>(step, out, a, b, n, mask);
}

// The n columns 2 (first + i) + half_column / 2 of a row, for i = 0, 1, ...; in `room` if they lie between
// columns.
template <int kLanes>
const Coefficient* Columns(SplitRow row, int half_column, int first, int n, Coefficient* room) {
  const auto from = [&](int column) {
    return ((column & 1) != 0 ? row.odd : row.even) + (column >> 1) + first;
  };
  const int column = half_column >> 1;
  if (half_column % 2 == 0) return from(column);
  Interpolate<kLanes>(room,
                      {from(column - 2), from(column - 1), from(column), from(column + 1), from(column + 2),
                       from(column + 3)},
                      n);
  return room;
}

// Columns 2 (first + i) + odd, i = 0 .. n - 1, of one slope.
template <int kSign, int kLanes>
void LiftColumns(int step, SplitRow out, SplitRow above, SplitRow below, int slope, int first, int n) {
  HWY_ALIGN Coefficient room[2][kBlock];
  const int piece = half_columns(slope) % 2 != 0 ? kBlock : n;
  for (const int end = first + n; first < end; first += piece) {
    const int count = std::min(piece, end - first);
    for (const int odd : {0, 1}) {
      const Coefficient* const a =
          Columns<kLanes>(above, 2 * odd - half_columns(slope), first, count, room[0]);
      const Coefficient* const b =
          Columns<kLanes>(below, 2 * odd + half_columns(slope), first, count, room[1]);
      LiftStep<kSign, kLanes>(step, (odd != 0 ? out.odd : out.even) + first, a, b, count);
    }
  }
}

// Column c = 2 i + odd of the row is element i of its half. Neighbouring blocks of one slope are lifted
// together.
template <int kSign>
void LiftAlong(int step, SplitRow out, SplitRow above, SplitRow below, const int8_t* slopes, int half) {
  constexpr int kLanes = 8;  // columns of a block's half
  const int blocks = ceil_div(half, kLanes);
  for (int block = 0; block < blocks;) {
    const int8_t slope = slopes[block];
    const int first = block * kLanes;
    while (block < blocks && slopes[block] == slope) ++block;
    const int n = block * kLanes - first;
    const int whole = n / kBlock * kBlock;
    LiftColumns<kSign, kBlock>(step, out, above, below, slope, first, whole);
    LiftColumns<kSign, kLanes>(step, out, above, below, slope, first + whole, n - whole);
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

void lift_9_7(int step, bool inverse, Coefficient* out, const Coefficient* a, const Coefficient* b, int n,
              BlockMask mask) {
  HWY_DYNAMIC_DISPATCH(Lift97)(step, inverse, out, a, b, n, mask);
}

void lift_9_7_along(int step, bool inverse, SplitRow out, SplitRow above, SplitRow below,
                    const int8_t* slopes, int half) {
  HWY_DYNAMIC_DISPATCH(Lift97Along)(step, inverse, out, above, below, slopes, half);
}

}  // namespace ctv
#endif

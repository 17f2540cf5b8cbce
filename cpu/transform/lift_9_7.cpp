// SPDX-License-Identifier: BSD-3-Clause
#include "cpu/transform/lift_9_7.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "codec/dsp/lifting.hpp"
#include "codec/format/slope_grid.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/lift_9_7.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/runtime/byte_pairs-inl.hpp"
#include "cpu/runtime/lane_shift-inl.hpp"
#include "cpu/transform/zero_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kFactors[] = {0, kPredictFirst97, kUpdateFirst97, kPredictSecond97, kUpdateSecond97};
constexpr int Bits(int step) { return step % 2 != 0 ? kPredictBits97 : kUpdateBits97; }

// out = out + sign * step(a, b) for n elements, exact for all values.
template <int kSign, int kStep>
inline void LiftExactly(Coefficient* out, const Coefficient* a, const Coefficient* b, int n) {
  CTV_INDEPENDENT
  for (int i = 0; i < n; ++i) {
    const int step = (kFactors[kStep] * (a[i] + b[i]) + (1 << (Bits(kStep) - 1))) >> Bits(kStep);
    out[i] = static_cast<Coefficient>(out[i] + kSign * step);
  }
}

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;

// If a sum does not fit in 16 bits, `wide` becomes nonzero and the value is wrong.
template <class V>
struct Lifted {
  V value, wide;
};

// Multiplies with 15 fraction bits and rounds (pmulhrsw). A factor below -1 is increased by 1, and the sum is
// subtracted.
template <int kSign, int kStep, class V>
HWY_INLINE Lifted<V> LiftLanes(V old, V a, V b, V wide) {
  constexpr int kFraction = kFactors[kStep] * (1 << (15 - Bits(kStep)));
  constexpr bool kFits = kFraction >= -32768;
  const hn::DFromV<V> d;
  const V sum = hn::Add(a, b);
  V step = hn::MulFixedPoint15(sum, hn::Set(d, static_cast<int16_t>(kFits ? kFraction : kFraction + 32768)));
  if constexpr (!kFits) step = hn::Sub(step, sum);
  return {kSign > 0 ? hn::Add(old, step) : hn::Sub(old, step),
          hn::Or(wide, hn::Xor(sum, hn::SaturatedAdd(a, b)))};
}
template <class V>
HWY_INLINE bool AllFit(V wide) {
  const hn::DFromV<V> d;
  return hn::AllTrue(d, hn::Eq(wide, hn::Zero(d)));
}

// Elements [first, end), multiples of kLanes. a and b may be equal.
template <int kSign, int kStep, int kLanes>
HWY_INLINE void LiftRun(Coefficient* out, const Coefficient* a, const Coefficient* b, int first, int end) {
  const hn::CappedTag<int16_t, kLanes> d;
  constexpr int kStride = static_cast<int>(hn::MaxLanes(d));
  if constexpr (HWY_ARCH_ARM)  // where the test takes longer than products of 32 bits
    return LiftExactly<kSign, kStep>(out + first, a + first, b + first, end - first);
  for (int i = first; i < end; i += kStride) {
    const auto lifted =
        LiftLanes<kSign, kStep>(hn::LoadU(d, out + i), hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::Zero(d));
    if (AllFit(lifted.wide)) {
      hn::StoreU(lifted.value, d, out + i);
    } else {
      LiftExactly<kSign, kStep>(out + i, a + i, b + i, kStride);
    }
  }
}

// Four steps, each on the next row. Each row is loaded and stored once.
template <int kSign, int kFirst>
HWY_INLINE void LiftRowsRun(Coefficient* const* rows, int first, int end) {
  constexpr int kNext = kFirst == 1 ? 1 : -1;
  constexpr int kSteps[] = {kFirst, kFirst + kNext, kFirst + 2 * kNext, kFirst + 3 * kNext};
  const hn::CappedTag<int16_t, kBlock> d;
  constexpr int kStride = static_cast<int>(hn::MaxLanes(d));
  for (int i = first; i < end; i += kStride) {
    const auto row = [&](int r) { return hn::LoadU(d, rows[r] + i); };
    const auto r2 = row(2);
    const auto r3 = row(3);
    const auto r4 = row(4);
    const auto one = LiftLanes<kSign, kSteps[0]>(row(1), row(0), r2, hn::Zero(d));
    const auto two = LiftLanes<kSign, kSteps[1]>(r2, one.value, r3, one.wide);
    const auto three = LiftLanes<kSign, kSteps[2]>(r3, two.value, r4, two.wide);
    const auto four = LiftLanes<kSign, kSteps[3]>(r4, three.value, row(5), three.wide);
    if (AllFit(four.wide)) {
      hn::StoreU(one.value, d, rows[1] + i);
      hn::StoreU(two.value, d, rows[2] + i);
      hn::StoreU(three.value, d, rows[3] + i);
      hn::StoreU(four.value, d, rows[4] + i);
    } else {
      LiftExactly<kSign, kSteps[0]>(rows[1] + i, rows[0] + i, rows[2] + i, kStride);
      LiftExactly<kSign, kSteps[1]>(rows[2] + i, rows[1] + i, rows[3] + i, kStride);
      LiftExactly<kSign, kSteps[2]>(rows[3] + i, rows[2] + i, rows[4] + i, kStride);
      LiftExactly<kSign, kSteps[3]>(rows[4] + i, rows[3] + i, rows[5] + i, kStride);
    }
  }
}

// For magnitudes up to kSmall all sums along a row fit in 16 bits: the steps amplify by at most 13.4.
constexpr int kSmall = 2047;

// All steps on elements [first, end) of a row in one pass, without checks of the sums; separate passes would
// wait for each other's stores. Forward, steps start with the odd columns and run from left to right; the
// inverse is mirrored. A step finds its previous neighbour in the vector just lifted, and its next neighbour
// in the following one. At the ends of the row columns are mirrored.
template <int kSign, int kFirst>
HWY_INLINE void LiftSmallRun(Coefficient* even, Coefficient* odd, int half, int first, int end) {
  constexpr bool kForward = kFirst == 1;
  constexpr int kNext = kForward ? 1 : -1;
  const hn::CappedTag<int16_t, kBlock> d;
  constexpr int kStride = static_cast<int>(hn::MaxLanes(d));
  constexpr int kAhead = kNext * kStride;
  using V = hn::Vec<decltype(d)>;
  const auto ahead = [](V v, V next)
                         HWY_ATTR { return kForward ? LanesAfter(v, next) : LanesBefore(next, v); };
  const auto behind = [](V v, V last)
                          HWY_ATTR { return kForward ? LanesBefore(last, v) : LanesAfter(v, last); };
  const auto lift = [](auto step, V old, V a, V b) HWY_ATTR {
    return LiftLanes<kSign, kFirst + decltype(step)::value * kNext>(old, a, b, old).value;
  };
  const std::integral_constant<int, 0> first_step;
  const std::integral_constant<int, 1> second_step;
  const std::integral_constant<int, 2> third_step;
  const std::integral_constant<int, 3> fourth_step;
  const auto lane = [&](int at)
                        HWY_ATTR { return hn::Eq(hn::Iota(d, 0), hn::Set(d, static_cast<int16_t>(at))); };
  end = min_of(end, round_up(half, kStride));
  const auto left = lane(first == 0 ? 0 : -1);
  const auto right = lane(end >= half ? half - 1 - (end - kStride) : -1);
  const auto inside = hn::Lt(hn::Iota(d, 0), hn::Set(d, static_cast<int16_t>(half - (end - kStride))));
  const auto beginning = kForward ? left : right;
  const auto ending = kForward ? right : left;

  Coefficient* const a = kForward ? odd : even;
  Coefficient* const b = kForward ? even : odd;
  const int begin = kForward ? first : end - kStride;
  const int last = kForward ? end - kStride : first;
  V a3 = hn::LoadU(d, a + begin - kAhead);
  V a1 = a3;
  V b0 = hn::LoadU(d, b + begin);
  V b1 = b0;
  const auto start = [&](int i, V next) HWY_ATTR {
    V beside = ahead(b0, next);
    if (i == last) beside = hn::IfThenElse(ending, b0, beside);
    return lift(first_step, hn::LoadU(d, a + i), b0, beside);
  };
  const auto finish = [&](int i, V b_ahead) HWY_ATTR {
    V own = lift(third_step, a1, b1, b_ahead);
    V beside = behind(own, a3);
    if (i == begin) beside = hn::IfThenElse(beginning, own, beside);
    V of_b = lift(fourth_step, b1, own, beside);
    a3 = own;
    if (i + kStride > half) {
      own = hn::IfThenElseZero(inside, own);
      of_b = hn::IfThenElseZero(inside, of_b);
    }
    hn::StoreU(own, d, a + i);
    hn::StoreU(of_b, d, b + i);
  };
  for (int i = begin;; i += kAhead) {
    const V next = hn::LoadU(d, b + i + kAhead);
    const V own = start(i, next);
    V beside = behind(own, a1);
    if (i == begin) beside = hn::IfThenElse(beginning, own, beside);
    const V of_b = lift(second_step, b0, own, beside);
    if (i != begin) finish(i - kAhead, ahead(b1, of_b));
    a1 = own;
    b1 = of_b;
    b0 = next;
    if (i == last) break;
  }
  finish(last, hn::IfThenElse(ending, b1, ahead(b1, b0)));
}
// Lifts a short row of small values in one pass; otherwise returns false. In longer rows, stores are complete
// before the next step loads them, and separate steps need not shift lanes.
template <int kSign, int kFirst>
HWY_INLINE bool LiftedSmall(Coefficient* even, Coefficient* odd, int half, int first, int end) {
  constexpr int kLongest = 14 * static_cast<int>(hn::MaxLanes(hn::CappedTag<int16_t, kBlock>()));
  const int n = end - first;
  if (n > kLongest || AnyAbove<kBlock>(even + first, n, kSmall) || AnyAbove<kBlock>(odd + first, n, kSmall))
    return false;
  LiftSmallRun<kSign, kFirst>(even, odd, half, first, end);
  return true;
}

// out[i] = half_sample(x[0][i], ..., x[5][i]).
template <int kLanes>
void Interpolate(Coefficient* out, const std::array<const Coefficient*, 6>& x, int n) {
  const hn::CappedTag<int16_t, kLanes> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const auto rounded = [](auto sum) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<11>(sum)); };
  for (int i = 0; i < n; i += static_cast<int>(hn::Lanes(d16))) {
    const auto v = [&](size_t k) { return hn::LoadU(d16, x[k] + i); };
    auto sums = hn::Set(d32, 16), more = sums;
    const auto add = [&](size_t k, int32_t weight) HWY_ATTR {  // of samples at equal distances
      RowPair<decltype(d16)>(v(k), v(5 - k)).add((weight & 0xffff) | weight * 0x10000, sums, more);
    };
    add(0, 1);
    add(1, -5);
    add(2, 20);
    hn::StoreU(hn::ReorderDemote2To(d16, rounded(sums), rounded(more)), d16, out + i);
  }
}
#else
template <int kSign, int kStep, int kLanes>
void LiftRun(Coefficient* out, const Coefficient* a, const Coefficient* b, int first, int end) {
  LiftExactly<kSign, kStep>(out + first, a + first, b + first, end - first);
}
template <int kSign, int kFirst>
void LiftRowsRun(Coefficient* const* rows, int first, int end) {
  constexpr int kNext = kFirst == 1 ? 1 : -1;
  LiftRun<kSign, kFirst, kBlock>(rows[1], rows[0], rows[2], first, end);
  LiftRun<kSign, kFirst + kNext, kBlock>(rows[2], rows[1], rows[3], first, end);
  LiftRun<kSign, kFirst + 2 * kNext, kBlock>(rows[3], rows[2], rows[4], first, end);
  LiftRun<kSign, kFirst + 3 * kNext, kBlock>(rows[4], rows[3], rows[5], first, end);
}
template <int kSign, int kFirst>
bool LiftedSmall(Coefficient*, Coefficient*, int, int, int) {
  return false;
}
template <int kLanes>
void Interpolate(Coefficient* out, const std::array<const Coefficient*, 6>& x, int n) {
  CTV_INDEPENDENT
  for (int i = 0; i < n; ++i)
    out[i] = static_cast<Coefficient>(half_sample(x[0][i], x[1][i], x[2][i], x[3][i], x[4][i], x[5][i]));
}
#endif

template <int kSign, int kStep, int kLanes>
void LiftBlocks(Coefficient* out, const Coefficient* a, const Coefficient* b, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) LiftRun<kSign, kStep, kLanes>(out, a, b, run.first, run.end);
}

template <int kSign, int kLanes>
void LiftStep(int step, Coefficient* out, const Coefficient* a, const Coefficient* b, int n,
              BlockMask mask = kAllBlocks) {
  switch (step) {
    case 1:
      return LiftBlocks<kSign, 1, kLanes>(out, a, b, n, mask);
    case 2:
      return LiftBlocks<kSign, 2, kLanes>(out, a, b, n, mask);
    case 3:
      return LiftBlocks<kSign, 3, kLanes>(out, a, b, n, mask);
    default:
      return LiftBlocks<kSign, 4, kLanes>(out, a, b, n, mask);
  }
}

void Lift97(int step, bool inverse, Coefficient* out, const Coefficient* a, const Coefficient* b, int n,
            BlockMask mask) {
  n = round_up(n, kBlock);
  if (inverse) return LiftStep<-1, kBlock>(step, out, a, b, n, mask);
  return LiftStep<1, kBlock>(step, out, a, b, n, mask);
}

// Each half has one mirrored column: after the last even one, or before the first odd one.
template <int kSign, int kStep>
void LiftHalf(Coefficient* even, Coefficient* odd, int half, int first, int end) {
  if constexpr (kStep % 2 != 0) {
    even[half] = even[half - 1];
    LiftRun<kSign, kStep, kBlock>(odd, even, even + 1, first, end);
  } else {
    odd[-1] = odd[0];
    LiftRun<kSign, kStep, kBlock>(even, odd - 1, odd, first, end);
  }
}

// Runs of blocks do not touch, so each one goes through all steps. Columns beyond the row become 0: otherwise
// they would grow with each lifting, and large values take the slow path.
template <int kSign, int kFirst>
void LiftRow(Coefficient* even, Coefficient* odd, int half, BlockMask mask) {
  constexpr int kNext = kFirst == 1 ? 1 : -1;
  for (BlockRun run(mask, round_up(half, kBlock)); run.next();) {
    if (LiftedSmall<kSign, kFirst>(even, odd, half, run.first, run.end)) continue;
    LiftHalf<kSign, kFirst>(even, odd, half, run.first, run.end);
    LiftHalf<kSign, kFirst + kNext>(even, odd, half, run.first, run.end);
    LiftHalf<kSign, kFirst + 2 * kNext>(even, odd, half, run.first, run.end);
    LiftHalf<kSign, kFirst + 3 * kNext>(even, odd, half, run.first, run.end);
    for (int i = half; i < max_of(run.end, half + 1); ++i) even[i] = odd[i] = 0;
  }
}

void Lift97Row(bool inverse, Coefficient* even, Coefficient* odd, int half, BlockMask mask) {
  if (inverse) return LiftRow<-1, 4>(even, odd, half, mask);
  return LiftRow<1, 1>(even, odd, half, mask);
}

template <int kSign, int kFirst>
void LiftRows(Coefficient* const* rows, int half, int stride, BlockMask mask) {
  for (BlockRun run(mask, round_up(half, kBlock)); run.next();) {
    for (const int at : {0, stride}) LiftRowsRun<kSign, kFirst>(rows, at + run.first, at + run.end);
  }
}

void Lift97Rows(bool inverse, Coefficient* const* rows, int half, int stride, BlockMask mask) {
  if (inverse) return LiftRows<-1, 4>(rows, half, stride, mask);
  return LiftRows<1, 1>(rows, half, stride, mask);
}

// The n columns 2 (first + i) + half_column / 2 of a row, i = 0, 1, ... Positions between columns are
// interpolated into `room`.
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

// Columns 2 (first + i) + odd, i = 0 .. n - 1, with one slope.
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

// Column c = 2 i + odd of the row is element i of its half. Adjacent blocks with equal slopes are lifted
// together.
template <int kSign>
void LiftAlong(int step, SplitRow out, SplitRow above, SplitRow below, const int8_t* slopes, int half) {
  constexpr int kLanes = 8;  // columns of a block in one half
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
HWY_EXPORT(Lift97Row);
HWY_EXPORT(Lift97Rows);
HWY_EXPORT(Lift97Along);

void lift_9_7(int step, bool inverse, Coefficient* out, const Coefficient* a, const Coefficient* b, int n,
              BlockMask mask) {
  HWY_DYNAMIC_DISPATCH(Lift97)(step, inverse, out, a, b, n, mask);
}

void lift_9_7_row(bool inverse, Coefficient* even, Coefficient* odd, int half, BlockMask mask) {
  HWY_DYNAMIC_DISPATCH(Lift97Row)(inverse, even, odd, half, mask);
}

void lift_9_7_rows(bool inverse, const std::array<Coefficient*, 6>& rows, int half, int stride,
                   BlockMask mask) {
  HWY_DYNAMIC_DISPATCH(Lift97Rows)(inverse, rows.data(), half, stride, mask);
}

void lift_9_7_along(int step, bool inverse, SplitRow out, SplitRow above, SplitRow below,
                    const int8_t* slopes, int half) {
  HWY_DYNAMIC_DISPATCH(Lift97Along)(step, inverse, out, above, below, slopes, half);
}

}  // namespace ctv
#endif

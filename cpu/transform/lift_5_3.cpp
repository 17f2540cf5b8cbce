// SPDX-License-Identifier: BSD-3-Clause
// Both steps of the 5/3 in one pass, in 16 bits. Neighbours of a step are shifted in from the next vector,
// and the second step of a vector follows the first step of its neighbours.
#include "cpu/transform/lift_5_3.hpp"

#include "codec/dsp/lifting.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/lift_5_3.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/runtime/lane_shift-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;
using Lanes53 = hn::CappedTag<int16_t, kBlock>;
using V53 = hn::Vec<Lanes53>;
constexpr int kStride53 = static_cast<int>(hn::MaxLanes(Lanes53()));

HWY_INLINE V53 Load53(const Coefficient* at) { return hn::LoadU(Lanes53(), at); }
HWY_INLINE void Store53(V53 v, Coefficient* at) { hn::StoreU(v, Lanes53(), at); }

// predict_5_3() and update_5_3().
HWY_INLINE V53 Mean(V53 a, V53 b) { return hn::Add(hn::And(a, b), hn::ShiftRight<1>(hn::Xor(a, b))); }
HWY_INLINE V53 HalfMean(V53 a, V53 b) {
  const V53 mean = Mean(a, b);
  return hn::Sub(mean, hn::ShiftRight<1>(mean));
}
template <bool kInverse>
HWY_INLINE V53 FirstStep(V53 v, V53 a, V53 b) {
  return hn::Sub(v, kInverse ? HalfMean(a, b) : Mean(a, b));
}
template <bool kInverse>
HWY_INLINE V53 SecondStep(V53 v, V53 a, V53 b) {
  return hn::Add(v, kInverse ? Mean(a, b) : HalfMean(a, b));
}

void ForwardRow53(Coefficient* even, Coefficient* odd, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) {
    const int before = run.first - kStride53;
    V53 s = Load53(even + run.first);
    V53 t_before =
        FirstStep<false>(Load53(odd + before), Load53(even + before), LanesAfter(Load53(even + before), s));
    for (int i = run.first; i < run.end; i += kStride53) {
      const V53 s_after = Load53(even + i + kStride53);
      const V53 t = FirstStep<false>(Load53(odd + i), s, LanesAfter(s, s_after));
      Store53(t, odd + i);
      Store53(SecondStep<false>(s, LanesBefore(t_before, t), t), even + i);
      s = s_after;
      t_before = t;
    }
  }
}

void InverseRow53(Coefficient* even, Coefficient* odd, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) {
    V53 t = Load53(odd + run.first);
    V53 s = FirstStep<true>(Load53(even + run.first), LanesBefore(Load53(odd + run.first - kStride53), t), t);
    for (int i = run.first; i < run.end; i += kStride53) {
      const V53 t_after = Load53(odd + i + kStride53);
      const V53 s_after = FirstStep<true>(Load53(even + i + kStride53), LanesBefore(t, t_after), t_after);
      Store53(s, even + i);
      Store53(SecondStep<true>(t, s, LanesAfter(s, s_after)), odd + i);
      s = s_after;
      t = t_after;
    }
  }
}

template <bool kInverse>
void Rows53(Coefficient* const* rows, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) {
    for (int i = run.first; i < run.end; i += kStride53) {
      const V53 r1 = Load53(rows[1] + i);
      V53 r2 = Load53(rows[2] + i);
      if (rows[3] != nullptr) {
        r2 = FirstStep<kInverse>(r2, r1, Load53(rows[3] + i));
        Store53(r2, rows[2] + i);
      }
      // rows[0] may be the row just stored.
      if (rows[0] != nullptr) Store53(SecondStep<kInverse>(r1, Load53(rows[0] + i), r2), rows[1] + i);
    }
  }
}
#else
template <bool kInverse>
Coefficient FirstStep(int v, int a, int b) {
  return static_cast<Coefficient>(v - (kInverse ? update_5_3(a, b) : predict_5_3(a, b)));
}
template <bool kInverse>
Coefficient SecondStep(int v, int a, int b) {
  return static_cast<Coefficient>(v + (kInverse ? predict_5_3(a, b) : update_5_3(a, b)));
}

void ForwardRow53(Coefficient* even, Coefficient* odd, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) {
    for (int i = run.first - 1; i < run.end; ++i) odd[i] = FirstStep<false>(odd[i], even[i], even[i + 1]);
    for (int i = run.first; i < run.end; ++i) even[i] = SecondStep<false>(even[i], odd[i - 1], odd[i]);
  }
}

void InverseRow53(Coefficient* even, Coefficient* odd, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) {
    for (int i = run.first; i <= run.end; ++i) even[i] = FirstStep<true>(even[i], odd[i - 1], odd[i]);
    for (int i = run.first; i < run.end; ++i) odd[i] = SecondStep<true>(odd[i], even[i], even[i + 1]);
  }
}

template <bool kInverse>
void Rows53(Coefficient* const* rows, int n, BlockMask mask) {
  for (BlockRun run(mask, n); run.next();) {
    for (int i = run.first; i < run.end; ++i) {
      if (rows[3] != nullptr) rows[2][i] = FirstStep<kInverse>(rows[2][i], rows[1][i], rows[3][i]);
      if (rows[0] != nullptr) rows[1][i] = SecondStep<kInverse>(rows[1][i], rows[0][i], rows[2][i]);
    }
  }
}
#endif

void Lift53(bool inverse, Coefficient* even, Coefficient* odd, int n, BlockMask mask) {
  n = round_up(n, kBlock);
  inverse ? InverseRow53(even, odd, n, mask) : ForwardRow53(even, odd, n, mask);
}

void Lift53Rows(bool inverse, Coefficient* const* rows, int n, BlockMask mask) {
  n = round_up(n, kBlock);
  inverse ? Rows53<true>(rows, n, mask) : Rows53<false>(rows, n, mask);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(Lift53);
HWY_EXPORT(Lift53Rows);

void lift_5_3(bool inverse, Coefficient* even, Coefficient* odd, int n, BlockMask mask) {
  HWY_DYNAMIC_DISPATCH(Lift53)(inverse, even, odd, n, mask);
}
void lift_5_3_rows(bool inverse, const std::array<Coefficient*, 4>& rows, int n, BlockMask mask) {
  HWY_DYNAMIC_DISPATCH(Lift53Rows)(inverse, rows.data(), n, mask);
}

}  // namespace ctv
#endif

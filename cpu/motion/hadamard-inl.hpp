// SPDX-License-Identifier: BSD-3-Clause
// Hadamard transforms of 8x8 differences, as one tile of 8x8 or four of 4x4, and what their coefficients sum
// up to (codec/control/motion_decisions.hpp, codec/control/skip_decisions.hpp). Included once per instruction
// set.
#if defined(CTV_CPU_HADAMARD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_HADAMARD_INL_HPP
#undef CTV_CPU_HADAMARD_INL_HPP
#else
#define CTV_CPU_HADAMARD_INL_HPP
#endif

#include "codec/control/skip_decisions.hpp"
#include "cpu/runtime/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;
using Eight = hn::FixedTag<int16_t, 8>;
using EightVector = hn::Vec<Eight>;

// Butterflies over groups of kTile rows. V: the rows of one 8x8 block, or of several side by side.
template <int kTile, class V>
HWY_INLINE void Butterflies(V (&a)[8]) {
  for (int step = 1; step < kTile; step *= 2) {
    for (int r = 0; r < 8; ++r) {
      if ((r & step) != 0) continue;
      const V x = a[r];
      a[r] = hn::Add(x, a[r + step]);
      a[r + step] = hn::Sub(x, a[r + step]);
    }
  }
}

// Transposes each 8x8 block: interleaving works within 128 bits.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void Transpose(D d16, V (&a)[8]) {
  const hn::Repartition<int32_t, D> d32;
  const hn::Repartition<int64_t, D> d64;
  V b[8];
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = hn::InterleaveLower(d16, a[2 * i], a[2 * i + 1]);
    b[2 * i + 1] = hn::InterleaveUpper(d16, a[2 * i], a[2 * i + 1]);
  }
  const auto pairs = [&](V x, V y, V& lower, V& upper) {
    lower = hn::BitCast(d16, hn::InterleaveLower(d32, hn::BitCast(d32, x), hn::BitCast(d32, y)));
    upper = hn::BitCast(d16, hn::InterleaveUpper(d32, hn::BitCast(d32, x), hn::BitCast(d32, y)));
  };
  for (int half = 0; half < 2; ++half) {
    pairs(b[4 * half], b[4 * half + 2], a[4 * half], a[4 * half + 1]);
    pairs(b[4 * half + 1], b[4 * half + 3], a[4 * half + 2], a[4 * half + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    const auto x = hn::BitCast(d64, a[i]);
    const auto y = hn::BitCast(d64, a[i + 4]);
    b[2 * i] = hn::BitCast(d16, hn::InterleaveLower(d64, x, y));
    b[2 * i + 1] = hn::BitCast(d16, hn::InterleaveUpper(d64, x, y));
  }
  for (int i = 0; i < 8; ++i) a[i] = b[i];
}

// Magnitudes of the transform, transposed, in the scale of SkipPrices.
template <int kTile>
HWY_INLINE void Magnitudes(const int16_t* difference, ptrdiff_t stride, EightVector (&a)[8]) {
  const Eight d16;
  for (int r = 0; r < 8; ++r) a[r] = hn::LoadU(d16, difference + r * stride);
  Butterflies<kTile>(a);
  Transpose(d16, a);
  Butterflies<kTile>(a);
  for (EightVector& m : a) {
    m = hn::Abs(m);
    if constexpr (kTile == 4) m = hn::Add(m, m);
  }
}

// A threshold; magnitudes are less than 2^15.
HWY_INLINE EightVector Threshold(int threshold) {
  return hn::Set(Eight(), static_cast<int16_t>(min_of(threshold, 32767)));
}

// Whether a coefficient of 8x8 differences exceeds prices.dead.
template <int kTile>
HWY_INLINE bool AnyCoded(const int16_t* difference, ptrdiff_t stride, const SkipPrices& prices) {
  const Eight d16;
  EightVector a[8];
  Magnitudes<kTile>(difference, stride, a);
  EightVector most = a[0];
  for (int r = 1; r < 8; ++r) most = hn::Max(most, a[r]);
  return !hn::AllFalse(d16, hn::Gt(most, Threshold(prices.dead)));
}

// Calls code(row, column, sums) for the tiles of 8x8 differences.
template <int kTile, typename Code>
HWY_INLINE void ForTiles(const int16_t* difference, ptrdiff_t stride, const SkipPrices& prices, Code code) {
  const Eight d16;
  const hn::FixedTag<int32_t, 4> d32;
  EightVector a[8];
  Magnitudes<kTile>(difference, stride, a);
  const EightVector dead = Threshold(prices.dead);
  for (int part = 0; part < 8; part += kTile) {
    auto lost = hn::Zero(d32);
    auto unused = hn::Zero(d32);
    EightVector coded = hn::Zero(d16);
    EightVector octaves = hn::Zero(d16);
    EightVector most = hn::Zero(d16);
    for (int r = part; r < part + kTile; ++r) {
      const auto above = hn::Gt(a[r], dead);
      const EightVector kept = hn::IfThenZeroElse(above, a[r]);
      lost = hn::ReorderWidenMulAccumulate(d32, kept, kept, lost, unused);
      coded = hn::Sub(coded, hn::VecFromMask(d16, above));
      most = hn::Max(most, a[r]);
    }
    for (int k = 0; k < kSkipOctaves; ++k) {
      const EightVector octave = Threshold(prices.first << k);
      if (hn::AllFalse(d16, hn::Gt(most, octave))) break;
      for (int r = part; r < part + kTile; ++r)
        octaves = hn::Sub(octaves, hn::VecFromMask(d16, hn::Gt(a[r], octave)));
    }
    // Both numbers in a lane; each lane of the products has two columns. The transform is transposed.
    const EightVector counts = hn::Add(coded, hn::ShiftLeft<8>(octaves));
    const auto both =
        hn::ReorderWidenMulAccumulate(d32, counts, hn::Set(d16, int16_t{1}), hn::Zero(d32), unused);
    alignas(16) uint32_t losts[4];
    alignas(16) uint32_t pairs[4];
    const hn::FixedTag<uint32_t, 4> du32;
    hn::Store(hn::BitCast(du32, lost), du32, losts);
    hn::Store(hn::BitCast(du32, both), du32, pairs);
    if constexpr (kTile == 8) {
      const uint32_t count = pairs[0] + pairs[1] + pairs[2] + pairs[3];
      code(0, 0, SkipSums{uint64_t{losts[0]} + losts[1] + losts[2] + losts[3], count & 255, count >> 8});
    } else {
      for (int first = 0; first < 2; ++first) {
        const uint32_t count = pairs[2 * first] + pairs[2 * first + 1];
        code(4 * first, part,
             SkipSums{uint64_t{losts[2 * first]} + losts[2 * first + 1], count & 255, count >> 8});
      }
    }
  }
}
#else
// Sums of each column of the transposed transform, over the rows of a tile.
struct ColumnSums {
  uint32_t lost[8];
  int16_t coded[8], octaves[8];
};

// Butterflies over groups of kTile rows, then the transpose. Not in place: g++ 13.3.0-6 of Ubuntu 24.04
// vectorises that wrongly at -O3.
template <int kTile>
void HalfHadamard(int (&a)[8][8], int (&out)[8][8]) {
  for (int step = 1; step < kTile; step *= 2) {
    for (int first = 0; first < 8; first += 2 * step) {
      for (int r = first; r < first + step; ++r) {
        for (int c = 0; c < 8; ++c) {
          const int x = a[r][c];
          const int y = a[r + step][c];
          a[r][c] = x + y;
          a[r + step][c] = x - y;
        }
      }
    }
  }
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) out[c][r] = a[r][c];
  }
}

template <int kTile>
void SumTiles(const int16_t* difference, ptrdiff_t stride, const SkipPrices& prices,
              ColumnSums (&sums)[8 / kTile]) {
  int a[8][8];
  int half[8][8];
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) a[r][c] = difference[r * stride + c];
  }
  HalfHadamard<kTile>(a, half);
  HalfHadamard<kTile>(half, a);
  for (int part = 0; part < 8 / kTile; ++part) {
    for (int i = 0; i < 8; ++i) {
      sums[part].lost[i] = 0;
      sums[part].coded[i] = sums[part].octaves[i] = 0;
      for (int k = part * kTile; k < (part + 1) * kTile; ++k) {
        const int m = abs_of(a[i][k]) * (8 / kTile);
        sums[part].lost[i] += m > prices.dead ? 0U : static_cast<uint32_t>(m * m);
        sums[part].coded[i] = static_cast<int16_t>(sums[part].coded[i] + (m > prices.dead ? 1 : 0));
        for (int o = 0; o < kSkipOctaves; ++o) {
          sums[part].octaves[i] =
              static_cast<int16_t>(sums[part].octaves[i] + (m > prices.first << o ? 1 : 0));
        }
      }
    }
  }
}
// Calls code(row, column, sums) for the tiles of 8x8 differences.
template <int kTile, typename Code>
inline void ForTiles(const int16_t* difference, ptrdiff_t stride, const SkipPrices& prices, Code code) {
  ColumnSums columns[8 / kTile] = {};
  SumTiles<kTile>(difference, stride, prices, columns);
  for (int part = 0; part < 8 / kTile; ++part) {
    for (int first = 0; first < 8; first += kTile) {
      SkipSums sums;
      for (int c = first; c < first + kTile; ++c) {
        sums.lost += columns[part].lost[c];
        sums.coded += static_cast<uint32_t>(columns[part].coded[c]);
        sums.octaves += static_cast<uint32_t>(columns[part].octaves[c]);
      }
      code(first, part * kTile, sums);  // the transform is transposed
    }
  }
}

template <int kTile>
bool AnyCoded(const int16_t* difference, ptrdiff_t stride, const SkipPrices& prices) {
  uint32_t coded = 0;
  ForTiles<kTile>(difference, stride, prices, [&](int, int, const SkipSums& sums) { coded += sums.coded; });
  return coded != 0;
}
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

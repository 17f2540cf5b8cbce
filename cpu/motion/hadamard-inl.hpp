// SPDX-License-Identifier: BSD-3-Clause
// Hadamard transforms of 8x8 differences, as one 8x8 tile or four 4x4 tiles, and sums of their coefficients
// (codec/control/motion_decisions.hpp, codec/control/skip_decisions.hpp). Included once per instruction set.
#if defined(CTV_CPU_HADAMARD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_HADAMARD_INL_HPP
#undef CTV_CPU_HADAMARD_INL_HPP
#else
#define CTV_CPU_HADAMARD_INL_HPP
#endif

#include "codec/control/skip_decisions.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;
using Eight = hn::FixedTag<int16_t, 8>;

// Butterflies over groups of kTile rows. V: rows of one 8x8 block, or of adjacent blocks.
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

// Transposes each 8x8 block: interleaving acts within 128 bits.
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

// A SIMD vector with a row of adjacent 8x8 blocks.
template <int kWidth>
using BlockLanes = hn::CappedTag<int16_t, kWidth>;

template <class D>
HWY_INLINE hn::Vec<D> Threshold(D d16, int threshold) {  // magnitudes are below 2^15
  return hn::Set(d16, static_cast<int16_t>(min_of(threshold, 32767)));
}

// The transform, transposed, without the last kLeft butterflies.
template <int kTile, int kLeft, class D>
HWY_INLINE void Transform(D d16, const int16_t* difference, ptrdiff_t stride, hn::Vec<D> (&a)[8]) {
  for (int r = 0; r < 8; ++r) a[r] = hn::LoadU(d16, difference + r * stride);
  Butterflies<kTile>(a);
  Transpose(d16, a);
  Butterflies<(kTile >> kLeft)>(a);
}

// Whether a coefficient of differences [8][kWidth] exceeds prices.dead. The larger magnitude of a sum and a
// difference is the sum of magnitudes.
template <int kTile, int kWidth>
HWY_INLINE bool AnyCoded(const int16_t* difference, const SkipPrices& prices) {
  const BlockLanes<kWidth> d16;
  for (int x = 0; x < kWidth; x += static_cast<int>(hn::Lanes(d16))) {
    hn::Vec<decltype(d16)> a[8];
    Transform<kTile, 1>(d16, difference + x, kWidth, a);
    auto most = hn::Zero(d16);
    for (int r = 0; r < 8; ++r) {
      if ((r & kTile / 2) == 0) most = hn::Max(most, hn::Add(hn::Abs(a[r]), hn::Abs(a[r + kTile / 2])));
    }
    if constexpr (kTile == 4) most = hn::Add(most, most);
    if (!hn::AllFalse(d16, hn::Gt(most, Threshold(d16, prices.dead)))) return true;
  }
  return false;
}

// Calls code(row, column, sums) for each tile of differences [8][kWidth].
template <int kTile, int kWidth, typename Code>
HWY_INLINE void ForTiles(const int16_t* difference, const SkipPrices& prices, Code code) {
  const BlockLanes<kWidth> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Repartition<uint32_t, decltype(d16)> du32;
  using V = hn::Vec<decltype(d16)>;
  const V dead = Threshold(d16, prices.dead);
  for (int x = 0; x < kWidth; x += static_cast<int>(hn::Lanes(d16))) {
    V a[8];
    Transform<kTile, 0>(d16, difference + x, kWidth, a);
    for (V& m : a) {
      m = hn::Abs(m);
      if constexpr (kTile == 4) m = hn::Add(m, m);
    }
    for (int part = 0; part < 8; part += kTile) {
      auto lost = hn::Zero(d32);
      V coded = hn::Zero(d16);
      V octaves = hn::Zero(d16);
      V most = hn::Zero(d16);
      for (int r = part; r < part + kTile; ++r) {
        const auto above = hn::Gt(a[r], dead);
        const V kept = hn::IfThenZeroElse(above, a[r]);
        lost = MultiplyAdd(kept, kept, lost);
        coded = hn::Sub(coded, hn::VecFromMask(d16, above));
        most = hn::Max(most, a[r]);
      }
      for (int k = 0; k < kSkipOctaves; ++k) {
        const V octave = Threshold(d16, prices.first << k);
        if (hn::AllFalse(d16, hn::Gt(most, octave))) break;
        for (int r = part; r < part + kTile; ++r)
          octaves = hn::Sub(octaves, hn::VecFromMask(d16, hn::Gt(a[r], octave)));
      }
      // Packs both counts in a lane; each lane of the products has two columns. The transform is transposed.
      const V counts = hn::Add(coded, hn::ShiftLeft<8>(octaves));
      const auto both = MultiplyAdd(counts, hn::Set(d16, int16_t{1}), hn::Zero(d32));
      alignas(64) uint32_t losts[kWidth / 2];
      alignas(64) uint32_t pairs[kWidth / 2];
      hn::Store(hn::BitCast(du32, lost), du32, losts);
      hn::Store(hn::BitCast(du32, both), du32, pairs);
      for (int i = 0; i < static_cast<int>(hn::Lanes(d32)); i += kTile / 2) {
        uint64_t sum = 0;
        uint32_t count = 0;
        for (int k = i; k < i + kTile / 2; ++k) {
          sum += losts[k];
          count += pairs[k];
        }
        // Columns of a block are rows of its transform.
        code(2 * i % 8, x + 2 * i / 8 * 8 + part, SkipSums{sum, count & 255, count >> 8});
      }
    }
  }
}
#else
// Butterflies over groups of kTile rows, then transposition. Not in place, since g++ 13.3.0-6 of Ubuntu 24.04
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

// Calls code(row, column, sums) for each tile of differences [8][kWidth].
template <int kTile, int kWidth, typename Code>
inline void ForTiles(const int16_t* difference, const SkipPrices& prices, Code code) {
  for (int x = 0; x < kWidth; x += 8) {
    int a[8][8];
    int half[8][8];
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < 8; ++c) a[r][c] = difference[r * kWidth + x + c];
    }
    HalfHadamard<kTile>(a, half);
    HalfHadamard<kTile>(half, a);
    for (int part = 0; part < 8; part += kTile) {
      for (int first = 0; first < 8; first += kTile) {
        SkipSums sums;
        for (int i = first; i < first + kTile; ++i) {
          for (int k = part; k < part + kTile; ++k) {
            const int m = abs_of(a[i][k]) * (8 / kTile);
            sums.lost += m > prices.dead ? 0U : static_cast<uint32_t>(m * m);
            sums.coded += m > prices.dead ? 1 : 0;
            for (int o = 0; o < kSkipOctaves; ++o) sums.octaves += m > prices.first << o ? 1 : 0;
          }
        }
        code(first, x + part, sums);  // the transform is transposed
      }
    }
  }
}

template <int kTile, int kWidth>
bool AnyCoded(const int16_t* difference, const SkipPrices& prices) {
  uint32_t coded = 0;
  ForTiles<kTile, kWidth>(difference, prices, [&](int, int, const SkipSums& sums) { coded += sums.coded; });
  return coded != 0;
}
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// SPDX-License-Identifier: BSD-3-Clause
// Lines of the DCT (codec/dsp/dct.hpp) on 16x16 tiles: 16 columns at once, and transposition. Included once
// per instruction set.
#if defined(CTV_CPU_DCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_DCT_INL_HPP
#undef CTV_CPU_DCT_INL_HPP
#else
#define CTV_CPU_DCT_INL_HPP
#endif

#include <array>
#include <utility>

#include "codec/dsp/dct.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

#ifndef CTV_CPU_DCT_ONCE
#define CTV_CPU_DCT_ONCE
namespace ctv {

inline constexpr int kTile = 16;  // samples per side

/// The matrix or its transpose, with two adjacent weights of a row per 32 bits.
template <int kSize, bool kInverse>
struct DctPairs {
  int32_t weights[kSize][kSize / 2]{};
  constexpr DctPairs() {
    const auto& m = DctMatrix<kSize>::kRows;
    for (int k = 0; k < kSize; ++k) {
      for (int n = 0; n < kSize; n += 2) {
        const int first = kInverse ? m[n][k] : m[k][n];
        const int second = kInverse ? m[n + 1][k] : m[k][n + 1];
        weights[k][n / 2] = static_cast<int32_t>(static_cast<uint32_t>(first & 0xffff) |
                                                 static_cast<uint32_t>(second & 0xffff) << 16);
      }
    }
  }
};
template <int kSize, bool kInverse>
inline constexpr DctPairs<kSize, kInverse> kDctPairs;

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Transforms kSize rows of 16 columns. Sums are rounded by `bits`.
#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;

template <int kSize, bool kInverse>
HWY_INLINE void DctColumns(const int16_t* in, int bits, int16_t* out) {
  const hn::CappedTag<int16_t, kTile> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const auto half = hn::Set(d32, 1 << (bits - 1));
  for (int x = 0; x < kTile; x += static_cast<int>(hn::Lanes(d16))) {
    RowPair<decltype(d16)> pairs[kSize / 2];
    for (int n = 0; n < kSize / 2; ++n)
      pairs[n] = {hn::Load(d16, in + 2 * n * kTile + x), hn::Load(d16, in + (2 * n + 1) * kTile + x)};
    for (int k = 0; k < kSize; ++k) {
      auto sums = half;
      auto more = half;
      for (int n = 0; n < kSize / 2; ++n) pairs[n].add(kDctPairs<kSize, kInverse>.weights[k][n], sums, more);
      hn::Store(hn::ReorderDemote2To(d16, hn::ShiftRightSame(sums, bits), hn::ShiftRightSame(more, bits)),
                d16, out + k * kTile + x);
    }
  }
}

// out = in transposed, 8x8.
HWY_INLINE void Transpose8(const int16_t* in, int16_t* out) {
  const hn::Full128<int16_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto shuffle = [&](V(&r)[8]) HWY_ATTR {
    V t[8];
    for (int i = 0; i < 4; ++i) {
      t[2 * i] = hn::InterleaveLower(d, r[i], r[i + 4]);
      t[2 * i + 1] = hn::InterleaveUpper(d, r[i], r[i + 4]);
    }
    for (int i = 0; i < 8; ++i) r[i] = t[i];
  };
  V r[8];
  for (int i = 0; i < 8; ++i) r[i] = hn::Load(d, in + i * kTile);
  shuffle(r);
  shuffle(r);
  shuffle(r);
  for (int i = 0; i < 8; ++i) hn::Store(r[i], d, out + i * kTile);
}
#else
template <int kSize, bool kInverse>
inline void DctColumns(const int16_t* __restrict in, int bits, int16_t* __restrict out) {
  for (int k = 0; k < kSize; ++k) {
    int32_t sums[kTile];
    for (int32_t& sum : sums) sum = 0;
    for (int n = 0; n < kSize; ++n) {
      const int weight = kInverse ? DctMatrix<kSize>::kRows[n][k] : DctMatrix<kSize>::kRows[k][n];
      CTV_KEEP_LOOP
      for (int x = 0; x < kTile; ++x) sums[x] += weight * in[n * kTile + x];
    }
    for (int x = 0; x < kTile; ++x) out[k * kTile + x] = static_cast<int16_t>(round_dct(sums[x], bits));
  }
}

inline void Transpose8(const int16_t* in, int16_t* out) {
  int16_t copy[8][8];
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) copy[c][r] = in[r * kTile + c];
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) out[r * kTile + c] = copy[r][c];
}
#endif

struct alignas(64) Tile {
  int16_t at[kTile][kTile];
};

// Transposes blocks of kSize. 4x4 blocks also swap places within their 8x8 block: block (r, c) moves to (c,
// r).
template <int kSize>
HWY_INLINE void TransposeBlocks(const Tile& in, Tile& out) {
  for (int r = 0; r < kTile; r += 8) {
    for (int c = 0; c < kTile; c += 8) Transpose8(&in.at[r][c], kSize == 16 ? &out.at[c][r] : &out.at[r][c]);
  }
}

// For samples of more than 8 bits. Not inlined, so that 8 bits keep their code.
template <int kSize, bool kInverse>
[[gnu::noinline]] void DeepDctColumns(const int16_t* in, int bits, int16_t* out) {
  DctColumns<kSize, kInverse>(in, bits, out);
}

// Transforms all blocks of the first kRows rows: [vertical][horizontal] to coefficients [horizontal
// frequency][vertical frequency]. 4x4 blocks are placed as by TransposeBlocks. shift: bits of samples
// beyond 8.
template <int kSize, int kRows = kTile>
HWY_INLINE void ForwardDct(const Tile& samples, int shift, Tile& coefficients) {
  Tile t;
  Tile transposed;
  for (int r = 0; r < kRows; r += kSize) {
    if (shift == 0) {
      DctColumns<kSize, false>(samples.at[r], dct_forward_first_shift(0), t.at[r]);
    } else {
      DeepDctColumns<kSize, false>(samples.at[r], dct_forward_first_shift(shift), t.at[r]);
    }
  }
  if constexpr (kRows == kTile) {
    TransposeBlocks<kSize>(t, transposed);
  } else {
    for (int c = 0; c < kTile; c += 8) Transpose8(&t.at[0][c], &transposed.at[0][c]);
  }
  for (int r = 0; r < kRows; r += kSize)
    DctColumns<kSize, false>(transposed.at[r], kDctForwardSecondShift, coefficients.at[r]);
}
template <int kSize, int kRows = kTile>
HWY_INLINE void InverseDct(const Tile& coefficients, int shift, Tile& samples) {
  Tile t;
  Tile transposed;
  for (int r = 0; r < kRows; r += kSize)
    DctColumns<kSize, true>(coefficients.at[r], kDctInverseFirstShift, t.at[r]);
  if constexpr (kRows == kTile) {
    TransposeBlocks<kSize>(t, transposed);
  } else {
    for (int c = 0; c < kTile; c += 8) Transpose8(&t.at[0][c], &transposed.at[0][c]);
  }
  for (int r = 0; r < kRows; r += kSize) {
    if (shift == 0) {
      DctColumns<kSize, true>(transposed.at[r], dct_inverse_second_shift(0), samples.at[r]);
    } else {
      DeepDctColumns<kSize, true>(transposed.at[r], dct_inverse_second_shift(shift), samples.at[r]);
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

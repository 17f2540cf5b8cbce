// SPDX-License-Identifier: BSD-3-Clause
// The corrections of the loop filter of samples that fit in bytes, as almost all do: twice as many of them in
// a vector, and products of pairs. Sums of differences need 16 bits; they are those of even columns and those
// of odd columns. Included once per instruction set.
#if defined(CTV_CPU_FILTER_BYTES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_FILTER_BYTES_INL_HPP
#undef CTV_CPU_FILTER_BYTES_INL_HPP
#else
#define CTV_CPU_FILTER_BYTES_INL_HPP
#endif

#include "codec/dsp/filter_weights.hpp"
#include "cpu/runtime/byte_pairs-inl.hpp"

#ifndef CTV_CPU_FILTER_BYTES_ONCE
#define CTV_CPU_FILTER_BYTES_ONCE
namespace ctv {

constexpr int kFilterPiece = 32;                 // columns at a time
constexpr int kMostFilterRows = 1 << kLog2Cell;  // of a piece

// Tables of weights, and minus their sums.
struct FilterBytes {
  alignas(16) int8_t of[kFilterTables][kFilterPairs + 1][kFilterClasses]{};
  bool fit = true;
  constexpr FilterBytes() {
    for (int t = 0; t < kFilterTables; ++t) {
      for (int c = 0; c < kFilterClasses; ++c) {
        int sum = 0;
        for (int k = 0; k < kFilterPairs; ++k) {
          of[t][k][c] = kFilterWeights[t][k][c];
          sum += kFilterWeights[t][k][c];
        }
        of[t][kFilterPairs][c] = static_cast<int8_t>(-sum);
        fit = fit && sum >= -127 && sum <= 127;
      }
    }
  }
};
inline constexpr FilterBytes kFilterBytes;
static_assert(kFilterBytes.fit);

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

#if defined(CTV_SIMD_PAIRS) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

using FilterTag = hn::CappedTag<uint8_t, kFilterPiece>;
using FilterTag16 = hn::Repartition<int16_t, FilterTag>;
using FilterVector = hn::Vec<FilterTag>;
using FilterVector16 = hn::Vec<FilterTag16>;

// A piece's samples and those around them, and its differences; those of column x are at kBefore + x.
struct BytePiece {
  static constexpr int kPitch = 64;
  static constexpr int kBefore = 16;
  alignas(64) uint8_t samples[kMostFilterRows + 2 * kFilterReach][kPitch];
  alignas(64) uint8_t differences[kMostFilterRows + 2][4][kPitch];  // one row more to each side
};

// False if they are not bytes. The last columns overlap those before them.
HWY_INLINE bool LoadBytes(const Sample* at, ptrdiff_t stride, int rows, BytePiece& to) {
  const hn::CappedTag<int16_t, 16> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  auto any = hn::Zero(d);
  for (int r = 0; r < rows + 2 * kFilterReach; ++r) {
    const Sample* const from = at + (r - kFilterReach) * stride;
    uint8_t* const out = to.samples[r] + BytePiece::kBefore;
    for (int x = -kFilterReach; x < kFilterPiece + kFilterReach; x += kLanes) {
      const int begin = min_of(x, kFilterPiece + kFilterReach - kLanes);
      const auto samples = hn::LoadU(d, from + begin);
      any = hn::Or(any, samples);
      hn::StoreU(hn::DemoteTo(bytes, samples), bytes, out + begin);
    }
  }
  return hn::AllTrue(d, hn::Eq(hn::And(any, hn::Set(d, static_cast<int16_t>(0xff00))), hn::Zero(d)));
}

// Of row r of the piece, and one column more to each side.
HWY_INLINE void FindByteDifferences(BytePiece& piece, int r) {
  const FilterTag d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const uint8_t* const at = piece.samples[r + kFilterReach] + BytePiece::kBefore;
  for (int x = -1; x < kFilterPiece + 1; x += kLanes) {
    const int begin = min_of(x, kFilterPiece + 1 - kLanes);
    const auto sample = [&](int dy, int dx)
                            HWY_ATTR { return hn::LoadU(d, at + dy * BytePiece::kPitch + begin + dx); };
    const auto store = [&](int i, FilterVector a, FilterVector b) HWY_ATTR {
      hn::StoreU(hn::Sub(hn::Max(a, b), hn::Min(a, b)), d,
                 piece.differences[r + 1][i] + BytePiece::kBefore + begin);
    };
    store(0, sample(0, -1), sample(0, 1));
    store(1, sample(-1, 0), sample(1, 0));
    store(2, sample(-1, -1), sample(1, 1));
    store(3, sample(-1, 1), sample(1, -1));
  }
}

struct EvenOdd {
  FilterVector16 of[2];
};

// Of three differences in a row.
HWY_INLINE EvenOdd SumsOfThree(const uint8_t* at) {
  const FilterTag d;
  const FilterTag16 d16;
  const auto before = hn::BitCast(d16, hn::LoadU(d, at - 1));
  const auto after = hn::BitCast(hn::RebindToUnsigned<FilterTag16>(), hn::LoadU(d, at + 1));
  const auto pairs = MultiplyPairs(hn::LoadU(d, at), PairWeights(d, 1, 1));
  return {hn::Add(pairs, hn::And(before, hn::Set(d16, int16_t{0xff}))),
          hn::Add(pairs, hn::BitCast(d16, hn::ShiftRight<8>(after)))};
}

// filter_class() of the sums of differences across a sample.
HWY_INLINE FilterVector16 ClassOf(const LoopFilter& f, FilterVector16 across, FilterVector16 down,
                                  FilterVector16 falling, FilterVector16 rising) {
  const FilterTag16 d;
  const auto fall = hn::Sub(falling, hn::ShiftRight<2>(falling));
  const auto rise = hn::Sub(rising, hn::ShiftRight<2>(rising));
  const auto straight = hn::Abs(hn::Sub(across, down));
  const auto diagonal = hn::Abs(hn::Sub(fall, rise));
  const auto total = hn::Add(across, down);
  const auto most = hn::Max(straight, diagonal);
  const auto above = [&](FilterVector16 a, FilterVector16 b) HWY_ATTR {  // -1 or 0
    return hn::VecFromMask(d, hn::Gt(a, b));
  };
  const auto slanted = above(diagonal, straight);
  const auto direction =
      hn::Add(hn::Add(slanted, slanted),
              hn::IfThenElse(hn::MaskFromVec(slanted), above(fall, rise), above(across, down)));
  const auto clarity =
      hn::Add(hn::Add(above(most, hn::ShiftRight<3>(total)), above(most, hn::ShiftRight<2>(total))),
              above(most, hn::ShiftRight<1>(total)));
  const auto strength =
      hn::Add(hn::Add(above(total, hn::Set(d, f.strengths[0])), above(total, hn::Set(d, f.strengths[1]))),
              above(total, hn::Set(d, f.strengths[2])));
  return hn::Neg(hn::Add(hn::Add(hn::ShiftLeft<4>(strength), hn::ShiftLeft<2>(clarity)), direction));
}

// Corrections of the samples from `at` on, whose classes are known.
HWY_INLINE void CorrectBytes(const uint8_t* at, const LoopFilter& f, FilterVector classes,
                             int16_t* corrections) {
  const FilterTag d;
  const FilterTag16 d16;
  const hn::RebindToSigned<FilterTag> signed8;
  constexpr ptrdiff_t kPitch = BytePiece::kPitch;
  // A place that does not exist in a quarter of the table has its highest bit, and finds 0.
  FilterVector places[4];
  for (int i = 0; i < 4; ++i)
    places[i] = hn::SaturatedAdd(hn::Sub(classes, hn::Set(d, static_cast<uint8_t>(16 * i))),
                                 hn::Set(d, uint8_t{0x70}));
  const auto weights = [&](int k) HWY_ATTR {
    const auto quarter = [&](int i) HWY_ATTR {
      const auto* table = reinterpret_cast<const uint8_t*>(kFilterBytes.of[f.table][k]);
      return LookUp(hn::LoadDup128(d, table + 16 * i), places[i]);
    };
    return hn::BitCast(signed8, hn::Or(hn::Or(quarter(0), quarter(1)), hn::Or(quarter(2), quarter(3))));
  };
  const auto sample = hn::LoadU(d, at);
  const auto bound = hn::Set(d, static_cast<uint8_t>(f.bound));
  const auto lo = hn::SaturatedSub(sample, bound);
  const auto hi = hn::SaturatedAdd(sample, bound);
  const auto middle = hn::Set(d, uint8_t{64});
  const auto base = hn::Sub(middle, hn::Add(sample, sample));
  const auto pull = [&](ptrdiff_t place) HWY_ATTR {  // of both neighbours, plus 64
    const auto first = hn::Min(hn::Max(hn::LoadU(d, at + place), lo), hi);
    const auto second = hn::Min(hn::Max(hn::LoadU(d, at - place), lo), hi);
    return hn::Add(hn::Add(first, second), base);
  };
  auto lower = hn::Zero(d16);
  auto upper = hn::Zero(d16);
  const auto add = [&](FilterVector a, FilterVector b, hn::Vec<decltype(signed8)> wa,
                       hn::Vec<decltype(signed8)> wb) HWY_ATTR {
    lower = hn::Add(lower, MultiplyPairs(hn::InterleaveLower(d, a, b), hn::InterleaveLower(signed8, wa, wb)));
    upper = hn::Add(upper, MultiplyPairs(hn::InterleaveUpper(d, a, b), hn::InterleaveUpper(signed8, wa, wb)));
  };
  add(pull(1), pull(kPitch), weights(0), weights(1));
  add(pull(kPitch + 1), pull(kPitch - 1), weights(2), weights(3));
  add(pull(2), pull(2 * kPitch), weights(4), weights(5));
  // Takes 64 times the weights off again, and rounds.
  add(middle, middle, weights(kFilterPairs), hn::Set(signed8, int8_t{1}));
  lower = hn::ShiftRight<kFilterBits>(lower);
  upper = hn::ShiftRight<kFilterBits>(upper);
  constexpr int kHalf = static_cast<int>(hn::MaxLanes(d16));
  if constexpr (kHalf == 8) {
    hn::Store(lower, d16, corrections);
    hn::Store(upper, d16, corrections + kHalf);
  } else {
    hn::Store(hn::ConcatLowerLower(d16, upper, lower), d16, corrections);
    hn::Store(hn::ConcatUpperUpper(d16, upper, lower), d16, corrections + kHalf);
  }
}

// corrections: [rows][kFilterPiece]. False if the samples are not bytes.
inline bool ByteCorrections(const Sample* at, ptrdiff_t stride, int rows, const LoopFilter& f,
                            int16_t* corrections) {
  const FilterTag d;
  BytePiece piece;
  if (!LoadBytes(at, stride, rows, piece)) return false;
  for (int r = -1; r < rows + 1; ++r) FindByteDifferences(piece, r);
  for (int x = 0; x < kFilterPiece; x += static_cast<int>(hn::MaxLanes(d))) {
    EvenOdd sums[kMostFilterRows + 2][4];
    FilterVector classes[kMostFilterRows];
    for (int r = 0; r < rows + 2; ++r) {
      for (int i = 0; i < 4; ++i) sums[r][i] = SumsOfThree(piece.differences[r][i] + BytePiece::kBefore + x);
    }
    for (int r = 0; r < rows; ++r) {
      const auto all = [&](int i, int odd) HWY_ATTR {
        return hn::Add(hn::Add(sums[r][i].of[odd], sums[r + 1][i].of[odd]), sums[r + 2][i].of[odd]);
      };
      const auto even = ClassOf(f, all(0, 0), all(1, 0), all(2, 0), all(3, 0));
      const auto odd = ClassOf(f, all(0, 1), all(1, 1), all(2, 1), all(3, 1));
      classes[r] = hn::BitCast(d, hn::Or(even, hn::ShiftLeft<8>(odd)));
    }
    for (int r = 0; r < rows; ++r) {
      CorrectBytes(piece.samples[r + kFilterReach] + BytePiece::kBefore + x, f, classes[r],
                   corrections + r * kFilterPiece + x);
    }
  }
  return true;
}
#else
inline bool ByteCorrections(const Sample*, ptrdiff_t, int, const LoopFilter&, int16_t*) { return false; }
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

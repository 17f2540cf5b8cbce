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
constexpr int kFilterRun = 256;                  // columns of pieces side by side
constexpr int kMostFilterRows = 1 << kLog2Cell;  // of a piece

// A run of pieces, as far as it lies in the plane.
struct FilterPiece {
  int row, rows, col, cols;
  int wide() const { return round_up(cols, kFilterPiece); }
};

// The rows of a run and those around it.
struct RunRows {
  const Sample* of[kMostFilterRows + 2 * kFilterReach];
  int cols;  // of the plane, which is repeated beyond
};

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

// A run's samples and those around them, its differences and their sums; those of column x are at kBefore +
// x.
struct ByteRun {
  static constexpr int kBefore = 32;
  static constexpr int kPitch = kFilterRun + 2 * kBefore;
  alignas(64) uint8_t samples[kMostFilterRows + 2 * kFilterReach][kPitch];
  alignas(64) uint8_t differences[kMostFilterRows + 2][4][kPitch];  // one row more to each side
};

// Samples are repeated beyond the plane. False if they are not bytes. The last columns overlap those before
// them.
HWY_INLINE bool LoadBytes(const RunRows& rows, const FilterPiece& piece, ByteRun& to) {
  const FilterTag d;
  const FilterTag16 d16;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const int begin = max_of(-kFilterReach, -piece.col);
  const int end = min_of(piece.wide() + kFilterReach, rows.cols - piece.col);
  if (end - begin < kLanes) return false;
  auto any = hn::Zero(d16);
  for (int r = 0; r < piece.rows + 2 * kFilterReach; ++r) {
    const Sample* const from = rows.of[r] + piece.col;
    uint8_t* const out = to.samples[r] + ByteRun::kBefore;
    for (int i = begin; i < end; i += kLanes) {
      const int x = min_of(i, end - kLanes);
      __builtin_prefetch(from + x + kFilterRun);  // the next run
      const auto lower = hn::LoadU(d16, from + x);
      const auto upper = hn::LoadU(d16, from + x + kLanes / 2);
      any = hn::Or(any, hn::Or(lower, upper));
      hn::StoreU(PackInOrder(lower, upper), d, out + x);
    }
    for (int x = -kFilterReach; x < begin; ++x) out[x] = static_cast<uint8_t>(from[begin]);
    for (int x = end; x < piece.wide() + kFilterReach; ++x) out[x] = static_cast<uint8_t>(from[end - 1]);
  }
  return hn::AllTrue(d16, hn::Eq(hn::And(any, hn::Set(d16, static_cast<int16_t>(0xff00))), hn::Zero(d16)));
}

// Of all rows of columns [-1, wide + 1), and one row more to each side. Rows that were loaded stay in
// registers.
HWY_INLINE void FindByteDifferences(const FilterPiece& piece, ByteRun& run) {
  const FilterTag d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const int end = piece.wide() + 1;
  for (int i = -1; i < end; i += kLanes) {
    const int at = ByteRun::kBefore + min_of(i, end - kLanes);
    const auto load = [&](int row, int dx)
                          HWY_ATTR { return hn::LoadU(d, run.samples[row + kFilterReach] + at + dx); };
    FilterVector above[3] = {load(-2, -1), load(-2, 0), load(-2, 1)};
    FilterVector here[3] = {load(-1, -1), load(-1, 0), load(-1, 1)};
    for (int r = -1; r <= piece.rows; ++r) {
      const FilterVector below[3] = {load(r + 1, -1), load(r + 1, 0), load(r + 1, 1)};
      const auto store = [&](int k, FilterVector a, FilterVector b) HWY_ATTR {
        hn::StoreU(hn::Sub(hn::Max(a, b), hn::Min(a, b)), d, run.differences[r + 1][k] + at);
      };
      store(0, here[0], here[2]);
      store(1, above[1], below[1]);
      store(2, above[0], below[2]);
      store(3, above[2], below[0]);
      for (int k = 0; k < 3; ++k) {
        above[k] = here[k];
        here[k] = below[k];
      }
    }
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
  constexpr ptrdiff_t kPitch = ByteRun::kPitch;
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

// corrections: [rows][kFilterRun]. False if the samples are not bytes.
inline bool ByteCorrections(const RunRows& rows, const FilterPiece& piece, LoopFilter f,
                            int16_t* corrections) {
  const FilterTag d;
  ByteRun run;
  if (!LoadBytes(rows, piece, run)) return false;
  FindByteDifferences(piece, run);
  for (int x = 0; x < piece.cols; x += static_cast<int>(hn::MaxLanes(d))) {
    const int at = ByteRun::kBefore + x;
    EvenOdd sums[4][kMostFilterRows];
    FilterVector classes[kMostFilterRows];
    for (int i = 0; i < 4; ++i) {
      EvenOdd above = SumsOfThree(run.differences[0][i] + at);
      EvenOdd here = SumsOfThree(run.differences[1][i] + at);
      for (int r = 0; r < piece.rows; ++r) {
        const EvenOdd below = SumsOfThree(run.differences[r + 2][i] + at);
        for (int odd = 0; odd < 2; ++odd)
          sums[i][r].of[odd] = hn::Add(hn::Add(above.of[odd], here.of[odd]), below.of[odd]);
        above = here;
        here = below;
      }
    }
    for (int r = 0; r < piece.rows; ++r) {
      const auto half = [&](int odd) HWY_ATTR {
        return ClassOf(f, sums[0][r].of[odd], sums[1][r].of[odd], sums[2][r].of[odd], sums[3][r].of[odd]);
      };
      classes[r] = hn::BitCast(d, hn::Or(half(0), hn::ShiftLeft<8>(half(1))));
    }
    for (int r = 0; r < piece.rows; ++r) {
      CorrectBytes(run.samples[r + kFilterReach] + at, f, classes[r], corrections + r * kFilterRun + x);
    }
  }
  return true;
}
#else
inline bool ByteCorrections(const RunRows&, const FilterPiece&, LoopFilter, int16_t*) { return false; }
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// SPDX-License-Identifier: BSD-3-Clause
// The corrections of the loop filter for samples that fit in bytes, as almost all do: a vector holds twice as
// many, and products are added in pairs. Sums of differences need 16 bits, and are computed separately for
// even and odd columns. Included once per instruction set.
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

constexpr int kFilterPiece = 32;                 // columns that are filtered together
constexpr int kFilterRun = 256;                  // columns of consecutive pieces
constexpr int kMostFilterRows = 1 << kLog2Cell;  // rows of a piece at most

// A run of pieces, cropped to the plane.
struct FilterPiece {
  int row, rows, col, cols;
  int wide() const { return round_up(cols, kFilterPiece); }
};

// The rows of a run and of its surroundings.
struct RunRows {
  const Sample* of[kMostFilterRows + 2 * kFilterReach];
  int cols;  // of the plane; samples are repeated beyond
};

// Tables of weights, also of two pairs interleaved.
struct FilterBytes {
  alignas(16) int8_t of[kFilterTables][kFilterPairs][kFilterClasses]{};
  alignas(64) uint8_t pairs[kFilterTables][kFilterPairs / 2][2 * kFilterClasses]{};
  bool fit = true;  // sums of every second weight, and corrections, fit
  constexpr FilterBytes() {
    for (int t = 0; t < kFilterTables; ++t) {
      for (int c = 0; c < kFilterClasses; ++c) {
        int sums[2] = {};
        int most = 1 << (kFilterBits - 1);
        for (int k = 0; k < kFilterPairs; ++k) {
          of[t][k][c] = kFilterWeights[t][k][c];
          pairs[t][k / 2][2 * c + k % 2] = static_cast<uint8_t>(of[t][k][c]);
          sums[k % 2] += kFilterWeights[t][k][c];
          fit = fit && sums[k % 2] >= -128 && sums[k % 2] <= 127;
          most += 2 * kMostFilterBound * abs_of(static_cast<int>(kFilterWeights[t][k][c]));
        }
        fit = fit && most >> kFilterBits <= 127;
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

#if CTV_VECTORS

using FilterTag = hn::CappedTag<uint8_t, kFilterPiece>;
using WideFilterTag = hn::CappedTag<uint8_t, 2 * kFilterPiece>;  // for two pieces
template <class D>
using Tag16 = hn::Repartition<int16_t, D>;

// Samples of a run and its surroundings, their differences and the sums of these. Column x is at index
// kBefore + x.
struct ByteRun {
  static constexpr int kBefore = 32;
  static constexpr int kPitch = kFilterRun + 2 * kBefore;
  alignas(64) uint8_t samples[kMostFilterRows + 2 * kFilterReach][kPitch];
  alignas(64) uint8_t differences[kMostFilterRows + 2][4][kPitch];  // one more row above and below
};

// Columns of a run and its surroundings that lie in the plane.
struct ByteColumns {
  int begin, end;
  HWY_INLINE ByteColumns(const RunRows& rows, const FilterPiece& piece)
      : begin(max_of(-kFilterReach, -piece.col)),
        end(min_of(piece.wide() + kFilterReach, rows.cols - piece.col)) {}
};

inline Sample LeastSample(const RunRows& rows, const FilterPiece& piece) {
  const Tag16<FilterTag> d16;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d16));
  const ByteColumns columns(rows, piece);
  auto least = hn::Set(d16, INT16_MAX);
  for (int r = 0; r < piece.rows + 2 * kFilterReach; ++r) {
    for (int i = columns.begin; i < columns.end; i += kLanes)
      least = hn::Min(least, hn::LoadU(d16, rows.of[r] + piece.col + min_of(i, columns.end - kLanes)));
  }
  return hn::GetLane(hn::MinOfLanes(d16, least));
}

// Loads samples >> down, minus `base`, since the filter only uses differences; they are repeated beyond the
// plane. Returns false if they do not fit in bytes. The last vector overlaps the one before. D: no wider than
// the number of columns.
template <class D>
HWY_INLINE bool LoadBytes(D d, const RunRows& rows, const FilterPiece& piece, int down, Sample base,
                          ByteRun& to) {
  const Tag16<D> d16;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const auto [begin, end] = ByteColumns(rows, piece);
  auto any = hn::Zero(d16);
  for (int r = 0; r < piece.rows + 2 * kFilterReach; ++r) {
    const Sample* const from = rows.of[r] + piece.col;
    uint8_t* const out = to.samples[r] + ByteRun::kBefore;
    if (begin > -kFilterReach)
      std::fill_n(out - kFilterReach, kFilterReach, static_cast<uint8_t>((from[begin] >> down) - base));
    for (int x = piece.wide() + kFilterReach - kLanes; x > end - kLanes; x -= kLanes)
      hn::StoreU(hn::Set(d, static_cast<uint8_t>((from[end - 1] >> down) - base)), d, out + x);
    for (int i = begin; i < end; i += kLanes) {
      const int x = min_of(i, end - kLanes);
      const auto load = [&](int at) HWY_ATTR {
        auto v = hn::LoadU(d16, from + at);
        if (down > 0) v = hn::ShiftRightSame(v, down);
        return hn::Sub(v, hn::Set(d16, base));
      };
      const auto lower = load(x);
      const auto upper = load(x + kLanes / 2);
      any = hn::Or(any, hn::Or(lower, upper));
      hn::StoreU(PackInOrder(lower, upper), d, out + x);
    }
  }
  return hn::AllTrue(d16, hn::Eq(hn::And(any, hn::Set(d16, static_cast<int16_t>(0xff00))), hn::Zero(d16)));
}

// Computes the differences of all rows in columns [-1, wide + 1), and of one more row above and below. Rows
// that were loaded stay in registers.
HWY_INLINE void FindByteDifferences(const FilterPiece& piece, ByteRun& run) {
  const WideFilterTag d;
  using V = hn::Vec<WideFilterTag>;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const int end = piece.wide() + 1;
  for (int i = -1; i < end; i += kLanes) {
    const int at = ByteRun::kBefore + min_of(i, end - kLanes);
    const auto load = [&](int row, int dx)
                          HWY_ATTR { return hn::LoadU(d, run.samples[row + kFilterReach] + at + dx); };
    V above[3] = {load(-2, -1), load(-2, 0), load(-2, 1)};
    V here[3] = {load(-1, -1), load(-1, 0), load(-1, 1)};
    for (int r = -1; r <= piece.rows; ++r) {
      const V below[3] = {load(r + 1, -1), load(r + 1, 0), load(r + 1, 1)};
      const auto store = [&](int k, V a, V b) HWY_ATTR {
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

template <class D>
struct EvenOdd {
  hn::Vec<Tag16<D>> of[2];
};

// Sums of three horizontally adjacent differences.
template <class D>
HWY_INLINE EvenOdd<D> SumsOfThree(D d, const uint8_t* at) {
  const Tag16<D> d16;
  const auto before = hn::BitCast(d16, hn::LoadU(d, at - 1));
  const auto after = hn::BitCast(hn::RebindToUnsigned<Tag16<D>>(), hn::LoadU(d, at + 1));
  const auto pairs = MultiplyPairs(hn::LoadU(d, at), PairWeights(d, 1, 1));
  return {hn::Add(pairs, hn::And(before, hn::Set(d16, int16_t{0xff}))),
          hn::Add(pairs, hn::BitCast(d16, hn::ShiftRight<8>(after)))};
}

template <class V>
HWY_INLINE V CountAbove(V count, V a, V b) {
  const hn::DFromV<V> d;
#if HWY_TARGET <= HWY_AVX3
  return hn::IfThenElse(hn::Gt(a, b), hn::Add(count, hn::Set(d, int16_t{1})), count);
#else
  return hn::Sub(count, hn::VecFromMask(d, hn::Gt(a, b)));
#endif
}

// filter_class() of the sums of differences across a sample.
template <class V>
HWY_INLINE V ClassOf(const LoopFilter& f, V across, V down, V falling, V rising) {
  const hn::DFromV<V> d;
  const auto fall = hn::Sub(falling, hn::ShiftRight<2>(falling));
  const auto rise = hn::Sub(rising, hn::ShiftRight<2>(rising));
  const auto axis = hn::Sub(across, down);
  const auto slanted = hn::Sub(fall, rise);
  const auto straight = hn::Abs(axis);
  const auto diagonal = hn::Abs(slanted);
  const auto total = hn::Add(across, down);
  const auto most = hn::Max(straight, diagonal);
  const auto slope = hn::IfThenElse(hn::Gt(diagonal, straight), slanted, axis);
  V at = hn::Zero(d);
  for (const int16_t strength : f.strengths) at = CountAbove(at, total, hn::Set(d, strength));
  at = hn::ShiftLeft<2>(at);
  at = CountAbove(at, most, hn::ShiftRight<3>(total));
  at = CountAbove(at, most, hn::ShiftRight<2>(total));
  at = CountAbove(at, most, hn::ShiftRight<1>(total));
  at = CountAbove(hn::Add(at, at), diagonal, straight);
  return CountAbove(hn::Add(at, at), slope, hn::Zero(d));
}

// Weights of samples by class, two adjacent ones at a time.
#if HWY_ARCH_ARM
template <class D>
class ClassWeights {
 public:
  HWY_INLINE ClassWeights(D, const LoopFilter& f, hn::Vec<D> classes)
      : tables_(kFilterBytes.of[f.table]), classes_(classes) {}
  HWY_INLINE BytePairWeights<D> of(int pair) const { return {weights(2 * pair), weights(2 * pair + 1)}; }

 private:
  HWY_INLINE hn::Vec<hn::RebindToSigned<D>> weights(int k) const {
    return hn::Vec<hn::RebindToSigned<D>>(vqtbl4q_s8(vld1q_s8_x4(tables_[k]), classes_.raw));
  }
  const int8_t (*tables_)[kFilterClasses];
  hn::Vec<D> classes_;
};
#else
template <class D>
class ClassWeights {
 public:
  HWY_INLINE ClassWeights(D d, const LoopFilter& f, hn::Vec<D> classes) : tables_(kFilterBytes.of[f.table]) {
    // Indices outside this quarter of the table have their highest bit set, and give 0.
    for (int i = 0; i < 4; ++i)
      places_[i] = hn::SaturatedAdd(hn::Sub(classes, hn::Set(d, static_cast<uint8_t>(16 * i))),
                                    hn::Set(d, uint8_t{0x70}));
  }
  // Weights 2 pair and 2 pair + 1.
  HWY_INLINE BytePairWeights<D> of(int pair) const {
    const hn::RebindToSigned<D> d;
    const auto first = weights(2 * pair);
    const auto second = weights(2 * pair + 1);
    return {hn::InterleaveLower(d, first, second), hn::InterleaveUpper(d, first, second)};
  }

 private:
  HWY_INLINE hn::Vec<hn::RebindToSigned<D>> weights(int k) const {
    const D d;
    const auto quarter = [&](int i) HWY_ATTR {
      const auto* table = reinterpret_cast<const uint8_t*>(tables_[k]);
      return LookUp(hn::LoadDup128(d, table + 16 * i), places_[i]);
    };
    return hn::BitCast(hn::RebindToSigned<D>(),
                       hn::Or(hn::Or(quarter(0), quarter(1)), hn::Or(quarter(2), quarter(3))));
  }
  const int8_t (*tables_)[kFilterClasses];
  hn::Vec<D> places_[4];
};

#if HWY_TARGET <= HWY_AVX3
// A table has 64 pairs of bytes, which fill two vectors of words.
template <>
class ClassWeights<hn::Full512<uint8_t>> {
  using D = hn::Full512<uint8_t>;

 public:
  HWY_INLINE ClassWeights(D d, const LoopFilter& f, hn::Vec<D> classes)
      : tables_(kFilterBytes.pairs[f.table]),
        lower_(hn::InterleaveLower(d, classes, hn::Zero(d))),
        upper_(hn::InterleaveUpper(d, classes, hn::Zero(d))) {}
  HWY_INLINE BytePairWeights<D> of(int pair) const {
    const D d;
    const auto first = hn::Load(d, tables_[pair]);
    const auto second = hn::Load(d, tables_[pair] + kFilterClasses);
    const auto at = [&](hn::Vec<D> places) HWY_ATTR {
      return hn::BitCast(hn::RebindToSigned<D>(), LookUpWords(first, second, places));
    };
    return {at(lower_), at(upper_)};
  }

 private:
  const uint8_t (*tables_)[2 * kFilterClasses];
  hn::Vec<D> lower_, upper_;
};
#endif

#endif

// Corrections of the samples from `at` on, with known classes.
template <class D>
HWY_INLINE void CorrectBytes(D d, const uint8_t* at, const LoopFilter& f, hn::Vec<D> classes,
                             int8_t* corrections) {
  const Tag16<D> d16;
  using V = hn::Vec<D>;
  constexpr ptrdiff_t kPitch = ByteRun::kPitch;
  const ClassWeights<D> weights(d, f, classes);
  const auto sample = hn::LoadU(d, at);
  const auto bound = hn::Set(d, static_cast<uint8_t>(f.bound));
  const auto lo = hn::SaturatedSub(sample, bound);
  const auto hi = hn::SaturatedAdd(sample, bound);
  const auto middle = hn::Set(d, BytePairWeights<D>::kMiddle);
  const auto base = hn::Sub(middle, hn::Add(sample, sample));
  const auto pull = [&](ptrdiff_t place) HWY_ATTR {  // of both neighbours, plus kMiddle
    const auto first = hn::Min(hn::Max(hn::LoadU(d, at + place), lo), hi);
    const auto second = hn::Min(hn::Max(hn::LoadU(d, at - place), lo), hi);
    return hn::Add(hn::Add(first, second), base);
  };
  auto lower = hn::Set(d16, int16_t{1 << (kFilterBits - 1)});  // rounds
  auto upper = lower;
  BytePairWeights<D> sum;
  const auto add = [&](V a, V b, int pair) HWY_ATTR {
    const auto w = weights.of(pair);
    w.add(a, b, lower, upper);
    sum = sum + w;
  };
  add(pull(1), pull(kPitch), 0);
  add(pull(kPitch + 1), pull(kPitch - 1), 1);
  add(pull(2), pull(2 * kPitch), 2);
  if constexpr (BytePairWeights<D>::kMiddle != 0) sum.subtract(middle, lower, upper);
  const auto both = PackSigned(hn::ShiftRight<kFilterBits>(lower), hn::ShiftRight<kFilterBits>(upper));
  hn::Store(both, hn::RebindToSigned<D>(), corrections);
}

// For one vector of columns. corrections: [rows][kFilterRun].
template <class D>
HWY_INLINE void CorrectColumns(D d, const ByteRun& run, int rows, int at, const LoopFilter& f,
                               int8_t* corrections) {
  EvenOdd<D> above[4], here[4];
  hn::Vec<D> classes[kMostFilterRows];
  for (int i = 0; i < 4; ++i) {
    above[i] = SumsOfThree(d, run.differences[0][i] + at);
    here[i] = SumsOfThree(d, run.differences[1][i] + at);
    for (int odd = 0; odd < 2; ++odd) above[i].of[odd] = hn::Add(above[i].of[odd], here[i].of[odd]);
  }
  for (int r = 0; r < rows; ++r) {
    EvenOdd<D> sums[4];
    for (int i = 0; i < 4; ++i) {
      const EvenOdd<D> below = SumsOfThree(d, run.differences[r + 2][i] + at);
      for (int odd = 0; odd < 2; ++odd) {
        sums[i].of[odd] = hn::Add(above[i].of[odd], below.of[odd]);
        above[i].of[odd] = hn::Add(here[i].of[odd], below.of[odd]);
      }
      here[i] = below;
    }
    const auto half = [&](int odd) HWY_ATTR {
      return ClassOf(f, sums[0].of[odd], sums[1].of[odd], sums[2].of[odd], sums[3].of[odd]);
    };
    classes[r] = hn::BitCast(d, hn::Or(half(0), hn::ShiftLeft<8>(half(1))));
  }
  for (int r = 0; r < rows; ++r)
    CorrectBytes(d, run.samples[r + kFilterReach] + at, f, classes[r], corrections + r * kFilterRun);
}

// corrections: [rows][kFilterRun]. False if the samples do not fit in bytes for any base.
inline bool ByteCorrections(const RunRows& rows, const FilterPiece& piece, LoopFilter f,
                            int8_t* corrections) {
  const FilterTag d;
  const WideFilterTag wide;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  constexpr int kWide = static_cast<int>(hn::MaxLanes(wide));
  ByteRun run;
  const ByteColumns columns(rows, piece);
  const int cols = columns.end - columns.begin;
  if (cols < kLanes) return false;
  const auto load = [&](Sample base) HWY_ATTR {
    return cols < kWide ? LoadBytes(d, rows, piece, f.down, base, run)
                        : LoadBytes(wide, rows, piece, f.down, base, run);
  };
  if (!load(0) && !load(static_cast<Sample>(LeastSample(rows, piece) >> f.down))) return false;
  FindByteDifferences(piece, run);
  int x = 0;
  if constexpr (kWide > kLanes) {
    for (; x + kWide <= piece.wide(); x += kWide)
      CorrectColumns(wide, run, piece.rows, ByteRun::kBefore + x, f, corrections + x);
  }
  for (; x < piece.cols; x += kLanes)
    CorrectColumns(d, run, piece.rows, ByteRun::kBefore + x, f, corrections + x);
  return true;
}
#else
inline bool ByteCorrections(const RunRows&, const FilterPiece&, LoopFilter, int8_t*) { return false; }
#endif

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

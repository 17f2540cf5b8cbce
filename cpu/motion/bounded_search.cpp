// SPDX-License-Identifier: BSD-3-Clause
// A SIMD vector holds the bounds of adjacent candidates of a row. The candidate with the least bound is
// matched first, since its cost excludes most others.
#include "cpu/motion/bounded_search.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/dsp/motion_vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/bounded_search.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/runtime/byte_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

[[maybe_unused]] constexpr int kPitch = BoundedCandidates::kPitch;

template <int kSquare>
void SumRow(const SearchPlanes& planes, int row, int begin, int end, uint16_t* sums) {
  constexpr int kPiece = 512;
  const ptrdiff_t stride = planes.reference_stride;
  for (int x = begin; x < end; x += kPiece) {
    uint16_t columns[kPiece + kSquare - 1];
    const int count = min_of(kPiece, end - x);
    const uint8_t* p = planes.reference + row * stride + x;
    for (int i = 0; i < count + kSquare - 1; ++i) {
      int sum = 0;
      for (int r = 0; r < kSquare; ++r) sum += p[r * stride + i];
      columns[i] = static_cast<uint16_t>(sum);
    }
    uint16_t* __restrict out = sums + row * stride + x;
    for (int i = 0; i < count; ++i) {
      int sum = 0;
      for (int c = 0; c < kSquare; ++c) sum += columns[i + c];
      out[i] = static_cast<uint16_t>(sum);
    }
  }
}

// A block, its surroundings in the reference, and its best key so far.
struct BoundedBlock {
  const uint8_t* current;
  ptrdiff_t current_stride;
  const uint8_t* reference;
  ptrdiff_t reference_stride;
  const uint16_t* sums;
};

template <int kBlock>
inline void SumQuarters(const BoundedBlock& b, int (&totals)[4]) {
  constexpr int kSquare = kBlock / 2;
  for (int q = 0; q < 4; ++q) {
    const uint8_t* p = b.current + (q >> 1) * kSquare * b.current_stride + (q & 1) * kSquare;
    int sum = 0;
    for (int r = 0; r < kSquare; ++r) {
      for (int c = 0; c < kSquare; ++c) sum += p[r * b.current_stride + c];
    }
    totals[q] = sum;
  }
}

// Largest cost, in SADs, of a candidate that may still be better.
inline uint16_t Limit(int64_t best) {
  return static_cast<uint16_t>(min_of<int64_t>(best >> (kKeyIndexBits + 4), UINT16_MAX));
}

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;
template <int kBlock>
using Rows = hn::CappedTag<uint8_t, 2 * kBlock>;  // one or two rows of a block
template <int kBlock>
using Sums = hn::Repartition<uint64_t, Rows<kBlock>>;
using Words = hn::CappedTag<uint16_t, 32>;
using WordVector = hn::Vec<Words>;

template <int kBlock>
HWY_INLINE hn::Vec<Rows<kBlock>> LoadRows(const uint8_t* p, ptrdiff_t stride) {
  const Rows<kBlock> rows;
  if constexpr (hn::MaxLanes(rows) == kBlock) {
    return hn::LoadU(rows, p);
  } else {
    const hn::FixedTag<uint8_t, kBlock> row;
    return hn::Combine(rows, hn::LoadU(row, p + stride), hn::LoadU(row, p));
  }
}

// The smallest lane.
template <class D>
HWY_INLINE uint16_t Least(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) > 8) {
    const hn::Half<D> half;
    return Least(half, hn::Min(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    uint16_t lanes[8];
    hn::StoreU(v, d, lanes);
    return *std::min_element(lanes, lanes + 8);
  }
}

// Bit i: lane i is at most `limit`.
HWY_INLINE uint64_t AtMost(WordVector v, uint16_t limit) {
  const Words words;
  uint8_t bits[8] = {};
  hn::StoreMaskBits(words, hn::Eq(hn::Min(v, hn::Set(words, limit)), v), bits);
  uint64_t all;
  std::memcpy(&all, bits, sizeof(all));
  return all;
}

template <int kBlock>
int64_t Search(const BoundedBlock& b, const BoundedCandidates& candidates) {
  constexpr int kSquare = kBlock / 2;
  constexpr int kRows = static_cast<int>(hn::MaxLanes(Rows<kBlock>())) / kBlock;
  const Sums<kBlock> d64;
  const Words words;
  const hn::RebindToSigned<Words> signed_words;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(words));
  const int range = candidates.window.range;
  const int side = 2 * range + 1;
  hn::Vec<Rows<kBlock>> current[kBlock / kRows];
  for (int r = 0; r < kBlock; r += kRows)
    current[r / kRows] = LoadRows<kBlock>(b.current + r * b.current_stride, b.current_stride);
  int totals[4];
  SumQuarters<kBlock>(b, totals);

  alignas(64) uint16_t bounds[(2 * BoundedCandidates::kMostRange + 1) * kPitch];
  WordVector least = hn::Set(words, uint16_t{UINT16_MAX});
  WordVector quarters[4];
  for (int q = 0; q < 4; ++q) quarters[q] = hn::Set(words, static_cast<uint16_t>(totals[q]));
  for (int y = 0; y < side; ++y) {
    const uint16_t* sums = b.sums + (y - range) * b.reference_stride - range;
    for (int x = 0; x < side; x += kLanes) {
      WordVector bound = hn::Zero(words);
      for (int q = 0; q < 4; ++q) {
        const WordVector s =
            hn::LoadU(words, sums + x + (q >> 1) * kSquare * b.reference_stride + (q & 1) * kSquare);
        // Sums are below 2^15.
        const auto difference = hn::BitCast(signed_words, hn::Sub(s, quarters[q]));
        bound = hn::Add(bound, hn::BitCast(words, hn::Abs(difference)));
      }
      bound = hn::SaturatedAdd(bound, hn::LoadU(words, candidates.costs + y * kPitch + x));
      hn::Store(bound, words, bounds + y * kPitch + x);
      least = hn::Min(least, bound);
    }
  }

  const auto key = [&](int y, int x) {
    const uint8_t* p = b.reference + y * b.reference_stride + x;
    DifferenceSums<Rows<kBlock>> even, odd;
    const auto load = [&](int r) { return LoadRows<kBlock>(p + r * b.reference_stride, b.reference_stride); };
    for (int r = 0; r < kBlock; r += 2 * kRows) {
      even.add(current[r / kRows], load(r));
      odd.add(current[r / kRows + 1], load(r + kRows));
    }
    const auto sad =
        static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(d64, hn::Add(even.total(), odd.total()))));
    return (sad << (kKeyIndexBits + 4)) + candidates.window.keys[window_place(y, x, range)];
  };
  int64_t best = key(0, 0);
  // Joins the flags of several rows in a word, since the end of each loop over a word's bits is hard to
  // predict.
  const int rows = 64 / side;
  const auto flags = [&](int y, uint16_t most) {
    uint64_t all = 0;
    for (int x = 0; x < side; x += kLanes) {
      const uint64_t found = AtMost(hn::Load(words, bounds + y * kPitch + x), most);
      all |= (side - x < 64 ? found & ((uint64_t{1} << (side - x)) - 1) : found) << x;
    }
    return all;
  };
  const uint16_t first = Least(words, least);
  for (int y = 0; y < side; ++y) {
    const uint64_t found = flags(y, first);
    if (found == 0) continue;
    best = min_of(best, key(y - range, std::countr_zero(found) - range));
    break;
  }
  for (int top = 0; top < side; top += rows) {
    const uint16_t most = Limit(best);
    uint64_t found = 0;
    for (int y = top; y < min_of(top + rows, side); ++y) found |= flags(y, most) << ((y - top) * side);
    for (; found != 0; found &= found - 1) {
      const int place = std::countr_zero(found);
      best = min_of(best, key(top + place / side - range, place % side - range));
    }
  }
  return best;
}
#else
template <int kBlock>
int64_t Search(const BoundedBlock& b, const BoundedCandidates& candidates) {
  constexpr int kSquare = kBlock / 2;
  int totals[4];
  SumQuarters<kBlock>(b, totals);
  int64_t best = kNoKey;
  const int range = candidates.window.range;
  for (int i = 0; i < (2 * range + 1) * (2 * range + 1); ++i) {
    const int y = i / (2 * range + 1) - range;
    const int x = i % (2 * range + 1) - range;
    const int64_t price = candidates.window.keys[window_place(y, x, range)];
    const ptrdiff_t offset = y * b.reference_stride + x;
    int64_t bound = 0;
    for (int q = 0; q < 4; ++q) {
      bound +=
          abs_of(totals[q] - b.sums[offset + (q >> 1) * kSquare * b.reference_stride + (q & 1) * kSquare]);
    }
    if ((bound << (kKeyIndexBits + 4)) + price >= best) continue;
    int64_t sad = 0;
    for (int r = 0; r < kBlock; ++r) {
      for (int c = 0; c < kBlock; ++c) {
        sad += abs_of(b.current[r * b.current_stride + c] - b.reference[offset + r * b.reference_stride + c]);
      }
    }
    best = min_of(best, (sad << (kKeyIndexBits + 4)) + price);
  }
  return best;
}
#endif

template <int kBlock>
void SearchRow(const SearchPlanes& planes, const uint16_t* sums, const BoundedCandidates& candidates,
               int block_row, int block_cols, const uint8_t* still, int64_t* keys) {
  const ptrdiff_t y = ptrdiff_t{block_row} * kBlock;
  for (int i = 0; i < block_cols; ++i) {
    if (still[i] != 0) continue;
    const ptrdiff_t at = y * planes.reference_stride + ptrdiff_t{i} * kBlock;
    keys[i] =
        Search<kBlock>({planes.current + y * planes.current_stride + ptrdiff_t{i} * kBlock,
                        planes.current_stride, planes.reference + at, planes.reference_stride, sums + at},
                       candidates);
  }
}

void SumSquaresRow(const SearchPlanes& planes, int log2_block, int row, int begin, int end, uint16_t* sums) {
  log2_block == 3 ? SumRow<4>(planes, row, begin, end, sums) : SumRow<8>(planes, row, begin, end, sums);
}
void SearchBoundedRow(const SearchPlanes& planes, const uint16_t* sums, const BoundedCandidates& candidates,
                      int log2_block, int block_row, int block_cols, const uint8_t* still, int64_t* keys) {
  const auto search = log2_block == 3 ? SearchRow<8> : SearchRow<16>;
  search(planes, sums, candidates, block_row, block_cols, still, keys);
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(SumSquaresRow);
HWY_EXPORT(SearchBoundedRow);

void sum_squares_row(const SearchPlanes& planes, int log2_block, int row, int begin, int end,
                     uint16_t* sums) {
  HWY_DYNAMIC_DISPATCH(SumSquaresRow)(planes, log2_block, row, begin, end, sums);
}

void search_bounded_row(const SearchPlanes& planes, const uint16_t* sums, const BoundedCandidates& candidates,
                        int log2_block, int block_row, int block_cols, const uint8_t* still, int64_t* keys) {
  HWY_DYNAMIC_DISPATCH(SearchBoundedRow)
  (planes, sums, candidates, log2_block, block_row, block_cols, still, keys);
}

}  // namespace ctv
#endif  // HWY_ONCE

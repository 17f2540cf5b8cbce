// SPDX-License-Identifier: BSD-3-Clause
// quantise_rdo() of codec/control/rdo_quantise.hpp for the subbands of a plane. Each row's activities are
// computed once; rows are summed vertically, then columns horizontally. Most blocks have no coefficient that
// could get a level with any activity, and are left at 0.
#include "cpu/transform/rdoq.hpp"

#include <algorithm>
#include <bit>

#include "codec/control/rdo_quantise.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/quantise.hpp"
#include "cpu/transform/zero_blocks.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transform/rdoq.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/transform/zero_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kPiece = 1024;  // columns at a time
constexpr int kNarrow = 8;    // lanes for rows shorter than a block

// activity_of() in 16 bits: magnitudes from 8191 on have the largest activity.
constexpr uint32_t kLeastMultiplier = kMostActivity + 2, kMostMultiplier = 65535;
[[gnu::always_inline]] inline uint16_t ActivityOf(Coefficient c, uint16_t multiplier) {
  const auto magnitude = static_cast<uint16_t>(c < 0 ? -c : c);
  const auto scaled = static_cast<uint16_t>(min_of(magnitude, uint16_t{8191}) << 3);
  const auto eighths = static_cast<uint16_t>(uint32_t{scaled} * multiplier >> 16);
  const auto less = static_cast<uint16_t>(max_of(eighths, uint16_t{1}) - 1);
  return min_of(less, uint16_t{kMostActivity});
}

// Whether activities with this multiplier fit in 16 bits.
bool IsNarrow(uint32_t multiplier) { return multiplier >= kLeastMultiplier && multiplier <= kMostMultiplier; }

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;
template <int kLanes>
using Words = hn::CappedTag<uint16_t, kLanes>;

template <class D>
HWY_INLINE hn::Vec<D> Magnitudes(D d, const Coefficient* at) {
  return hn::BitCast(d, hn::Abs(hn::LoadU(hn::RebindToSigned<D>(), at)));
}
// ActivityOf() of magnitudes.
template <class V>
HWY_INLINE V Activities(V magnitudes, V multiplier) {
  const hn::DFromV<V> d;
  const auto scaled = hn::ShiftLeft<3>(hn::Min(magnitudes, hn::Set(d, uint16_t{8191})));
  const auto less = hn::SaturatedSub(hn::MulHigh(scaled, multiplier), hn::Set(d, uint16_t{1}));
  return hn::Min(less, hn::Set(d, uint16_t{kMostActivity}));
}
// The reduction of the rounding offset in quantise_rdo(): a 16-bit product with a power of two, looked up
// bytewise, replaces two shifts.
template <class V>
HWY_INLINE V Reductions(V activity) {
  constexpr int kHalving = 1 << kLog2ActivityHalving;
  static_assert(kQuietReduction % kHalving == 0 && 2 * kQuietReduction <= UINT16_MAX);
  constexpr int kMost = kMostActivity * (4 * kBesideWeight + 4 * kDiagonalWeight);
  static_assert(kMost >> kLog2ActivityHalving < 16);
  alignas(16) static constexpr uint8_t kPowers[16] = {128, 64, 32, 16, 8, 4, 2, 1};
  const hn::DFromV<V> d;
  const hn::Repartition<uint8_t, decltype(d)> d8;
  const auto between =
      hn::Sub(hn::Set(d, uint16_t{2 * kHalving}), hn::And(activity, hn::Set(d, uint16_t{kHalving - 1})));
  const auto doubled = hn::Mul(between, hn::Set(d, uint16_t{kQuietReduction / kHalving}));
  const auto halvings = hn::ShiftRight<kLog2ActivityHalving>(activity);
  // The higher byte of 2^(15 - halvings) is kPowers[halvings], the lower one kPowers[halvings ^ 8].
  const auto places = hn::Xor(hn::Or(halvings, hn::ShiftLeft<8>(halvings)), hn::Set(d, uint16_t{8}));
  const auto powers = hn::TableLookupBytes(hn::LoadDup128(d8, kPowers), hn::BitCast(d8, places));
  return hn::MulHigh(doubled, hn::BitCast(d, powers));
}

// Quantises columns [begin, end) of a row; there must be at least kLanes.
template <int kLanes>
void QuantiseRun(const Coefficient* in, uint16_t multiplier, uint16_t offset, const uint16_t* above,
                 const uint16_t* here, const uint16_t* below, int begin, int end, Level* out) {
  const Words<kLanes> d;
  const hn::RebindToSigned<Words<kLanes>> d16;
  constexpr int kStride = static_cast<int>(hn::MaxLanes(d));
  const auto one = hn::Set(d, uint16_t{1});
  const auto factor = hn::Set(d, multiplier);
  const auto added = hn::Set(d, offset);
  const auto minus_if_equal = [&](auto a, auto b) HWY_ATTR { return hn::VecFromMask(d, hn::Eq(a, b)); };
  for (int i = begin; i < end; i += kStride) {
    const int j = min_of(i, end - kStride);
    const auto at = [&](const uint16_t* row, int k) HWY_ATTR { return hn::LoadU(d, row + j + k); };
    const auto beside = hn::Add(hn::Add(at(above, 1), at(below, 1)), hn::Add(at(here, 0), at(here, 2)));
    const auto diagonal = hn::Add(hn::Add(at(above, 0), at(below, 0)), hn::Add(at(above, 2), at(below, 2)));
    const auto activity = hn::Add(hn::Mul(beside, hn::Set(d, uint16_t{kBesideWeight})),
                                  hn::Mul(diagonal, hn::Set(d, uint16_t{kDiagonalWeight})));
    const auto reduction = Reductions(activity);
    const auto own = hn::LoadU(d16, in + j);
    const auto magnitude = hn::BitCast(d, hn::Abs(own));
    // magnitude * multiplier + offset - reduction, as two 16-bit halves.
    const auto product = hn::Mul(magnitude, factor);
    const auto low = hn::Add(product, added);
    const auto no_carry = minus_if_equal(low, hn::SaturatedAdd(product, added));
    const auto high = hn::Add(hn::Add(hn::MulHigh(magnitude, factor), one), no_carry);
    const auto no_borrow = minus_if_equal(hn::SaturatedSub(reduction, low), hn::Zero(d));
    const auto level = hn::BitCast(d16, hn::SaturatedSub(high, hn::Add(one, no_borrow)));
    const auto sign = hn::ShiftRight<15>(own);
    hn::StoreU(hn::Sub(hn::Xor(level, sign), sign), d16, out + j);
  }
}
#endif

// Computes the activities of columns [begin, end) of a row and of one more column on each side; element j + 1
// is that of column j. Outside the subband, whose columns are [left, right), they are 0. row: null outside.
void ActivityRow(const Coefficient* row, int left, int right, uint32_t multiplier, int begin, int end,
                 uint16_t* activities) {
  if (row == nullptr) return std::fill(activities + begin, activities + end + 2, uint16_t{0});
  activities[begin] = begin > left ? activity_of(row[begin - 1], multiplier) : uint16_t{0};
  activities[end + 1] = end < right ? activity_of(row[end], multiplier) : uint16_t{0};
  uint16_t* const out = activities + 1;
  if (!IsNarrow(multiplier)) {
    for (int j = begin; j < end; ++j) out[j] = activity_of(row[j], multiplier);
    return;
  }
  const auto narrow = static_cast<uint16_t>(multiplier);
#if CTV_VECTORS
  const auto fill = [&](auto d) HWY_ATTR {
    constexpr int kStride = static_cast<int>(hn::MaxLanes(d));
    for (int i = begin; i < end; i += kStride) {
      const int j = min_of(i, end - kStride);
      hn::StoreU(Activities(Magnitudes(d, row + j), hn::Set(d, narrow)), d, out + j);
    }
  };
  if (end - begin >= kBlock) return fill(Words<kBlock>());
  if (end - begin >= kNarrow) return fill(Words<kNarrow>());
#endif
  CTV_INDEPENDENT
  for (int j = begin; j < end; ++j) out[j] = ActivityOf(row[j], narrow);
}

// The largest magnitude whose level is 0 even without a reduction.
int LargestDead(uint32_t multiplier, uint32_t offset) {
  return static_cast<int>(min_of((65535 - min_of(offset, 65535U)) / max_of(multiplier, 1U), 32767U));
}

// Elements after the last whole block are tested with those before them, which may mark them as alive.
BlockMask AliveBlocks(const Coefficient* in, const Level* out, int dead, int count) {
  if (count < kBlock) return count < kNarrow || AnyAbove<kNarrow>(in, count, dead) ? 1 : 0;
  BlockMask mask = 0;
  for (int at = 0; at < count; at += kBlock) {
    __builtin_prefetch(in + at + kPiece);
    __builtin_prefetch(out + at + kPiece, 1);
    mask |= block_bit(at, AnyAbove<kBlock>(in + min_of(at, count - kBlock), kBlock, dead));
  }
  return mask;
}

// Quantises rows [top, bottom) of a subband.
void QuantiseRows(const Subband& s, const SubbandQuantiser& q, const Coefficient* coefficients, int top,
                  int bottom, Level* levels) {
  const Coefficient* own = coefficients + s.offset;
  const uint32_t multiplier = q.multiplier;
  const uint32_t offset = q.rounding_offset;
  const int dead = LargestDead(multiplier, offset);
  uint16_t rows[4][kPiece + 2];
  uint16_t sums[kPiece];
#if CTV_VECTORS
  const bool narrow = IsNarrow(multiplier) && offset <= UINT16_MAX;
#endif
  for (int first = 0; first < s.cols; first += kPiece) {
    const int count = min_of(kPiece, s.cols - first);
    int held[4] = {-2, -2, -2, -2};  // row numbers
    BlockMask known[4] = {};         // of these rows
    const auto activities = [&](int row, BlockMask blocks) {
      const int k = row & 3;
      if (held[k] != row) known[k] = 0;
      held[k] = row;
      const bool inside = row >= 0 && row < s.rows;
      const Coefficient* const from = inside ? own + static_cast<ptrdiff_t>(row) * s.cols + first : nullptr;
      for (BlockRun run(blocks & ~known[k], count); run.next();)
        ActivityRow(from, -first, s.cols - first, multiplier, run.first, run.end, rows[k]);
      known[k] |= blocks;
      return rows[k];
    };
    for (int row = top; row < bottom; ++row) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(row) * s.cols + first;
      const Coefficient* in = own + at;
      Level* out = levels + s.offset + at;
      BlockMask alive = AliveBlocks(in, out, dead, count);
      ClearBlocks(~alive, count, out);
      if (alive == 0) continue;
      // A vector of the last block overlaps the previous block.
      if (count % kBlock != 0) alive |= (alive & block_bit(count, true)) >> 1;
      const uint16_t* const above = activities(row - 1, alive);
      const uint16_t* const here = activities(row, alive);
      const uint16_t* const below = activities(row + 1, alive);
#if CTV_VECTORS
      if (narrow && count >= kNarrow) {
        for (BlockRun run(alive, count); run.next();) {
          const auto quantise_run = count >= kBlock ? QuantiseRun<kBlock> : QuantiseRun<kNarrow>;
          quantise_run(in, static_cast<uint16_t>(multiplier), static_cast<uint16_t>(offset), above, here,
                       below, run.first, run.end, out);
        }
        continue;
      }
#endif
      for (BlockRun run(alive, count); run.next();) {
        const int begin = run.first;
        const int end = run.end;
        CTV_INDEPENDENT
        for (int j = begin; j < end; ++j) {
          const auto beside = static_cast<uint16_t>(above[j + 1] + below[j + 1] + here[j] + here[j + 2]);
          const auto diagonal = static_cast<uint16_t>(above[j] + below[j] + above[j + 2] + below[j + 2]);
          sums[j] = static_cast<uint16_t>(kBesideWeight * beside + kDiagonalWeight * diagonal);
        }
        CTV_INDEPENDENT
        for (int j = begin; j < end; ++j) out[j] = quantise_rdo(in[j], multiplier, offset, sums[j]);
      }
    }
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(QuantiseRows);

void quantise_rdo_plane(int threads, const SubbandLayout& layout,
                        std::span<const SubbandQuantiser> quantisers, const Coefficient* coefficients,
                        Level* levels) {
  // A task takes the same part of the picture in all subbands. At its borders it computes the activities of
  // two more rows.
  const int slices = std::clamp(layout.padded.rows / 32, 1, 32);
  parallel_for(threads, slices, [&](int slice) {
    for (size_t i = 0; i < layout.subbands.size(); ++i) {
      const Subband& s = layout.subbands[i];
      const int top = s.rows * slice / slices;
      const int bottom = s.rows * (slice + 1) / slices;
      if (top == bottom) continue;
      if (decides_by_rate(s.layer, quantisers[i])) {
        HWY_DYNAMIC_DISPATCH(QuantiseRows)
        (s, quantisers[i], coefficients, top, bottom, levels);
      } else {
        const size_t at = s.offset + static_cast<size_t>(top) * static_cast<size_t>(s.cols);
        quantise_row(coefficients + at, quantisers[i], levels + at, (bottom - top) * s.cols);
      }
    }
  });
}

}  // namespace ctv
#endif

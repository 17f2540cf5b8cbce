// SPDX-License-Identifier: BSD-3-Clause
// quantise_rdo() of codec/control/rdo_quantise.hpp on the subbands of a plane. Each row's activities are
// computed once; rows are summed vertically, then columns horizontally. Most blocks have no coefficient so
// large that any surroundings would leave it a level, and are not looked at further.
#include "cpu/transform/rdoq.hpp"

#include <algorithm>

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

// activity_of() with 16 bits: from 8191 on it is the largest.
constexpr uint32_t kLeastMultiplier = kMostActivity + 2, kMostMultiplier = 65535;
[[gnu::always_inline]] inline uint16_t ActivityOf(Coefficient c, uint16_t multiplier) {
  const auto magnitude = static_cast<uint16_t>(c < 0 ? -c : c);
  const auto scaled = static_cast<uint16_t>(min_of(magnitude, uint16_t{8191}) << 3);
  const auto eighths = static_cast<uint16_t>(uint32_t{scaled} * multiplier >> 16);
  const auto less = static_cast<uint16_t>(max_of(eighths, uint16_t{1}) - 1);
  return min_of(less, uint16_t{kMostActivity});
}

// Computes activities of columns [begin, end) of a row and of those beside them; element j + 1 is that of
// column j. 0 outside the subband, whose columns are [left, right). row: null outside.
void ActivityRow(const Coefficient* row, int left, int right, uint32_t multiplier, int begin, int end,
                 uint16_t* activities) {
  if (row == nullptr) return std::fill(activities + begin, activities + end + 2, uint16_t{0});
  activities[begin] = begin > left ? activity_of(row[begin - 1], multiplier) : uint16_t{0};
  activities[end + 1] = end < right ? activity_of(row[end], multiplier) : uint16_t{0};
  uint16_t* const out = activities + 1;
  if (multiplier < kLeastMultiplier || multiplier > kMostMultiplier) {
    for (int j = begin; j < end; ++j) out[j] = activity_of(row[j], multiplier);
    return;
  }
  const auto narrow = static_cast<uint16_t>(multiplier);
  CTV_INDEPENDENT
  for (int j = begin; j < end; ++j) out[j] = ActivityOf(row[j], narrow);
}

// Adds the activities of row `row` of a sibling.
void AddSibling(const Coefficient* in, uint32_t multiplier, int count, uint16_t* sums) {
  if (multiplier < kLeastMultiplier || multiplier > kMostMultiplier) {
    for (int j = 0; j < count; ++j) {
      sums[j] = static_cast<uint16_t>(sums[j] + kSiblingWeight * activity_of(in[j], multiplier));
    }
    return;
  }
  const auto narrow = static_cast<uint16_t>(multiplier);
  CTV_INDEPENDENT
  for (int j = 0; j < count; ++j) {
    sums[j] = static_cast<uint16_t>(sums[j] + kSiblingWeight * ActivityOf(in[j], narrow));
  }
}

// The largest magnitude whose level is 0 even without a reduction.
int LargestDead(uint32_t multiplier, uint32_t offset) {
  return static_cast<int>(min_of((65535 - min_of(offset, 65535U)) / max_of(multiplier, 1U), 32767U));
}

BlockMask AliveBlocks(const Coefficient* in, const Level* out, int dead, int count) {
  BlockMask mask = 0;
  int at = 0;
  for (; at + kBlock <= count; at += kBlock) {
    __builtin_prefetch(in + at + kPiece);
    __builtin_prefetch(out + at + kPiece, 1);
    mask |= block_bit(at, AnyAbove(in + at, dead));
  }
  bool rest = false;
  for (; at < count; ++at) rest = rest || in[at] > dead || in[at] < -dead;
  return mask | block_bit(count, rest);
}

// Loads blocks of a row from siblings, which processors do not foresee. at: of the first subband
[[gnu::always_inline]] inline void PrefetchSiblings(const SubbandLayout& layout, const Siblings& siblings,
                                                    const Coefficient* at, BlockMask blocks, int count) {
  for (int k = 0; k < siblings.count; ++k) {
    const auto other = static_cast<size_t>(siblings.subbands[static_cast<size_t>(k)]);
    const Coefficient* const row = at + layout.subbands[other].offset;
    for (BlockRun run(blocks, count); run.next();) {
      for (int j = run.first; j < run.end; j += kBlock) __builtin_prefetch(row + j);
    }
  }
}

// Quantises rows [top, bottom) of subband i.
void QuantiseRows(const SubbandLayout& layout, std::span<const SubbandQuantiser> quantisers, FrameType type,
                  int i, const Coefficient* coefficients, int top, int bottom, Level* levels) {
  const Subband& s = layout.subbands[static_cast<size_t>(i)];
  const SubbandQuantiser q = quantisers[static_cast<size_t>(i)];
  const Siblings siblings = siblings_of(layout, type, i);
  const Coefficient* own = coefficients + s.offset;
  const uint32_t multiplier = q.multiplier;
  const uint32_t offset = q.rounding_offset;
  const int dead = LargestDead(multiplier, offset);
  uint16_t rows[3][kPiece + 2];
  uint16_t sums[kPiece];
  for (int first = 0; first < s.cols; first += kPiece) {
    const int count = min_of(kPiece, s.cols - first);
    int held[3] = {-2, -2, -2};  // rows
    BlockMask known[3] = {};     // of these
    const auto activities = [&](int row, BlockMask blocks) {
      const int k = (row + 3) % 3;
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
      const BlockMask alive = AliveBlocks(in, out, dead, count);
      ClearBlocks(~alive, count, out);
      if (alive == 0) continue;
      PrefetchSiblings(layout, siblings, coefficients + at, alive, count);
      const uint16_t* const above = activities(row - 1, alive);
      const uint16_t* const here = activities(row, alive);
      const uint16_t* const below = activities(row + 1, alive);
      for (BlockRun run(alive, count); run.next();) {
        const int begin = run.first;
        const int end = run.end;
        CTV_INDEPENDENT
        for (int j = begin; j < end; ++j) {
          const auto beside = static_cast<uint16_t>(above[j + 1] + below[j + 1] + here[j] + here[j + 2]);
          const auto diagonal = static_cast<uint16_t>(above[j] + below[j] + above[j + 2] + below[j + 2]);
          sums[j] = static_cast<uint16_t>(kBesideWeight * beside + kDiagonalWeight * diagonal);
        }
        for (int k = 0; k < siblings.count; ++k) {
          const auto other = static_cast<size_t>(siblings.subbands[static_cast<size_t>(k)]);
          AddSibling(coefficients + layout.subbands[other].offset + at + begin, quantisers[other].multiplier,
                     end - begin, sums + begin);
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
                        std::span<const SubbandQuantiser> quantisers, FrameType type,
                        const Coefficient* coefficients, Level* levels) {
  // A task has the same part of the picture in all subbands: siblings are in the cache.
  constexpr int kSlices = 32;
  parallel_for(threads, kSlices, [&](int slice) {
    for (size_t i = 0; i < layout.subbands.size(); ++i) {
      const Subband& s = layout.subbands[i];
      const int top = s.rows * slice / kSlices;
      const int bottom = s.rows * (slice + 1) / kSlices;
      if (top == bottom) continue;
      if (decides_by_rate(s.layer, quantisers[i])) {
        HWY_DYNAMIC_DISPATCH(QuantiseRows)
        (layout, quantisers, type, static_cast<int>(i), coefficients, top, bottom, levels);
      } else {
        const size_t at = s.offset + static_cast<size_t>(top) * static_cast<size_t>(s.cols);
        quantise_row(coefficients + at, quantisers[i], levels + at, (bottom - top) * s.cols);
      }
    }
  });
}

}  // namespace ctv
#endif

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

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

constexpr int kPiece = 1024;  // columns at a time

// Computes activities: element j + 1 is that of column first + j, j = -1..count; 0 outside the subband.
void ActivityRow(const Coefficient* coefficients, const Subband& s, int row, uint32_t multiplier, int first,
                 int count, uint16_t* activities) {
  const int begin = first > 0 ? first - 1 : 0;
  const int end = min_of(first + count + 1, s.cols);
  const bool inside = row >= 0 && row < s.rows;
  const Coefficient* in = coefficients + static_cast<ptrdiff_t>(inside ? row : 0) * s.cols + begin;
  activities[0] = 0;
  activities[count + 1] = 0;
  uint16_t* out = activities + (begin - first + 1);
  if (!inside) {
    for (int j = 0; j < end - begin; ++j) out[j] = 0;
    return;
  }
  CTV_INDEPENDENT
  for (int j = 0; j < end - begin; ++j) out[j] = activity_of(in[j], multiplier);
}

// Adds the activities of row `row` of a sibling.
void AddSibling(const Coefficient* in, uint32_t multiplier, int count, uint16_t* sums) {
  CTV_INDEPENDENT
  for (int j = 0; j < count; ++j) {
    sums[j] = static_cast<uint16_t>(sums[j] + kSiblingWeight * activity_of(in[j], multiplier));
  }
}

// The largest magnitude whose level is 0 even without a reduction.
int LargestDead(uint32_t multiplier, uint32_t offset) {
  return static_cast<int>(min_of((65535 - min_of(offset, 65535U)) / max_of(multiplier, 1U), 32767U));
}

// Whole blocks have a constant count.
inline bool AnyAlive(const Coefficient* in, int dead, int count) {
  uint16_t most = 0;  // of magnitudes, plus `dead` where positive, modulo 2^16
  for (int j = 0; j < count; ++j) most = max_of(most, static_cast<uint16_t>(in[j] + dead));
  return most > 2 * dead;
}

BlockMask AliveBlocks(const Coefficient* in, int dead, int count) {
  BlockMask mask = 0;
  int at = 0;
  for (; at + kBlock <= count; at += kBlock) mask |= block_bit(at, AnyAlive(in + at, dead, kBlock));
  return at == count ? mask : mask | block_bit(at, AnyAlive(in + at, dead, count - at));
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
  uint16_t both[kPiece + 2];
  uint16_t sums[kPiece];
  for (int first = 0; first < s.cols; first += kPiece) {
    const int count = min_of(kPiece, s.cols - first);
    int held[3] = {-2, -2, -2};  // rows
    const auto activities = [&](int row) {
      const int k = (row + 3) % 3;
      if (held[k] != row) ActivityRow(own, s, row, multiplier, first, count, rows[k]);
      held[k] = row;
      return rows[k];
    };
    for (int row = top; row < bottom; ++row) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(row) * s.cols + first;
      const Coefficient* in = own + at;
      Level* out = levels + s.offset + at;
      const BlockMask alive = AliveBlocks(in, dead, count);
      clear_blocks(~alive, count, out);
      if (alive == 0) continue;
      PrefetchSiblings(layout, siblings, coefficients + at, alive, count);
      const uint16_t* const above = activities(row - 1);
      const uint16_t* const here = activities(row);
      const uint16_t* const below = activities(row + 1);
      for (BlockRun run(alive, count); run.next();) {
        const int begin = run.first;
        const int end = run.end;
        CTV_INDEPENDENT
        for (int j = begin; j < end + 2; ++j) both[j] = static_cast<uint16_t>(above[j] + below[j]);
        CTV_INDEPENDENT
        for (int j = begin; j < end; ++j) {
          sums[j] = static_cast<uint16_t>(kBesideWeight * (both[j + 1] + here[j] + here[j + 2]) +
                                          kDiagonalWeight * (both[j] + both[j + 2]));
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
  constexpr int kSlices = 8;  // of each subband's rows; a task each
  parallel_for(threads, static_cast<int>(layout.subbands.size()) * kSlices, [&](int task) {
    const auto i = static_cast<size_t>(task / kSlices);
    const Subband& s = layout.subbands[i];
    const int slice_rows = ceil_div(s.rows, kSlices);
    const int top = task % kSlices * slice_rows;
    const int bottom = std::min(s.rows, top + slice_rows);
    if (top >= bottom) return;
    if (decides_by_rate(s.layer, quantisers[i])) {
      HWY_DYNAMIC_DISPATCH(QuantiseRows)
      (layout, quantisers, type, static_cast<int>(i), coefficients, top, bottom, levels);
    } else {
      const size_t at = s.offset + static_cast<size_t>(top) * static_cast<size_t>(s.cols);
      quantise_row(coefficients + at, quantisers[i], levels + at, (bottom - top) * s.cols);
    }
  });
}

}  // namespace ctv
#endif

// SPDX-License-Identifier: BSD-3-Clause
// Tracks zeros in rows of coefficients, so that transforms can skip them. Most of a residual is 0 where cells
// are skipped.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"
#include "cpu/runtime/aligned_buffer.hpp"

namespace ctv {

/// The nonzero blocks, of kBlock elements, of a row: bit b is 0 if block b is all 0; bit 63 also covers all
/// later blocks.
using BlockMask = uint64_t;
inline constexpr BlockMask kAllBlocks = ~BlockMask{0};

/// Whether any of `count` elements is not 0. Uses words: the reduction of a few large lanes is short.
[[gnu::always_inline]] inline bool any_nonzero(const Coefficient* row, int count) {
  uint64_t any = 0;
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    uint64_t word = 0;
    std::memcpy(&word, row + i, sizeof word);
    any |= word;
  }
  for (; i < count; ++i) any |= static_cast<uint16_t>(row[i]);
  return any != 0;
}

/// The bit of the block from element `first` on.
inline BlockMask block_bit(int first, bool nonzero) {
  return BlockMask{nonzero} << std::min(first / kBlock, 63);
}

/// The blocks within [first, end), except those covered by bit 63.
inline BlockMask blocks_within(int first, int end) {
  const int from = ceil_div(first, kBlock);
  const int to = std::min(end / kBlock, 63);
  return from < to ? (BlockMask{1} << to) - (BlockMask{1} << from) : 0;
}

/// The blocks and their neighbours, which lifting reaches.
inline BlockMask with_neighbours(BlockMask m) { return m | m << 1 | m >> 1; }

/// Fills gaps of one or two blocks, which cost less than another call.
inline BlockMask without_gaps(BlockMask m) { return m | (m << 1 & (m >> 1 | m >> 2)) | (m << 2 & m >> 1); }

/// The mask of an interleaved row from that of its even and odd columns.
inline BlockMask joined_blocks(BlockMask m) {
  BlockMask x = m & 0xffffffffU;
  x = (x | x << 16) & 0x0000ffff0000ffffU;
  x = (x | x << 8) & 0x00ff00ff00ff00ffU;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fU;
  x = (x | x << 2) & 0x3333333333333333U;
  x = (x | x << 1) & 0x5555555555555555U;
  return x | x << 1 | (m >> 32 != 0 ? BlockMask{1} << 63 : 0);
}

/// The mask of a row's even and odd columns from that of the row.
inline BlockMask split_blocks(BlockMask m) {
  BlockMask x = (m | m >> 1) & 0x5555555555555555U;
  x = (x | x >> 1) & 0x3333333333333333U;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fU;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffU;
  x = (x | x >> 8) & 0x0000ffff0000ffffU;
  x = (x | x >> 16) & 0xffffffffU;
  return x | (m >> 63 != 0 ? kAllBlocks << 31 : 0);
}

/// Iterates over the runs of blocks in a mask, for `count` elements: while next(), elements [first, end).
class BlockRun {
 public:
  int first = 0, end = 0;
  BlockRun(BlockMask mask, int count) : rest_(mask), count_(count) {}
  bool next() {
    if (rest_ == 0) return false;
    const int from = std::countr_zero(rest_);
    const int to = from + std::countr_one(rest_ >> from);
    rest_ = to == 64 ? 0 : rest_ >> to << to;
    first = from * kBlock;
    end = to == 64 ? count_ : std::min(to * kBlock, count_);
    return first < end;
  }

 private:
  BlockMask rest_;
  int count_;
};

template <typename Code>
void for_blocks(BlockMask mask, int count, Code code) {
  for (BlockRun run(mask, count); run.next();) code(run.first, run.end - run.first);
}

inline void clear_blocks(BlockMask mask, int count, Coefficient* row) {
  for_blocks(mask, count, [&](int at, int n) { std::fill_n(row + at, n, Coefficient{0}); });
}

}  // namespace ctv

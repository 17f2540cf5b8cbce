// SPDX-License-Identifier: BSD-3-Clause
// The walk of codec/model/residual_walk.hpp for a warp that decodes a piece. A piece is one chain of symbols,
// so what counts is the time from a state to the next: each lane tests a symbol and prepares the state after
// it, and a reduction over the lanes returns the state of the lane that was right. Contexts are numbers in
// registers, the same in all lanes, and rows of tables are loaded before the symbol in front of them is known
// where possible. All blocks share one copy of the code, which has to stay in the instruction cache.
#pragma once

#include "codec/model/residual_walk.hpp"
#include "cuda/entropy/interval_reader.cuh"

namespace ctv::cuda {

/// A quad of a block: eight times u; whether it ends its diagonal; the frequency class, times the bytes of
/// its tables of patterns; large_class().
struct QuadEntry {
  static constexpr uint32_t kShift = 63;
  static constexpr uint32_t kEnds = 64;
  static constexpr int kFrequencyBit = 8;
  static constexpr int kLargeBit = 12;
};
/// Quads of blocks of 2x2, 4x4 and 8x8 quads, after two unused entries, which are read early.
constexpr int kQuadEntries = 2 + 4 + 16 + 64;
struct QuadEntries {
  uint16_t at[kQuadEntries]{};
  constexpr QuadEntries() {
    int i = 2;
    for (int side = 2; side <= 8; side *= 2) {
      for (int diagonal = 0; diagonal < 2 * side - 1; ++diagonal) {
        const int frequency = frequency_class(side, diagonal);
        for (int u = 0; u < side; ++u) {
          const int v = diagonal - u;
          if (v < 0 || v >= side) continue;
          const bool ends = u == 0 || v == side - 1;  // decoded from the highest u on
          at[i++] = static_cast<uint16_t>(8 * u | (ends ? QuadEntry::kEnds : 0) |
                                          frequency << QuadEntry::kFrequencyBit |
                                          large_class(frequency) << QuadEntry::kLargeBit);
        }
      }
    }
  }
};
static __device__ const QuadEntries kOrderOfQuads = QuadEntries();

/// Shared memory of a block of threads. A symbol's interval is in two arrays, since loads are cheaper than
/// arithmetic.
template <int kWarps>
struct ResidualMemory {
  alignas(16) uint16_t begins[kResidualTables][kTableSymbols];
  alignas(16) uint16_t sizes[kResidualTables][kTableSymbols];
  uint16_t quads[kQuadEntries];
  uint16_t words[kWarps][kPieceWords + 2];
};

/// Fills the tables. All `threads` threads call.
template <int kWarps>
__device__ __forceinline__ void load_tables(const SymbolTable* tables, int thread, int threads,
                                            ResidualMemory<kWarps>& memory) {
  const auto* const begins = reinterpret_cast<const uint16_t*>(tables);
  constexpr int kAtOnce = 8;
#pragma unroll 2
  for (int i = thread; i < static_cast<int>(kResidualTables) * kTableSymbols / kAtOnce; i += threads) {
    const uint4 own = reinterpret_cast<const uint4*>(begins)[i];
    const uint32_t next = begins[kAtOnce * (i + 1)];
    const auto sizes = [](uint32_t begin, uint32_t behind) {
      const uint32_t end = __funnelshift_r(begin, behind, 16);
      return ((end - begin) & (kWhole - 1)) | ((end >> 16) - (begin >> 16) & (kWhole - 1)) << 16;
    };
    reinterpret_cast<uint4*>(memory.begins[0])[i] = own;
    reinterpret_cast<uint4*>(memory.sizes[0])[i] = {sizes(own.x, own.y), sizes(own.y, own.z),
                                                    sizes(own.z, own.w), sizes(own.w, next)};
  }
  for (int i = thread; i < kQuadEntries; i += threads) memory.quads[i] = kOrderOfQuads.at[i];
}

/// The largest of `count` bytes, 1, 2 or 4, of v.
__device__ __forceinline__ uint32_t largest_byte(uint32_t v, int first, int count) {
  v = v >> (8 * first) & (0xffffffffU >> (32 - 8 * count));
  v = __vmaxu4(v, v >> 16);
  return max_of(v & 255U, v >> 8 & 255U);
}
__device__ __forceinline__ void set_bytes(uint32_t& v, int first, int count, uint32_t value) {
  const uint32_t mask = 0xffffffffU >> (32 - 8 * count) << (8 * first);
  v = (v & ~mask) | (value * 0x01010101U & mask);
}

/// MacroblockEdges of the right column or the lower row, in registers: densities of luma in bytes; the kind,
/// and densities of chroma in bytes 1 and 2.
struct Edge {
  uint32_t luma, other;
};

class ResidualPieceDecoder {
 public:
  template <int kWarps>
  __device__ __forceinline__ ResidualPieceDecoder(const ResidualMemory<kWarps>& memory,
                                                  const MacroblockGrid& grid, IntervalReader& coder, int lane)
      : tables_(address_of(memory.begins[0] + lane % kTableSymbols)),
        quads_(address_of(memory.quads)),
        chroma_blocks_(grid.chroma_blocks()),
        coder_(coder),
        first_sizes_(tables_ - 2 * (static_cast<uint32_t>(lane) % kTableSymbols) + kSizes),
        lane_(lane) {}

  /// Clears the neighbours, at the first macroblock of a piece or a strip.
  __device__ __forceinline__ void clear() {
    left_ = above_ = {};
    left_kinds_ = 0;
  }
  /// Passes the `between` macroblocks after the one in row `row` of a strip of `height` rows; they have no
  /// symbols.
  __device__ __forceinline__ void pass(int row, int between, int height) {
    if (between == 0) return;
    above_ = {};
    int away = lane_ - row - 1;
    if (away < 0) away += height;
    if (away < between) left_ = {};
    for (int i = 0; i < min_of(between, height); ++i) {
      row = row + 1 == height ? 0 : row + 1;
      set_left_kind(row, 0);
    }
  }
  /// Decodes macroblocks without skipped quarters, at most `count`, up to the first that is coded, which most
  /// are not. row: of the first one in its strip of `height` rows; receives that of the next. Returns their
  /// number.
  __device__ __forceinline__ int decode_uncoded(int count, int height, int& row) {
    int done = 0;
    for (; done < count; ++done) {
      const uint32_t above = row == 0 ? 0 : above_.other & 255U;
      const uint32_t table = kModeTable + (left_kind(row) * 3 + above) * 3;
      if (!coder_.first_symbol(load_shared(first_sizes_ + table * kTableBytes))) break;
      above_ = {};
      if (lane_ == row) left_ = {};
      set_left_kind(row, 0);
      row = row + 1 == height ? 0 : row + 1;
    }
    return done;
  }
  /// Decodes a macroblock like code_macroblock().
  __device__ __forceinline__ Macroblock decode(int row, uint32_t skipped, Level* const (&levels)[3]) {
    const Edge left = {__shfl_sync(kAllLanes, left_.luma, row), __shfl_sync(kAllLanes, left_.other, row)};
    const Edge above = row == 0 ? Edge{} : above_;  // strips are independent
    const uint32_t some = count_bits(skipped);
    const uint32_t mode = symbol(kModeTable + ((left.other & 255U) * 3 + (above.other & 255U)) * 3 +
                                 (some == 0   ? 0
                                  : some == 3 ? 2
                                              : 1));
    const uint32_t kind = mode >> 2;
    set_left_kind(row, kind);
    uint32_t beside = kind != 0 ? left.luma : 0;  // densities to the left of the next block, and above it
    uint32_t over = kind != 0 ? above.luma : 0;
    uint32_t quarters = 0;
    uint32_t blocks = 0;
    uint32_t chroma = 0;  // masks in bytes
    uint32_t chroma_density = 0;
    uint32_t before = 0;
    constexpr int kParts = kMacroblockQuarters + 2;
    const bool whole = kind == static_cast<uint32_t>(MacroblockKind::k16x16);
#pragma unroll 1
    for (int part = kind != 0 ? 0 : kMacroblockQuarters; part < kParts; ++part) {
      BlockType type = BlockType::k4x4;
      uint32_t todo = 0;
      int r = part / 2 * 2;
      int c = part % 2 * 2;
      int count = 4;
      Level* at = levels[0] + 64 * part;
      if (part >= kMacroblockQuarters) {
        const int p = part - kMacroblockQuarters;
        if ((mode >> p & 1) == 0) continue;
        count = chroma_blocks_;
        todo = count > 1 ? symbol(kChromaTable + static_cast<uint32_t>(p)) : 1;
        chroma |= todo << (8 * p);
        type = BlockType::kChroma;
        at = p == 0 ? levels[1] : levels[2];
      } else if (whole) {
        part = kMacroblockQuarters - 1;
        type = BlockType::k16x16;
        todo = 1;
        count = 1;
        at = levels[0];
        r = c = 0;
      } else if ((skipped >> part & 1) == 0) {
        const uint32_t quarter = symbol(kQuarterTable + before);
        before = next_quarter(before, quarter);
        quarters |= quarter << (2 * part);
        if (quarter == static_cast<uint32_t>(QuarterKind::k8x8)) {
          type = BlockType::k8x8;
          todo = 1;
          count = 1;
        } else if (quarter == static_cast<uint32_t>(QuarterKind::k4x4)) {
          todo = symbol(blocks_table(part, beside >> (8 * r) & 255U, over >> (8 * c) & 255U));
          blocks |= todo << (4 * part);
        }
      }
      const int side = type == BlockType::k16x16 ? 4 : type == BlockType::k8x8 ? 2 : 1;  // in 4x4 areas
      if (todo == 0) {
        set_bytes(beside, r, 2, 0);
        set_bytes(over, c, 2, 0);
        continue;
      }
#pragma unroll 1
      for (int b = 0; b < count; ++b) {
        const int row_of = r + b / 2;
        const int col_of = c + b % 2;
        uint32_t d = 0;
        if ((todo >> b & 1) != 0) {
          uint32_t density;
          if (type == BlockType::kChroma) {
            const int byte = 8 * (part - kMacroblockQuarters + 1);
            density = (left.other >> byte & 255U) + (above.other >> byte & 255U);
          } else {
            density = largest_byte(beside, row_of, side) + largest_byte(over, col_of, side);
          }
          const int quads = type == BlockType::k4x4 ? 4 : type == BlockType::k16x16 ? 64 : 16;
          d = decode_block(type, quads, density, at + 4 * quads * b);
        }
        if (type == BlockType::kChroma) {
          const int byte = 8 * (part - kMacroblockQuarters + 1);
          chroma_density = (chroma_density & ~(255U << byte)) | max_of(chroma_density >> byte & 255U, d)
                                                                    << byte;
        } else {
          set_bytes(beside, row_of, side, d);
          set_bytes(over, col_of, side, d);
        }
      }
    }
    above_ = {over, kind | chroma_density};
    if (lane_ == row) left_ = {beside, kind | chroma_density};
    return {static_cast<uint8_t>(kind),
            static_cast<uint8_t>(quarters),
            static_cast<uint16_t>(blocks),
            {static_cast<uint8_t>(chroma), static_cast<uint8_t>(chroma >> 8)},
            0};
  }

 private:
  static constexpr uint32_t kTableBytes = sizeof(SymbolTable);
  static constexpr uint32_t kSizes = kResidualTables * kTableBytes;  // from a table's begins to its sizes
  static constexpr uint32_t kSeen = kBlockTypes * kLargeClasses * kLargeAround * kTableBytes;

  __device__ __forceinline__ static Interval interval(SharedAddress at) {
    return {load_shared(at), load_shared(at + kSizes)};
  }
  __device__ __forceinline__ uint32_t left_kind(int row) const { return left_kinds_ >> (2 * row) & 3U; }
  __device__ __forceinline__ void set_left_kind(int row, uint32_t kind) {
    left_kinds_ = (left_kinds_ & ~(3U << (2 * row))) | kind << (2 * row);
  }
  __device__ __forceinline__ uint32_t symbol(uint32_t table) {
    return coder_.symbol(interval(tables_ + table * kTableBytes));
  }

  /// The lane's symbol, and the size of symbol 0, which most magnitudes have.
  struct MagnitudeTable {
    Interval own;
    uint32_t first;
  };
  __device__ __forceinline__ MagnitudeTable magnitudes(SharedAddress at) const {
    return {interval(at), load_shared(at - 2 * (static_cast<uint32_t>(lane_) % kTableSymbols) + kSizes)};
  }

  /// Tables of a quad.
  struct QuadTables {
    SharedAddress pattern, large;
  };
  struct BlockTables {
    SharedAddress pattern, large;
    /// around: of the quads of a diagonal, a byte each.
    __device__ __forceinline__ QuadTables of(uint32_t entry, uint64_t around) const {
      const auto own = static_cast<uint32_t>(around >> (entry & QuadEntry::kShift)) & 255U;
      static_assert(kQuadsAround * kTableBytes == 1 << QuadEntry::kFrequencyBit);
      constexpr uint32_t kLargeBytes = kLargeAround * kTableBytes;
      return {pattern + (entry & 7U << QuadEntry::kFrequencyBit) +
                  min_of(own & 15U, kQuadsAround - 1) * kTableBytes,
              large + (entry >> QuadEntry::kLargeBit) * kLargeBytes +
                  min_of(own >> 4, kLargeAround - 1) * kTableBytes};
    }
  };

  /// code_block(). levels: receives all.
  __device__ __forceinline__ uint32_t decode_block(BlockType block, int quads, uint32_t density,
                                                   Level* levels) {
    const auto type = static_cast<uint32_t>(block);
#pragma unroll
    for (int i = 0; i < 64; i += kWarp) {
      if (i + lane_ < quads) reinterpret_cast<uint2*>(levels)[i + lane_] = {0, 0};
    }
    __syncwarp();
    uint32_t last = symbol(kLastTable + type * kDensities + density);
    if (block == BlockType::k16x16) last = last << 2 | symbol(kLastLowTable + min_of(last, kLastGroups - 1));
    last = min_of(last, static_cast<uint32_t>(quads) - 1);
    SharedAddress entries = quads_ + 2 * ((quads == 4 ? 2 : quads == 16 ? 6 : 22) + last);
    uint32_t entry = load_shared(entries);
    uint32_t next = load_shared(entries - 2);
    const BlockTables tables{tables_ + (kQuadTable + type * kFrequencyClasses * kQuadsAround) * kTableBytes,
                             tables_ + (kLargeTable + type * kLargeClasses * kLargeAround) * kTableBytes};
    QuadTables own = tables.of(entry, 0);
    Interval pattern_of = interval(
        tables_ +
        (kLastQuadTable + type * kFrequencyClasses + (entry >> QuadEntry::kFrequencyBit & 7U)) * kTableBytes);
    // Sums of code_quad() results around each quad of the diagonal, and of the next one: a byte for each u.
    uint64_t around = 0;
    uint64_t beyond = 0;
    Level* at = levels + 4 * last + lane_;
#pragma unroll 1
    for (uint32_t n = last;; --n) {
      const bool ends = (entry & QuadEntry::kEnds) != 0;
      MagnitudeTable large{};
      MagnitudeTable seen{};
      QuadTables next_tables{};
      Interval next_pattern_of{};
      uint32_t next_but_one = 0;
      const uint32_t pattern = coder_.symbol(pattern_of, [&] {
        large = magnitudes(own.large);
        seen = magnitudes(own.large + kSeen);
        next_tables = tables.of(next, ends ? beyond : around);  // valid unless this quad changes it
        next_pattern_of = interval(next_tables.pattern);
        next_but_one = load_shared(entries - 4);
      });
      if (pattern != 0) {
        const uint32_t counts = decode_quad(block, pattern, large, seen, at);
        const uint32_t shift = entry & QuadEntry::kShift;  // the quads (u - 1, v) and (u, v - 1) see it
        beyond += shift == 0 ? counts : uint64_t{counts * 0x101U} << (shift - 8);
        if (ends) {
          next_tables = tables.of(next, beyond);
          next_pattern_of = interval(next_tables.pattern);
        }
      }
      if (n == 0) break;
      around = ends ? beyond : around;
      beyond = ends ? 0 : beyond;
      entry = next;
      next = next_but_one;
      entries -= 2;
      own = next_tables;
      pattern_of = next_pattern_of;
      at -= 4;
    }
    return block_density(block, last);
  }

  /// The rest of code_quad() for a nonzero quad. Lanes 0 to 3 have its levels.
  __device__ __forceinline__ uint32_t decode_quad(BlockType block, uint32_t pattern, MagnitudeTable table,
                                                  const MagnitudeTable& seen, Level* at) {
    const uint32_t count = count_bits(pattern);
    const uint32_t above = count_bits(pattern >> lane_ >> 1);  // levels that come before the lane's
    uint32_t large = 0;
    uint32_t level = 0;
#pragma unroll 1
    for (uint32_t k = 0; k < count; ++k) {
      uint32_t magnitude = 1;
      if (!coder_.first_symbol(table.first)) {
        magnitude += coder_.symbol(table.own);
        table = seen;
        ++large;
        if (magnitude > kEscape) {
          const uint32_t bits = symbol(kEscapeTable + (block == BlockType::kChroma ? 1 : 0));
          const uint32_t low = bits == 0 ? 0 : coder_.raw(bits);
          magnitude = min_of((1U << bits) + low + kEscape, 32767U);
        }
      }
      level = k == above ? magnitude : level;
    }
    const uint32_t signs = coder_.raw(count);
    if ((signs >> (count - 1 - above & 31U) & 1) != 0) level = 0 - level;
    if (lane_ < 4 && (pattern >> lane_ & 1) != 0) *at = static_cast<Level>(level);
    return count | large << 4;
  }

  SharedAddress tables_;  // the lane's symbol of the first table
  SharedAddress quads_;
  int chroma_blocks_;
  IntervalReader& coder_;
  SharedAddress first_sizes_;  // size of symbol 0 of the first table
  int lane_;
  uint32_t left_kinds_ = 0;  // MacroblockKind of left_ by row, in pairs of bits
  Edge left_{};              // of the macroblock to the left, in lanes by row of the strip
  Edge above_{};             // the same in all lanes
};

}  // namespace ctv::cuda

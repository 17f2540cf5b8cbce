// SPDX-License-Identifier: BSD-3-Clause
// Symbols of a macroblock in coding order (docs/bitstream.md, 12). Encoders and decoders of both backends
// share this code. A coder has
//   static constexpr bool kDecodes;
//   uint32_t symbol(uint32_t table, uint32_t s);   // s: to be encoded; returns it, or what was decoded
//   uint32_t raw(uint32_t bits, uint32_t value);   // 1 to 16 bits
//   void clear(Level* levels, int count);          // a decoder's: zeros, a multiple of 4
#pragma once

#include <cstdint>
#include <cstring>

#include "codec/format/macroblocks.hpp"
#include "codec/model/residual_contexts.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Context that a macroblock leaves for its right and lower neighbours, from its right column and lower row.
struct MacroblockEdges {
  uint8_t kind;        // MacroblockKind
  uint8_t luma[2][4];  // densities of 4x4 areas: right column, lower row
  uint8_t chroma[2];   // density of a plane
};
/// Neighbours of a macroblock in its piece; those outside it count as not coded.
struct ResidualNeighbours {
  MacroblockEdges left[kStripMacroblocks];  // by row of the strip
  MacroblockEdges above;
  /// Call at the first macroblock of a piece or a strip.
  CTV_HOST_DEVICE void clear() { *this = {}; }
};

CTV_HOST_DEVICE uint32_t count_bits(uint32_t v) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint32_t>(__popc(v));
#else
  return static_cast<uint32_t>(__builtin_popcount(v));
#endif
}

/// Position of quad n of a block.
CTV_HOST_DEVICE void quad_place(int side, int n, int& u, int& v) {
  // Diagonal d of the upper left triangle begins at quad d (d + 1) / 2; the lower right one mirrors it.
  const int count = side * side;
  const bool mirrored = n >= side * (side + 1) / 2;
  const int m = mirrored ? count - 1 - n : n;
  int d = 0;
  while ((d + 1) * (d + 2) / 2 <= m) ++d;
  const int i = m - d * (d + 1) / 2;
  u = mirrored ? side - 1 - i : i;
  v = mirrored ? side - 1 - (d - i) : d - i;
}

template <typename Coder>
CTV_HOST_DEVICE uint32_t code_magnitude(Coder& coder, uint32_t table, bool chroma, uint32_t magnitude) {
  const uint32_t symbol = coder.symbol(table, Coder::kDecodes ? 0 : min_of(magnitude - 1, kEscape));
  if (symbol < kEscape) return symbol + 1;
  // Exp-Golomb: the number of bits, then all but the highest bit.
  const uint32_t number = Coder::kDecodes ? 1 : magnitude - kEscape;  // from 1 on
  const uint32_t bits = coder.symbol(kEscapeTable + (chroma ? 1 : 0), Coder::kDecodes ? 0 : log2_of(number));
  const uint32_t low = bits == 0 ? 0 : coder.raw(bits, number & ((1U << bits) - 1));
  return min_of((1U << bits) + low + kEscape, 32767U);
}

/// Number of the last nonzero quad of a coded block.
CTV_HOST_DEVICE uint32_t last_quad(const Level* levels, int quads) {
  int n = quads - 1;
  while (n > 0 && (levels[4 * n] | levels[4 * n + 1] | levels[4 * n + 2] | levels[4 * n + 3]) == 0) --n;
  return static_cast<uint32_t>(n);
}

/// levels: offset is a multiple of four.
CTV_HOST_DEVICE void store_quad(const Level (&quad)[4], Level* levels) {
#if defined(__CUDA_ARCH__)
  const auto word = [](Level low, Level high) {
    return static_cast<uint32_t>(low) & 0xffffU | static_cast<uint32_t>(high) << 16;
  };
  *reinterpret_cast<uint2*>(levels) = {word(quad[0], quad[1]), word(quad[2], quad[3])};
#else
  std::memcpy(levels, quad, sizeof quad);
#endif
}

/// Codes the number of a block's last nonzero quad.
template <typename Coder>
CTV_HOST_DEVICE uint32_t code_last(Coder& coder, BlockType block, uint32_t density, uint32_t last) {
  const uint32_t table = kLastTable + static_cast<uint32_t>(block) * kDensities + density;
  if (block != BlockType::k16x16) return coder.symbol(table, last);
  const uint32_t group = coder.symbol(table, last >> 2);
  return group << 2 | coder.symbol(kLastLowTable + min_of(group, kLastGroups - 1), last & 3);
}

/// Codes a quad. Returns its context for other quads: the number of nonzero levels plus 16 times the number
/// of large ones. around: the sum of these for the neighbours (u + 1, v) and (u, v + 1).
template <typename Coder>
CTV_HOST_DEVICE uint32_t code_quad(Coder& coder, BlockType block, int frequency, bool last, uint32_t around,
                                   Level (&quad)[4]) {
  const auto type = static_cast<uint32_t>(block);
  const uint32_t place = type * kFrequencyClasses + static_cast<uint32_t>(frequency);
  uint32_t pattern = 0;
  if constexpr (!Coder::kDecodes) {
    for (int i = 0; i < 4; ++i) pattern |= (quad[i] != 0 ? 1U : 0U) << i;
  }
  pattern = coder.symbol(last ? kLastQuadTable + place
                              : kQuadTable + place * kQuadsAround + min_of(around & 15U, kQuadsAround - 1),
                         pattern);
  if (pattern == 0) return 0;
  const uint32_t large_table = kLargeTable + (type * kLargeClasses + large_class(frequency)) * kLargeAround +
                               min_of(around >> 4, kLargeAround - 1);
  constexpr uint32_t kSeenTables = kBlockTypes * kLargeClasses * kLargeAround;
  uint32_t large = 0;
  uint32_t signs = 0;
  for (int i = 3; i >= 0; --i) {
    if ((pattern >> i & 1) == 0) continue;
    const int level = quad[i];
    const uint32_t magnitude =
        code_magnitude(coder, large_table + (large != 0 ? kSeenTables : 0), block == BlockType::kChroma,
                       static_cast<uint32_t>(level < 0 ? -level : level));
    if constexpr (Coder::kDecodes) quad[i] = static_cast<Level>(magnitude);
    large += magnitude > 1 ? 1 : 0;
    signs = signs << 1 | (level < 0 ? 1U : 0U);
  }
  const uint32_t count = count_bits(pattern);
  signs = coder.raw(count, signs);
  if constexpr (Coder::kDecodes) {
    for (int i = 0; i < 4; ++i) {
      if ((pattern >> i & 1) == 0) continue;
      if ((signs & 1) != 0) quad[i] = static_cast<Level>(-quad[i]);
      signs >>= 1;
    }
  }
  return count | large << 4;
}

/// Codes the levels of a coded block from its last nonzero quad to its first. Returns its density. density:
/// of the neighbours. levels: a decoder writes all.
template <typename Coder>
CTV_HOST_DEVICE uint32_t code_block(Coder& coder, BlockType block, uint32_t density, Level* levels) {
  const int side = quads_on_side(block);
  const int quads = side * side;
  uint32_t last = 0;
  if constexpr (!Coder::kDecodes) last = last_quad(levels, quads);
  last = code_last(coder, block, density, last);
  if constexpr (Coder::kDecodes) {
    last = min_of(last, static_cast<uint32_t>(quads) - 1);
    const int coded = 4 * static_cast<int>(last) + 4;
    coder.clear(levels + coded, 4 * quads - coded);
  }
  int u = 0;
  int v = 0;
  quad_place(side, static_cast<int>(last), u, v);
  // code_quad() results of two diagonals, one byte per u. A quad's neighbours are in `beyond`, the next
  // diagonal.
  uint64_t beyond = 0;
  uint64_t own = 0;
  for (auto n = static_cast<int>(last);; --n) {
    const uint64_t pair = beyond >> (8 * u);
    const auto around = static_cast<uint32_t>(pair & 255U) + static_cast<uint32_t>(pair >> 8 & 255U);
    Level quad[4] = {};
    if constexpr (!Coder::kDecodes) std::memcpy(quad, levels + 4 * n, sizeof quad);
    const uint32_t counts =
        code_quad(coder, block, frequency_class(side, u + v), n == static_cast<int>(last), around, quad);
    if constexpr (Coder::kDecodes) store_quad(quad, levels + 4 * n);
    own |= uint64_t{counts} << (8 * u);
    if (n == 0) break;
    if (u > 0 && v + 1 < side) {  // up to the end of the diagonal
      --u;
      ++v;
    } else {
      const int diagonal = u + v - 1;
      u = min_of(diagonal, side - 1);
      v = diagonal - u;
      beyond = own;
      own = 0;
    }
  }
  return block_density(block, last);
}

// Tables of the macroblock's own symbols.

/// skipped: mask of skipped quarters, not all of them.
CTV_HOST_DEVICE uint32_t mode_table(const MacroblockEdges& left, const MacroblockEdges& above,
                                    uint32_t skipped) {
  const uint32_t some = count_bits(skipped);
  return kModeTable + (uint32_t{left.kind} * 3 + above.kind) * 3 + (some == 0 ? 0 : some == 3 ? 2 : 1);
}
CTV_HOST_DEVICE uint32_t mode_of(const Macroblock& m) {
  return uint32_t{m.kind} << 2 | (m.chroma[0] != 0 ? 1U : 0U) | (m.chroma[1] != 0 ? 2U : 0U);
}
/// Context of the next quarter's kind, from the context and kind of this one. 0: the first quarter. Otherwise
/// it depends on the last kind, and on whether an earlier quarter had blocks of 4x4.
CTV_HOST_DEVICE uint32_t next_quarter(uint32_t before, uint32_t kind) {
  return 1 + kind + (before > 3 || kind == static_cast<uint32_t>(QuarterKind::k4x4) ? 3 : 0);
}
/// left, above: densities next to the quarter's first block.
CTV_HOST_DEVICE uint32_t blocks_table(int q, uint32_t left, uint32_t above) {
  return kBlocksTable + static_cast<uint32_t>(4 * q) + (left != 0 ? 1 : 0) + (above != 0 ? 2 : 0);
}

/// Codes a macroblock. skipped: mask of skipped quarters, not all of them. levels: of the macroblock, by
/// plane. row: in the strip.
template <typename Coder>
CTV_HOST_DEVICE void code_macroblock(Coder& coder, const MacroblockGrid& grid, ResidualNeighbours& around,
                                     int row, uint32_t skipped, Macroblock& m, Level* const (&levels)[3]) {
  const MacroblockEdges left = around.left[row];
  const MacroblockEdges above = row == 0 ? MacroblockEdges{} : around.above;  // strips are independent
  MacroblockEdges own{};
  const uint32_t mode = coder.symbol(mode_table(left, above, skipped), mode_of(m));
  own.kind = static_cast<uint8_t>(mode >> 2);
  if constexpr (Coder::kDecodes) m = {own.kind, 0, 0, {0, 0}, 0};
  if (own.kind != 0) {
    uint8_t density[5][5];  // of 4x4 areas; row 0 and column 0: of the neighbours
    for (int i = 0; i < 4; ++i) {
      density[i + 1][0] = left.luma[0][i];
      density[0][i + 1] = above.luma[1][i];
      for (int k = 0; k < 4; ++k) density[i + 1][k + 1] = 0;
    }
    const auto code_luma = [&](BlockType type, int r, int c, Level* at) {
      const int side = type == BlockType::k4x4 ? 1 : type == BlockType::k8x8 ? 2 : 4;
      uint32_t most_left = 0;
      uint32_t most_above = 0;
      for (int i = 1; i <= side; ++i) {
        most_left = max_of(most_left, uint32_t{density[r + i][c]});
        most_above = max_of(most_above, uint32_t{density[r][c + i]});
      }
      const auto d = static_cast<uint8_t>(code_block(coder, type, most_left + most_above, at));
      for (int i = 1; i <= side; ++i) {
        for (int k = 1; k <= side; ++k) density[r + i][c + k] = d;
      }
    };
    if (own.kind == static_cast<uint8_t>(MacroblockKind::k16x16)) {
      code_luma(BlockType::k16x16, 0, 0, levels[0]);
    } else {
      uint32_t before = 0;  // context of the quarter's kind
      for (int q = 0; q < kMacroblockQuarters; ++q) {
        if ((skipped >> q & 1) != 0) continue;
        const int r = q / 2 * 2;
        const int c = q % 2 * 2;
        const uint32_t kind = coder.symbol(kQuarterTable + before, static_cast<uint32_t>(m.quarter(q)));
        before = next_quarter(before, kind);
        if constexpr (Coder::kDecodes) m.quarters = static_cast<uint8_t>(m.quarters | kind << 2 * q);
        Level* const at = levels[0] + 64 * q;
        if (kind == static_cast<uint32_t>(QuarterKind::k8x8)) code_luma(BlockType::k8x8, r, c, at);
        if (kind != static_cast<uint32_t>(QuarterKind::k4x4)) continue;
        const uint32_t table = blocks_table(q, density[r + 1][c], density[r][c + 1]);
        const uint32_t blocks = coder.symbol(table, m.blocks >> 4 * q & 15U);
        if constexpr (Coder::kDecodes) m.blocks = static_cast<uint16_t>(m.blocks | blocks << 4 * q);
        for (int b = 0; b < 4; ++b) {
          if ((blocks >> b & 1) != 0) code_luma(BlockType::k4x4, r + b / 2, c + b % 2, at + 16 * b);
        }
      }
    }
    for (int i = 0; i < 4; ++i) {
      own.luma[0][i] = density[i + 1][4];
      own.luma[1][i] = density[4][i + 1];
    }
  }
  for (uint32_t p = 0; p < 2; ++p) {
    if ((mode >> p & 1) == 0) continue;
    uint32_t blocks = m.chroma[p];
    if (grid.chroma_blocks() > 1) {
      blocks = coder.symbol(kChromaTable + p, blocks);
    } else {
      blocks = 1;
    }
    if constexpr (Coder::kDecodes) m.chroma[p] = static_cast<uint8_t>(blocks);
    for (int b = 0; b < grid.chroma_blocks(); ++b) {
      if ((blocks >> b & 1) == 0) continue;
      const uint32_t d = code_block(coder, BlockType::kChroma, uint32_t{left.chroma[p]} + above.chroma[p],
                                    levels[p + 1] + kChromaBlockLevels * static_cast<size_t>(b));
      own.chroma[p] = static_cast<uint8_t>(max_of(uint32_t{own.chroma[p]}, d));
    }
  }
  around.left[row] = own;
  around.above = own;
}

/// The same for a macroblock whose quarters are all skipped; it has no symbols.
CTV_HOST_DEVICE void pass_macroblock(ResidualNeighbours& around, int row) {
  around.left[row] = {};
  around.above = {};
}

}  // namespace ctv

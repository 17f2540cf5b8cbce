// SPDX-License-Identifier: BSD-3-Clause
// A warp's tile of 16x16 positions: luma of a macroblock, or chroma blocks of U on the left and V on the
// right. A lane transforms a line in registers. Other steps use octets, eight adjacent samples that a lane
// reads and writes at once. Blocks of 16x16 have lines for only half of the lanes; the others repeat these
// and write equal values.
#pragma once

#include <cstdint>

#include "codec/dsp/residual_quantise.hpp"
#include "codec/format/macroblocks.hpp"
#include "codec/util/types.hpp"
#include "cuda/residual/dct_lines.cuh"
#include "cuda/residual/residual_kernels.hpp"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {

constexpr int kTile = 16;
constexpr int kTileStride = 24;  // avoids most bank conflicts of lanes that read rows
constexpr int kOctet = 8;        // samples that a lane reads at once

struct alignas(16) Tile {
  int16_t at[kTile][kTileStride];
};

/// Lines of blocks of kSize: line i is row or column i % 16 in group i / 16 of kSize samples.
template <int kSize>
constexpr int kLineRounds = kSize == 4 ? 2 : 1;  // lines per lane
template <int kSize>
__device__ __forceinline__ int line_of(int lane, int round) {
  return kSize == 16 ? lane % kTile : lane + round * kWarp;
}

/// Position of a lane's octet.
struct Octet {
  int row, half;
  __device__ __forceinline__ explicit Octet(int lane) : row(lane / 2), half(lane % 2) {}
  __device__ __forceinline__ int quarter() const { return row / kQuarterSide * 2 + half; }
};

__device__ __forceinline__ void unpack(uint32_t pair, int& first, int& second) {
  first = static_cast<int16_t>(pair);
  second = static_cast<int>(pair) >> 16;
}
__device__ __forceinline__ uint32_t pack(int first, int second) {
  return __byte_perm(static_cast<uint32_t>(first), static_cast<uint32_t>(second), 0x5410);
}
__device__ __forceinline__ void unpack(const uint4& words, int* x) {
  unpack(words.x, x[0], x[1]);
  unpack(words.y, x[2], x[3]);
  unpack(words.z, x[4], x[5]);
  unpack(words.w, x[6], x[7]);
}
__device__ __forceinline__ uint4 pack(const int* x) {
  return {pack(x[0], x[1]), pack(x[2], x[3]), pack(x[4], x[5]), pack(x[6], x[7])};
}

/// Loads kSize samples of a row from a multiple of kSize on.
template <int kSize>
__device__ __forceinline__ void load_row(const int16_t* from, int (&x)[kSize]) {
  if constexpr (kSize == 4) {
    const uint2 words = *reinterpret_cast<const uint2*>(from);
    unpack(words.x, x[0], x[1]);
    unpack(words.y, x[2], x[3]);
  } else {
#pragma unroll
    for (int i = 0; i < kSize; i += kOctet) unpack(*reinterpret_cast<const uint4*>(from + i), x + i);
  }
}
/// round_dct() of two sums.
__device__ __forceinline__ uint32_t rounded_pair(int first, int second, int bits) {
  const int half = 1 << (bits - 1);
  uint32_t pair;
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;"
      : "=r"(pair)
      : "r"((second + half) >> bits), "r"((first + half) >> bits));
  return pair;
}
/// Stores a row of kSize samples in pairs.
template <int kSize, typename PairOf>
__device__ __forceinline__ void store_pairs(int16_t* to, PairOf pair_of) {
  if constexpr (kSize == 4) {
    *reinterpret_cast<uint2*>(to) = {pair_of(0), pair_of(2)};
  } else {
#pragma unroll
    for (int i = 0; i < kSize; i += kOctet)
      *reinterpret_cast<uint4*>(to + i) = {pair_of(i), pair_of(i + 2), pair_of(i + 4), pair_of(i + 6)};
  }
}
template <int kSize>
__device__ __forceinline__ void store_row(const int (&x)[kSize], int16_t* to) {
  store_pairs<kSize>(to, [&](int i) { return pack(x[i], x[i + 1]); });
}
template <int kShift, int kSize>
__device__ __forceinline__ void store_rounded_row(const int (&sums)[kSize], int16_t* to) {
  store_pairs<kSize>(to, [&](int i) { return rounded_pair(sums[i], sums[i + 1], kShift); });
}

template <int kSize>
__device__ __forceinline__ void load_col(const Tile& tile, int row, int col, int (&x)[kSize]) {
#pragma unroll
  for (int i = 0; i < kSize; ++i) x[i] = tile.at[row + i][col];
}
template <int kSize>
__device__ __forceinline__ void store_rounded_col(const int (&sums)[kSize], int bits, int row, int col,
                                                  Tile& tile) {
#pragma unroll
  for (int i = 0; i < kSize; i += 2) {
    const uint32_t pair = rounded_pair(sums[i], sums[i + 1], bits);
    tile.at[row + i][col] = static_cast<int16_t>(pair);
    tile.at[row + i + 1][col] = static_cast<int16_t>(pair >> 16);
  }
}

/// First pass of all blocks: columns of samples of 8 + shift bits.
template <int kSize>
__device__ __forceinline__ void forward_cols(const Tile& samples, int shift, int lane, Tile& lines) {
#pragma unroll 1
  for (int round = 0; round < kLineRounds<kSize>; ++round) {
    const int line = line_of<kSize>(lane, round);
    const int row = line / kTile * kSize;
    int x[kSize];
    int sums[kSize];
    load_col(samples, row, line % kTile, x);
    dct_forward<kSize>(x, sums);
    store_rounded_col(sums, dct_forward_first_shift(shift), row, line % kTile, lines);
  }
}

/// Second pass, in place: rows.
template <int kSize>
__device__ __forceinline__ void forward_rows(int lane, Tile& lines) {
#pragma unroll 1
  for (int round = 0; round < kLineRounds<kSize>; ++round) {
    const int line = line_of<kSize>(lane, round);
    int16_t* const at = &lines.at[line % kTile][line / kTile * kSize];
    int x[kSize];
    int sums[kSize];
    load_row<kSize>(at, x);
    dct_forward<kSize>(x, sums);
    if constexpr (kSize == kTile) __syncwarp();  // before other lanes' copies of the line are written
    store_rounded_row<kDctForwardSecondShift>(sums, at);
  }
}

/// Reconstructs the levels of a row of frequencies and applies the first inverse pass. Uncoded blocks have
/// coefficients 0.
template <int kSize>
__device__ __forceinline__ void inverse_row(const Tile& levels, uint32_t step, bool coded, int row, int col,
                                            Tile& lines) {
  int x[kSize] = {};
  if (coded) {
    int y[kSize];
    load_row<kSize>(&levels.at[row][col], y);
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      const auto value = static_cast<int>(dequantise_residual(static_cast<uint32_t>(abs_of(y[i])), step));
      y[i] = y[i] < 0 ? -value : value;
    }
    dct_inverse<kSize>(y, x);
  }
  store_rounded_row<kDctInverseFirstShift>(x, &lines.at[row][col]);
}
template <int kSize>
__device__ __forceinline__ void inverse_col(const Tile& lines, int shift, int row, int col, Tile& samples) {
  int y[kSize];
  int x[kSize];
  load_col(lines, row, col, y);
  dct_inverse<kSize>(y, x);
  store_rounded_col(x, dct_inverse_second_shift(shift), row, col, samples);
}

/// Whether the 4x4 luma block at this position is coded, in a quarter of 4x4 blocks.
__device__ __forceinline__ bool codes_four(const Macroblock& m, int row, int col) {
  const int q = row / kQuarterSide * 2 + col / kQuarterSide;
  const int b = row / 4 % 2 * 2 + col / 4 % 2;
  return (m.blocks >> (4 * q + b) & 1) != 0;
}

/// Finds the luma residual from the levels of a macroblock's coded blocks. levels: tiles by BlockType, with
/// levels [vertical frequency][horizontal frequency] at the place of the block's samples. Samples of other
/// quarters are undefined. All lanes must call; the tiles must differ.
__device__ __forceinline__ void inverse_luma(const Macroblock& m, const Tile (&levels)[3], uint32_t step,
                                             int shift, int lane, Tile& lines, Tile& samples) {
  if (m.kind == static_cast<uint8_t>(MacroblockKind::k16x16)) {
    inverse_row<16>(levels[2], step, true, lane % kTile, 0, lines);
    __syncwarp();
    inverse_col<16>(lines, shift, 0, lane % kTile, samples);
    __syncwarp();
    return;
  }
  // Groups of lines are adjacent in rows, and one below the other in columns.
  const int line = lane % kTile;
  const int group = lane / kTile;
  const auto is = [&](QuarterKind kind, int row, int col) {
    return m.quarter(row / kQuarterSide * 2 + col / kQuarterSide) == kind;
  };
  if (is(QuarterKind::k8x8, line, 8 * group)) inverse_row<8>(levels[1], step, true, line, 8 * group, lines);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int col = 4 * (group + 2 * i);
    if (is(QuarterKind::k4x4, line, col))
      inverse_row<4>(levels[0], step, codes_four(m, line, col), line, col, lines);
  }
  __syncwarp();
  if (is(QuarterKind::k8x8, 8 * group, line)) inverse_col<8>(lines, shift, 8 * group, line, samples);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = 4 * (group + 2 * i);
    if (is(QuarterKind::k4x4, row, line)) inverse_col<4>(lines, shift, row, line, samples);
  }
  __syncwarp();
}

/// Mask of chroma blocks: bit 2 p + i is block i, from the top, of plane p.
__device__ __forceinline__ uint32_t chroma_bit(int row, int col) {
  return 1U << (col / kQuarterSide * 2 + row / kQuarterSide);
}
__device__ __forceinline__ void inverse_chroma(uint32_t coded, const Tile& levels, uint32_t step, int shift,
                                               int lane, Tile& lines, Tile& samples) {
  const int line = lane % kTile;
  const int first = lane / kTile * kQuarterSide;
  if ((coded & chroma_bit(line, first)) != 0) inverse_row<8>(levels, step, true, line, first, lines);
  __syncwarp();
  if ((coded & chroma_bit(first, line)) != 0) inverse_col<8>(lines, shift, first, line, samples);
  __syncwarp();
}

/// Position of quad n of a tile's blocks: its first level, and in luma the type of its block.
struct QuadPlace {
  int row, col;
  BlockType type;
  bool coded;
};
static __device__ const QuadOrder<8> kQuadsOf16 = QuadOrder<8>();
__device__ __forceinline__ QuadPlace quad_of_8(int n, int row, int col) {
  constexpr QuadOrder<4> kOrder;
  constexpr auto kPlaces = [](const uint8_t(&of)[16]) {
    uint64_t nibbles = 0;
    for (int i = 0; i < 16; ++i) nibbles |= uint64_t{of[i]} << (4 * i);
    return nibbles;
  };
  constexpr uint64_t kCols = kPlaces(kOrder.u);
  constexpr uint64_t kRows = kPlaces(kOrder.v);
  return {row + 2 * static_cast<int>(kRows >> (4 * n) & 3U),
          col + 2 * static_cast<int>(kCols >> (4 * n) & 3U), BlockType::k8x8, true};
}
/// Quad n of luma, in the order of levels.
__device__ __forceinline__ QuadPlace quad_of_luma(const Macroblock& m, int n) {
  if (m.kind == static_cast<uint8_t>(MacroblockKind::k16x16))
    return {2 * kQuadsOf16.v[n], 2 * kQuadsOf16.u[n], BlockType::k16x16, true};
  const int q = n / 16;
  const int row = q / 2 * kQuarterSide;
  const int col = q % 2 * kQuarterSide;
  const QuarterKind kind = m.quarter(q);
  if (kind == QuarterKind::k8x8) return quad_of_8(n % 16, row, col);
  const int b = n % 16 / 4;
  static_assert(QuadOrder<2>().u[1] == 0 && QuadOrder<2>().v[1] == 1);
  return {row + b / 2 * 4 + 2 * (n % 2), col + b % 2 * 4 + n % 4 / 2 * 2, BlockType::k4x4,
          kind == QuarterKind::k4x4 && (m.blocks >> (4 * q + b) & 1) != 0};
}

/// Loads a quad's levels from two rows of the tile; put_quad() is its inverse.
__device__ __forceinline__ uint2 take_quad(const Tile& levels, const QuadPlace& quad) {
  const uint32_t low = *reinterpret_cast<const uint32_t*>(&levels.at[quad.row][quad.col]);
  const uint32_t high = *reinterpret_cast<const uint32_t*>(&levels.at[quad.row + 1][quad.col]);
  return {__byte_perm(low, high, 0x5410), __byte_perm(low, high, 0x7632)};
}
__device__ __forceinline__ void put_quad(const uint2& quad_levels, const QuadPlace& quad, Tile& levels) {
  *reinterpret_cast<uint32_t*>(&levels.at[quad.row][quad.col]) =
      __byte_perm(quad_levels.x, quad_levels.y, 0x5410);
  *reinterpret_cast<uint32_t*>(&levels.at[quad.row + 1][quad.col]) =
      __byte_perm(quad_levels.x, quad_levels.y, 0x7632);
}
constexpr int kTileQuads = kTile * kTile / 4;

/// Quad n of a chroma tile.
struct ChromaQuad {
  int n, plane, block;  // block: in the tile
  __device__ __forceinline__ explicit ChromaQuad(int n) : n(n % 16), plane(n / 32), block(n / 16 % 2) {}
  __device__ __forceinline__ uint32_t bit() const { return 1U << (2 * plane + block); }
  __device__ __forceinline__ QuadPlace place() const {
    return quad_of_8(n, block * kQuarterSide, plane * kQuarterSide);
  }
  /// first: number in the macroblock of the tile's first block.
  __device__ __forceinline__ uint2* levels(const ResidualWork& work, size_t index, int first) const {
    return reinterpret_cast<uint2*>(work.levels[plane + 1] + index * work.grid.levels(1) +
                                    kChromaBlockLevels * static_cast<size_t>(first + block)) +
           n;
  }
};

/// Whether eight samples are aligned, as in all pictures of a stream, for a single access.
__device__ __forceinline__ bool is_aligned(const Sample* at) {
  return reinterpret_cast<uintptr_t>(at) % sizeof(uint4) == 0;
}
__device__ __forceinline__ uint4 load_octet(const Sample* from) {
  if (is_aligned(from)) return *reinterpret_cast<const uint4*>(from);
  int x[kOctet];
#pragma unroll
  for (int i = 0; i < kOctet; ++i) x[i] = from[i];
  return pack(x);
}
/// Luma's step at a macroblock. prediction: a lane's octet. All lanes must call.
__device__ __forceinline__ uint32_t luma_step(const ResidualWork& work, const uint4& prediction) {
  if (work.masking == 0) return work.steps[0];
  int p[kOctet];
  unpack(prediction, p);
  uint32_t sum = 0;
  uint32_t squares = 0;
#pragma unroll
  for (int i = 0; i < kOctet; ++i) {
    const auto sample = static_cast<uint32_t>(p[i] >> work.shift);
    sum += sample;
    squares += sample * sample;
  }
  return masked_step(work.steps[0], mask_of(work.masking, warp_sum(sum), warp_sum(squares)));
}

/// Adds an octet of the tile to a prediction, except for half i (four samples) if bit i of `kept` is set.
__device__ __forceinline__ void add_octet(const uint4& prediction, const Tile& samples, const Octet& octet,
                                          uint32_t kept, SampleRange range, Sample* to) {
  int p[kOctet];
  int x[kOctet];
  unpack(prediction, p);
  load_row<kOctet>(&samples.at[octet.row][octet.half * kOctet], x);
#pragma unroll
  for (int i = 0; i < kOctet; ++i) {
    if ((kept >> (i / 4) & 1U) == 0) p[i] = clamp_to(p[i] + x[i], range.lo, range.hi);
  }
  if (is_aligned(to)) {
    *reinterpret_cast<uint4*>(to) = pack(p);
    return;
  }
#pragma unroll
  for (int i = 0; i < kOctet; ++i) to[i] = static_cast<Sample>(p[i]);
}

/// A lane's chroma octet: in block `first` + half of the tile, plane 1 + octet.half.
struct ChromaOctet {
  int plane, block;
  ptrdiff_t row;  // row in the plane
  ptrdiff_t col;
  uint32_t skipped;  // bit i: half i lies in a skipped quarter

  __device__ __forceinline__ ChromaOctet(const MacroblockGrid& grid, int mb_row, int mb_col,
                                         uint32_t skipped_of_mb, int first, const Octet& octet)
      : plane(1 + octet.half), block(first + octet.row / kQuarterSide) {
    const int r = block / grid.chroma_block_cols() * kQuarterSide + octet.row % kQuarterSide;
    const int c = block % grid.chroma_block_cols() * kQuarterSide;
    row = (mb_row * kMacroblock >> grid.chroma.y) + r;
    col = (mb_col * kMacroblock >> grid.chroma.x) + c;
    const int quarter_row = r >> (3 - grid.chroma.y) & 1;
    skipped = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int q = 2 * quarter_row + ((c + 4 * i) >> (3 - grid.chroma.x) & 1);
      skipped |= (skipped_of_mb >> q & 1U) << i;
    }
  }
};

}  // namespace ctv::cuda

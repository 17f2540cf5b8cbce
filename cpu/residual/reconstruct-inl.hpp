// SPDX-License-Identifier: BSD-3-Clause
// Copies levels between tiles and memory, and reconstructs macroblocks. Included once per instruction set.
#if defined(CTV_CPU_RECONSTRUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTV_CPU_RECONSTRUCT_INL_HPP
#undef CTV_CPU_RECONSTRUCT_INL_HPP
#else
#define CTV_CPU_RECONSTRUCT_INL_HPP
#endif

#include <cstring>

#include "codec/backend/residual_coder.hpp"
#include "codec/dsp/residual_quantise.hpp"
#include "cpu/residual/dct-inl.hpp"
#include "cpu/residual/quantise-inl.hpp"

#ifndef CTV_CPU_RECONSTRUCT_ONCE
#define CTV_CPU_RECONSTRUCT_ONCE
namespace ctv {
/// Data of a frame that all macroblocks share.
struct ResidualPass {
  const ResidualFrame* frame;
  const ConstPlanes* source;  // null in a decoder
  const Planes* decoded;
  ResidualArrays coded;
  const FrameTables* tables;  // null in a decoder
};

inline constexpr QuadOrder<2> kOrder4;
inline constexpr QuadOrder<4> kOrder8;
inline constexpr QuadOrder<8> kOrder16;

template <int kSize>
constexpr const auto& order_of() {
  if constexpr (kSize == 4) return kOrder4;
  if constexpr (kSize == 8) return kOrder8;
  if constexpr (kSize == 16) return kOrder16;
}

}  // namespace ctv
#endif

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

// Copies the block of kSize at (row, col) of a tile of levels to its quads, and back as coefficients.
template <int kSize>
HWY_INLINE void PutBlock(const Tile& levels, int row, int col, Level* to) {
  constexpr auto& order = order_of<kSize>();
  for (int n = 0; n < kSize * kSize / 4; ++n, to += 4) {
    const int16_t* const from = &levels.at[row + 2 * order.u[n]][col + 2 * order.v[n]];
    std::memcpy(to, from, 2 * sizeof *to);
    std::memcpy(to + 2, from + kTile, 2 * sizeof *to);
  }
}
template <int kSize>
HWY_INLINE void TakeBlock(const Level* from, uint32_t step, int row, int col, Tile& values) {
  constexpr auto& order = order_of<kSize>();
  for (int n = 0; n < kSize * kSize / 4; ++n, from += 4) {
    uint64_t any = 0;
    std::memcpy(&any, from, sizeof any);
    if (any == 0) continue;
    for (int i = 0; i < 4; ++i) {
      const int level = from[i];
      const auto value =
          static_cast<int>(dequantise_residual(static_cast<uint32_t>(level < 0 ? -level : level), step));
      values.at[row + 2 * order.u[n] + i / 2][col + 2 * order.v[n] + i % 2] =
          static_cast<int16_t>(level < 0 ? -value : value);
    }
  }
}

// Adds a block of 8x8 samples, or the part of it that lies in one cell.
HWY_INLINE void AddBlock(const Tile& residual, int row, int col, SampleRange range, int rows, int cols,
                         Sample* to, ptrdiff_t stride) {
  const auto lo = static_cast<int16_t>(range.lo);
  const auto hi = static_cast<int16_t>(range.hi);
  for (int r = 0; r < rows; ++r, to += stride) {
    const int16_t* const add = &residual.at[row + r][col];
    for (int c = 0; c < cols; ++c)
      to[c] = clamp_to(static_cast<int16_t>(clamp_to(to[c] + add[c], -32768, 32767)), lo, hi);
  }
}

struct Here {
  int row, col;      // of the macroblock
  uint32_t skipped;  // mask of skipped quarters
  size_t index;
};

// Adds the residual of coded luma blocks. values: tiles of blocks of 16, 8 and 4 samples.
HWY_INLINE void AddLuma(const ResidualPass& pass, const Here& here, const Macroblock& m, Tile& whole,
                        Tile& eights, Tile& fours) {
  Tile samples;
  const PlaneView<Sample>& plane = (*pass.decoded)[0];
  const auto add = [&](int q) {
    const int row = q / 2 * kQuarterSide;
    const int col = q % 2 * kQuarterSide;
    AddBlock(samples, row, col, pass.frame->ranges[0], kQuarterSide, kQuarterSide,
             plane.row(here.row * kMacroblock + row) + here.col * kMacroblock + col, plane.stride);
  };
  const auto add_all = [&](QuarterKind kind) {
    for (int q = 0; q < kMacroblockQuarters; ++q) {
      if ((here.skipped >> q & 1) == 0 && m.quarter(q) == kind) add(q);
    }
  };
  if (m.kind == static_cast<uint8_t>(MacroblockKind::k16x16)) {
    InverseDct<16>(whole, pass.frame->shift(), samples);
    for (int q = 0; q < kMacroblockQuarters; ++q) {
      if ((here.skipped >> q & 1) == 0) add(q);
    }
    return;
  }
  const uint32_t eight = m.quarters & 0x55U;
  const uint32_t four = m.quarters & 0xaaU;
  if (eight != 0) {
    InverseDct<8>(eights, pass.frame->shift(), samples);
    add_all(QuarterKind::k8x8);
  }
  if (four != 0) {
    InverseDct<4>(fours, pass.frame->shift(), samples);
    add_all(QuarterKind::k4x4);
  }
}

// Position of a quarter's 4x4 block b in a tile from TransposeBlocks<4>().
constexpr int FourRow(int b) { return b % 2 * 4; }
constexpr int FourCol(int b) { return b / 2 * 4; }

// A chroma block of both planes; the second begins in column 8 of the tile.
struct ChromaBlock {
  int row, col;    // first sample in the planes
  int first_cell;  // quarter of its first sample
  int rows, cols;  // samples of a quarter, at most 8
};
HWY_INLINE ChromaBlock chroma_block(const MacroblockGrid& grid, const Here& here, int b) {
  const int per_row = grid.chroma_block_cols();
  const int row = b / per_row * kQuarterSide;
  const int col = b % per_row * kQuarterSide;
  const int rows = kQuarterSide >> grid.chroma.y;
  const int cols = kQuarterSide >> grid.chroma.x;
  return {(here.row * kMacroblock >> grid.chroma.y) + row, (here.col * kMacroblock >> grid.chroma.x) + col,
          row / rows * 2 + col / cols, rows, cols};
}
// Calls work(row, col) for the parts of the block in coded quarters, or in skipped quarters.
template <typename Work>
HWY_INLINE void ForCells(const ChromaBlock& block, uint32_t skipped, bool which, Work work) {
  for (int r = 0; r < kQuarterSide; r += block.rows) {
    for (int c = 0; c < kQuarterSide; c += block.cols) {
      const int q = block.first_cell + r / block.rows * 2 + c / block.cols;
      if (((skipped >> q & 1) != 0) == which) work(r, c);
    }
  }
}

HWY_INLINE void AddChroma(const ResidualPass& pass, const ChromaBlock& block, uint32_t skipped, int planes,
                          const Tile& values) {
  Tile samples;
  InverseDct<8, 8>(values, pass.frame->shift(), samples);
  for (int p = 0; p < 2; ++p) {
    if ((planes >> p & 1) == 0) continue;
    const auto i = static_cast<size_t>(p) + 1;
    const PlaneView<Sample>& plane = (*pass.decoded)[i];
    ForCells(block, skipped, false, [&](int r, int c) {
      AddBlock(samples, r, kQuarterSide * p + c, pass.frame->ranges[i], block.rows, block.cols,
               plane.row(block.row + r) + block.col + c, plane.stride);
    });
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// SPDX-License-Identifier: BSD-3-Clause
// Macroblocks, the units of the residual of predicted frames (docs/bitstream.md, 12): 16x16 luma samples and
// the chroma samples at the same place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/format/motion_grid.hpp"
#include "codec/util/host_device.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr int kLog2Macroblock = 4;
inline constexpr int kMacroblock = 1 << kLog2Macroblock;
inline constexpr int kQuarterSide = 8;  // a quarter of a macroblock is one motion cell
inline constexpr int kMacroblockQuarters = 4;
inline constexpr size_t kLumaLevels = 256;        // of a macroblock
inline constexpr size_t kChromaBlockLevels = 64;  // chroma blocks are 8x8
/// Macroblocks are coded in strips of this many rows, column by column from top to bottom.
inline constexpr int kStripMacroblocks = 4;

/// Transform of luma.
enum class MacroblockKind : uint8_t { kNone = 0, k16x16 = 1, kSplit = 2 };
enum class QuarterKind : uint8_t { kNone = 0, k8x8 = 1, k4x4 = 2 };
/// Luma blocks of 4x4, 8x8 and 16x16, and chroma blocks of 8x8.
enum class BlockType : uint8_t { k4x4 = 0, k8x8 = 1, k16x16 = 2, kChroma = 3 };
inline constexpr int kBlockTypes = 4;

/// Modes of a macroblock, in 8 bytes, since kernels write it.
struct alignas(8) Macroblock {
  uint8_t kind;       // MacroblockKind
  uint8_t quarters;   // kSplit: bits 2 q and 2 q + 1 are the QuarterKind of quarter q
  uint16_t blocks;    // of k4x4 quarters: bit 4 q + b, whether block b is coded
  uint8_t chroma[2];  // of U and V: bit b, whether block b is coded
  uint16_t cost;      // encoder: estimated bits in eighths (residual_decisions.hpp)

  CTV_HOST_DEVICE QuarterKind quarter(int q) const { return static_cast<QuarterKind>(quarters >> 2 * q & 3); }
  CTV_HOST_DEVICE bool coded() const { return kind != 0 || (chroma[0] | chroma[1]) != 0; }
};

/// Levels of a macroblock are contiguous: 256 in luma, 64 per block in a chroma plane. A quarter has 64 luma
/// levels; its 4x4 block b has the 16 from 16 b on. A block's levels are in quads of 2x2 frequencies, in the
/// order of QuadOrder. Order in a quad: (u, v), (u, v + 1), (u + 1, v), (u + 1, v + 1), with horizontal
/// frequency u and vertical frequency v.
struct MacroblockGrid {
  int rows = 0, cols = 0;
  int planes = 0;
  ChromaShift chroma;

  CTV_HOST_DEVICE size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
  /// Blocks per macroblock of a chroma plane.
  CTV_HOST_DEVICE int chroma_blocks() const { return planes == 1 ? 0 : 4 >> (chroma.y + chroma.x); }
  CTV_HOST_DEVICE int chroma_block_cols() const { return 2 >> chroma.x; }
  CTV_HOST_DEVICE size_t levels(int plane) const {
    return plane == 0 ? kLumaLevels : kChromaBlockLevels * static_cast<size_t>(chroma_blocks());
  }
  /// Number of a macroblock in coding order.
  CTV_HOST_DEVICE size_t index(int row, int col) const {
    const int strip = row / kStripMacroblocks * kStripMacroblocks;
    const int height = min_of(kStripMacroblocks, rows - strip);
    return static_cast<size_t>(strip) * static_cast<size_t>(cols) +
           static_cast<size_t>(col) * static_cast<size_t>(height) + static_cast<size_t>(row - strip);
  }
};

/// Visits macroblocks in coding order.
struct MacroblockPlace {
  int strip = 0, row = 0, col = 0;  // strip: its first row; row: in the strip
  CTV_HOST_DEVICE MacroblockPlace(const MacroblockGrid& grid, size_t index) {
    const size_t whole = static_cast<size_t>(kStripMacroblocks) * static_cast<size_t>(grid.cols);
    strip = static_cast<int>(index / whole) * kStripMacroblocks;
    const auto height = static_cast<size_t>(height_of(grid));
    col = static_cast<int>(index % whole / height);
    row = static_cast<int>(index % whole % height);
  }
  CTV_HOST_DEVICE int height_of(const MacroblockGrid& grid) const {
    return min_of(kStripMacroblocks, grid.rows - strip);
  }
  CTV_HOST_DEVICE bool begins_strip() const { return row == 0 && col == 0; }
  CTV_HOST_DEVICE void next(const MacroblockGrid& grid) {
    if (++row < height_of(grid)) return;
    row = 0;
    if (++col < grid.cols) return;
    col = 0;
    strip += kStripMacroblocks;
  }
};

/// Mask of the skipped quarters of the macroblock at (row, col): bit q. Quarters outside the motion grid
/// count as skipped.
CTV_HOST_DEVICE uint32_t skipped_quarters(const MotionGrid& cells, const uint8_t* skips, int row, int col) {
  uint32_t skipped = 0;
  for (int q = 0; q < kMacroblockQuarters; ++q) {
    const int r = 2 * row + (q >> 1);
    const int c = 2 * col + (q & 1);
    const bool coded =
        r < cells.rows && c < cells.cols && skips[static_cast<ptrdiff_t>(r) * cells.cols + c] == 0;
    skipped |= (coded ? 0U : 1U) << q;
  }
  return skipped;
}
inline constexpr uint32_t kAllSkipped = 15;

/// Order of the quads of a block: along diagonals from the lowest frequencies on, by rising u in each.
CTV_HOST_DEVICE constexpr int quads_on_side(BlockType type) {
  return type == BlockType::k4x4 ? 2 : type == BlockType::k16x16 ? 8 : 4;
}
template <int kSide>
struct QuadOrder {
  uint8_t u[kSide * kSide]{}, v[kSide * kSide]{};
  uint8_t number[kSide][kSide]{};  // [u][v]
  constexpr QuadOrder() {
    int n = 0;
    for (int diagonal = 0; diagonal < 2 * kSide - 1; ++diagonal) {
      for (int i = 0; i <= diagonal; ++i) {
        const int j = diagonal - i;
        if (i >= kSide || j >= kSide) continue;
        u[n] = static_cast<uint8_t>(i);
        v[n] = static_cast<uint8_t>(j);
        number[i][j] = static_cast<uint8_t>(n++);
      }
    }
  }
};

/// Frequency classes, by the diagonal of a quad.
inline constexpr int kFrequencyClasses = 5;
CTV_HOST_DEVICE constexpr int frequency_class(int quad_side, int diagonal) {
  if (quad_side < 8) return min_of(diagonal, kFrequencyClasses - 1);
  return diagonal == 0 ? 0 : diagonal < 3 ? 1 : diagonal < 5 ? 2 : diagonal < 8 ? 3 : 4;
}

}  // namespace ctv

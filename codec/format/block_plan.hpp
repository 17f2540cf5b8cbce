// SPDX-License-Identifier: BSD-3-Clause
// A block transform as data: which subband holds each frequency, and its quantiser.
#pragma once

#include <array>
#include <span>

#include "codec/dsp/block_transform.hpp"
#include "codec/format/subband_layout.hpp"

namespace ctv {

inline constexpr int kMaxBlockArea = 64;
inline constexpr int kMaxDcArea = 16;

/// Frequencies in raster order: [vertical][horizontal].
struct BlockPlan {
  int log2 = 0;                                  // side of the block
  int dc_row_log2 = 0, dc_col_log2 = 0;          // both 0: no transform of DC coefficients
  std::array<size_t, kMaxBlockArea> subbands{};  // index in the layout; [0] is unused with a DC transform
  std::array<size_t, kMaxDcArea> dc_subbands{};  // [4 vertical + horizontal]
  bool transforms_dc() const { return dc_row_log2 > 0; }
};

BlockPlan make_block_plan(const SubbandLayout& layout);

struct BlockQuantisers {
  std::array<BlockQuantiser, kMaxBlockArea> of{};
  std::array<BlockQuantiser, kMaxDcArea> dc{};  // with other rounding offsets
};

/// quantisers: one per subband.
BlockQuantisers make_block_quantisers(const SubbandLayout& layout, const BlockPlan& plan,
                                      std::span<const SubbandQuantiser> quantisers);

}  // namespace ctv

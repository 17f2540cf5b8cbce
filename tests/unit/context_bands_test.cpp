// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/context_bands.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codec/format/subband_layout.hpp"

namespace ctv {
namespace {

TEST(ContextBands, AFrequencyIsForetoldByItsLowerNeighbours) {
  for (const TransformKind kind :
       {TransformKind::kDct8x8, TransformKind::kH264_4x4, TransformKind::kH264_8x8}) {
    PictureLayout picture;
    picture.chroma = {1, 1};
    picture.width = 97;
    picture.height = 61;
    for (int p = 0; p < 3; ++p) {
      picture.subbands[static_cast<size_t>(p)] =
          make_layout(block_transform(kind), picture.extent(p), p == 0 ? ChromaShift{} : picture.chroma);
    }
    const auto components = make_components(
        picture, {ComponentScope::kLayer, static_cast<uint8_t>(block_transform(kind).scales + 1), 0},
        EntropyCoding::kContext);
    const auto bands = make_context_bands(picture, components[0]);
    const auto frequency = [&](const ContextBand& band) {
      const SubbandLayout& layout = picture.subbands[static_cast<size_t>(band.plane)];
      for (const Subband& s : layout.subbands) {
        if (s.size() > 0 && s.offset == band.offset) return frequency_of(layout, s);
      }
      ADD_FAILURE() << "no such subband";
      return Frequency{};
    };
    size_t levels = 0;
    for (size_t b = 0; b < bands.size(); ++b) {
      levels += static_cast<size_t>(bands[b].rows) * static_cast<size_t>(bands[b].cols);
      const Frequency f = frequency(bands[b]);
      int related = 0;
      for (const int i : {bands[b].siblings[0], bands[b].siblings[1], bands[b].parent}) {
        if (i < 0) continue;
        ASSERT_LT(i, static_cast<int>(b));
        const ContextBand& other = bands[static_cast<size_t>(i)];
        const Frequency g = frequency(other);
        EXPECT_FALSE(other.lowpass);
        EXPECT_EQ(other.plane, bands[b].plane);
        EXPECT_EQ(other.rows, bands[b].rows);
        EXPECT_EQ(other.cols, bands[b].cols);
        EXPECT_EQ(g.dc, f.dc);
        const bool diagonal = i == bands[b].parent;
        EXPECT_EQ(f.row - g.row + f.col - g.col, diagonal ? 2 : 1);
        EXPECT_LE(std::max(f.row - g.row, f.col - g.col), 1);
        ++related;
      }
      // All three, but for those at the edge and next to the lowpass; without a DC transform, to the DC.
      const bool edge = f.row == 0 || f.col == 0;
      const bool corner = f.row <= 1 && f.col <= 1;
      if (!edge && !corner) {
        EXPECT_EQ(related, 3);
      }
    }
    EXPECT_EQ(levels, components[0].levels);
  }
}

}  // namespace
}  // namespace ctv

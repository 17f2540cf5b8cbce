// SPDX-License-Identifier: BSD-3-Clause
// Format of a picture, its coded planes, and the extents of both.
#pragma once

#include <ctv/ctv.h>

#include <array>
#include <vector>

#include "codec/dsp/ycbcr.hpp"
#include "codec/format/macroblocks.hpp"
#include "codec/format/picture_format.hpp"
#include "codec/format/subband_layout.hpp"
#include "codec/util/types.hpp"

namespace ctv {

/// Conversion between the source format and coded planes.
enum class ColourModel : uint8_t {
  kAsIs = 0,   // mono or YCbCr, not converted
  kYcocgR = 1  // RGB by the reversible YCoCg
};

/// Room for a plane's levels, so that those of the next plane begin at a multiple of 16 bytes: kernels read
/// and write several at once.
constexpr size_t level_room(size_t coefficients) { return (coefficients + 7) / 8 * 8; }

struct PictureLayout {
  ctv_format source = CTV_FORMAT_NONE;  // source_format() of the stream
  int bits = 8;                         // of a sample
  int width = 0;
  int height = 0;
  ColourModel colour = ColourModel::kAsIs;
  int planes = 3;                           // coded: 1 or 3
  ChromaShift chroma;                       // of the coded chroma planes
  YcbcrMatrix ycbcr = kBt601;               // for conversions between RGB and YCbCr
  std::array<SubbandLayout, 3> subbands{};  // per coded plane

  Extent extent(int plane) const {
    const int y = plane == 0 ? 0 : chroma.y;
    const int x = plane == 0 ? 0 : chroma.x;
    return {(height + (1 << y) - 1) >> y, (width + (1 << x) - 1) >> x};
  }
  SampleRange range(int plane) const {
    return plane > 0 && colour == ColourModel::kYcocgR ? SampleRange{-255, 255}
                                                       : SampleRange{0, (1 << bits) - 1};
  }
  /// Constant prediction of all samples of a key frame.
  int dc_offset(int plane) const { return plane > 0 && colour == ColourModel::kYcocgR ? 0 : 1 << (bits - 1); }
  /// Bits that samples have beyond 8.
  int shift() const { return bits - 8; }
};

/// The macroblocks of predicted frames.
inline MacroblockGrid make_macroblock_grid(const PictureLayout& layout) {
  return {ceil_div(layout.height, kMacroblock), ceil_div(layout.width, kMacroblock), layout.planes,
          layout.chroma};
}

/// Whether a picture of the format has the coded planes, apart from the width of their samples.
inline bool keeps_planes(const PictureLayout& layout, ctv_format format) {
  const PictureFormat f = picture_format(format);
  return !is_rgb(format) && f.planes == layout.planes && layout.colour == ColourModel::kAsIs &&
         (f.planes == 1 || (f.chroma.y == layout.chroma.y && f.chroma.x == layout.chroma.x));
}

}  // namespace ctv

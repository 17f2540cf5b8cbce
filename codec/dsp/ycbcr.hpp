// SPDX-License-Identifier: BSD-3-Clause
// R'G'B' and Y'CbCr of ITU-T H.273, in 256ths. Used only to convert decoded pictures to another format;
// streams do not depend on it.
#pragma once

#include "codec/dsp/ycocg.hpp"
#include "codec/util/host_device.hpp"

namespace ctv {

struct Ycbcr {
  int y, cb, cr;
};

/// Coefficients between R'G'B' (0..255) and Y'CbCr, in 256ths.
struct YcbcrMatrix {
  int black;                         // luma of black
  int y_r, y_g, y_b;                 // to luma
  int cb_r, cb_g, cb_b;              // to chroma minus 128
  int cr_r, cr_g, cr_b;              //
  int luma, r_cr, g_cb, g_cr, b_cb;  // inverse: from luma minus black and from chroma minus 128
};

/// kr, kb: weights of red and blue in luma. full: all samples 0..255; else luma 16..235, chroma 16..240.
constexpr YcbcrMatrix make_ycbcr_matrix(double kr, double kb, bool full) {
  const auto rounded = [](double v) { return static_cast<int>(v * 256 + (v < 0 ? -0.5 : 0.5)); };
  const double luma = full ? 1 : 219.0 / 255;
  const double chroma = full ? 1 : 224.0 / 255;
  YcbcrMatrix m{};
  m.black = full ? 0 : 16;
  // Green is the remainder, so that white has luma's maximum and greys have no chroma.
  m.y_r = rounded(luma * kr);
  m.y_b = rounded(luma * kb);
  m.y_g = rounded(luma) - m.y_r - m.y_b;
  m.cb_r = rounded(chroma * -0.5 * kr / (1 - kb));
  m.cb_b = rounded(chroma * 0.5);
  m.cb_g = -m.cb_r - m.cb_b;
  m.cr_r = rounded(chroma * 0.5);
  m.cr_b = rounded(chroma * -0.5 * kb / (1 - kr));
  m.cr_g = -m.cr_r - m.cr_b;
  m.luma = rounded(1 / luma);
  m.r_cr = rounded(2 * (1 - kr) / chroma);
  m.b_cb = rounded(2 * (1 - kb) / chroma);
  m.g_cr = rounded(2 * (1 - kr) * kr / (1 - kr - kb) / chroma);
  m.g_cb = rounded(2 * (1 - kb) * kb / (1 - kr - kb) / chroma);
  return m;
}

/// ITU-R BT.601, limited range.
inline constexpr YcbcrMatrix kBt601 = make_ycbcr_matrix(0.299, 0.114, false);

/// Inputs 0..255; outputs 0..255.
CTV_HOST_DEVICE Ycbcr rgb_to_ycbcr(const YcbcrMatrix& m, int r, int g, int b) {
  return {m.black + ((m.y_r * r + m.y_g * g + m.y_b * b + 128) >> 8),
          min_of(128 + ((m.cb_r * r + m.cb_g * g + m.cb_b * b + 128) >> 8), 255),
          min_of(128 + ((m.cr_r * r + m.cr_g * g + m.cr_b * b + 128) >> 8), 255)};
}

/// Accepts any values; clamps the result to 0..255.
CTV_HOST_DEVICE Rgb ycbcr_to_rgb(const YcbcrMatrix& m, int y, int cb, int cr) {
  const int luma = m.luma * (y - m.black) + 128;
  const int u = cb - 128;
  const int v = cr - 128;
  return {clamp_to((luma + m.r_cr * v) >> 8, 0, 255), clamp_to((luma - m.g_cb * u - m.g_cr * v) >> 8, 0, 255),
          clamp_to((luma + m.b_cb * u) >> 8, 0, 255)};
}

}  // namespace ctv

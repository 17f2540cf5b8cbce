// SPDX-License-Identifier: BSD-3-Clause
// Operations of the call's page on samples, other than coding.
#include <algorithm>

#include "tools/bindings/web/codec/web.h"

/// Converts pixels of a canvas to I420: BT.601, limited range; a chroma sample is the mean of up to four
/// pixels.
CTV_WEB_API void ctv_web_i420_from_rgba(const uint8_t* rgba, int width, int height, uint8_t* out) {
  uint8_t* luma = out;
  for (int i = 0; i < width * height; ++i) {
    const uint8_t* p = rgba + 4 * i;
    luma[i] = static_cast<uint8_t>((66 * p[0] + 129 * p[1] + 25 * p[2] + 128 + (16 << 8)) >> 8);
  }
  const int columns = (width + 1) / 2;
  uint8_t* cb = luma + width * height;
  uint8_t* cr = cb + columns * ((height + 1) / 2);
  for (int y = 0; y < height; y += 2) {
    const uint8_t* upper = rgba + 4 * width * y;
    const uint8_t* lower = y + 1 < height ? upper + 4 * width : upper;
    for (int x = 0; x < columns; ++x) {
      const int left = 8 * x;
      const int right = 2 * x + 1 < width ? left + 4 : left;
      int sum[3];
      for (int c = 0; c < 3; ++c)
        sum[c] = upper[left + c] + upper[right + c] + lower[left + c] + lower[right + c];
      *cb++ = static_cast<uint8_t>((-38 * sum[0] - 74 * sum[1] + 112 * sum[2] + 512 + (128 << 10)) >> 10);
      *cr++ = static_cast<uint8_t>((112 * sum[0] - 94 * sum[1] - 18 * sum[2] + 512 + (128 << 10)) >> 10);
    }
  }
}

/// Sum of squared differences of `rows` rows; a has no gaps between rows.
CTV_WEB_API double ctv_web_squared_error(const uint8_t* a, const uint8_t* b, int b_stride, int columns,
                                         int rows) {
  double sum = 0;
  for (int r = 0; r < rows; ++r, a += columns, b += b_stride) {
    int32_t row = 0;  // of at most 33000 columns
    for (int c = 0; c < columns; ++c) row += (a[c] - b[c]) * (a[c] - b[c]);
    sum += row;
  }
  return sum;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/picture_copy.hpp"

#include <cstring>

#include "codec/format/picture_format.hpp"

namespace ctv {

void copy_picture(const ctv_picture& picture, PictureCopy& copy) {
  copy.picture = picture;
  copy.picture.borrowed = 0;
  const ctv_format format = picture.format;
  copy.bytes.resize(picture_bytes(format, picture.width, picture.height));
  uint8_t* out = copy.bytes.data();
  for (int p = 0; p < format_planes(format); ++p) {
    const size_t row_bytes = plane_row_bytes(format, picture.width, p);
    copy.picture.data[p] = out;
    copy.picture.stride[p] = static_cast<ptrdiff_t>(row_bytes);
    const auto* in = static_cast<const uint8_t*>(picture.data[p]);
    for (int r = 0; r < plane_rows(format, picture.height, p); ++r, out += row_bytes) {
      std::memcpy(out, in + r * picture.stride[p], row_bytes);
    }
  }
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/picture_copy.hpp"

#include <cstring>

#include "codec/config/picture_check.hpp"

namespace ctv {

void copy_picture(const ctv_picture& picture, PictureCopy& copy) {
  copy.picture = picture;
  copy.picture.borrowed = 0;
  size_t size = 0;
  const int planes = format_planes(picture.format);
  for (int p = 0; p < planes; ++p) {
    size += ctv_plane_row_bytes(picture.format, picture.width, p) *
            ctv_plane_rows(picture.format, picture.height, p);
  }
  copy.bytes.resize(size);
  uint8_t* out = copy.bytes.data();
  for (int p = 0; p < planes; ++p) {
    const size_t row_bytes = ctv_plane_row_bytes(picture.format, picture.width, p);
    copy.picture.data[p] = out;
    copy.picture.stride[p] = static_cast<ptrdiff_t>(row_bytes);
    const auto* in = static_cast<const uint8_t*>(picture.data[p]);
    for (size_t r = 0; r < ctv_plane_rows(picture.format, picture.height, p); ++r, out += row_bytes) {
      std::memcpy(out, in + static_cast<ptrdiff_t>(r) * picture.stride[p], row_bytes);
    }
  }
}

}  // namespace ctv

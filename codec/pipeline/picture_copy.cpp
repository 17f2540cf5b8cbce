// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/picture_copy.hpp"

#include "codec/format/pack_picture.hpp"
#include "codec/format/picture_format.hpp"

namespace ctv {

void copy_picture(const ctv_picture& picture, PictureCopy& copy, int threads) {
  copy.bytes.resize(picture_bytes(picture.format, picture.width, picture.height));
  copy.picture = pack_picture(picture, copy.bytes.data(), threads);
}

}  // namespace ctv

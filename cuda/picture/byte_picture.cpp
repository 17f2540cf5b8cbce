// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the public formats as planes of bytes.
#include "cuda/picture/colour.hpp"

namespace ctv::cuda {

BytePicture byte_picture(ctv_format format, int width, int height, void* const data[],
                         const ptrdiff_t stride[]) {
  BytePicture picture;
  picture.format = format;
  const auto bytes = [&](int p) { return static_cast<uint8_t*>(data[p]); };
  picture.planes[0] = {bytes(0), stride[0], picture_format(format).step, height, width};
  if (format_planes(format) == 1) return picture;
  const int rows = plane_rows(format, height, 1);
  const int cols = (width + chroma_shift(format).x) >> chroma_shift(format).x;
  const bool pairs = format == CTV_FORMAT_NV12;
  picture.planes[1] = {bytes(1), stride[1], pairs ? 2 : 1, rows, cols};
  picture.planes[2] = pairs ? BytePlane{bytes(1) + 1, stride[1], 2, rows, cols}
                            : BytePlane{bytes(2), stride[2], 1, rows, cols};
  return picture;
}

}  // namespace ctv::cuda

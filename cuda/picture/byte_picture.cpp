// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the public formats as planes of bytes.
#include "cuda/picture/colour.hpp"

namespace ctv::cuda {

BytePicture byte_picture(ctv_format format, int width, int height, void* const data[],
                         const ptrdiff_t stride[]) {
  BytePicture picture;
  picture.format = format;
  const auto bytes = [&](int p) { return static_cast<uint8_t*>(data[p]); };
  const PictureFormat f = picture_format(format);
  picture.planes[0] = {bytes(0), stride[0], f.step, height, width, f.bits, f.unused};
  if (format_planes(format) == 1) return picture;
  const int rows = plane_rows(format, height, 1);
  const int cols = (width + chroma_shift(format).x) >> chroma_shift(format).x;
  const bool pairs = f.planes == 2;
  picture.planes[1] = {bytes(1), stride[1], f.chroma_step, rows, cols, f.bits, f.unused};
  picture.planes[2] = picture.planes[1];
  picture.planes[2].data = pairs ? bytes(1) + f.chroma_step / 2 : bytes(2);
  picture.planes[2].stride = stride[pairs ? 1 : 2];
  return picture;
}

}  // namespace ctv::cuda

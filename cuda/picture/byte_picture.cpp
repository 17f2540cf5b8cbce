// SPDX-License-Identifier: BSD-3-Clause
// The shapes of pictures outside: planes, rows and bytes of each format.
#include "cuda/picture/colour.hpp"

namespace ctv::cuda {

int plane_count(ctv_format format) {
  if (format == CTV_FORMAT_GRAY8 || is_rgb(format)) return 1;
  return format == CTV_FORMAT_NV12 ? 2 : 3;
}

size_t row_bytes(ctv_format format, int width, int plane) {
  if (is_rgb(format)) return static_cast<size_t>(width) * (format == CTV_FORMAT_RGB8 ? 3 : 4);
  const int shift = plane == 0 ? 0 : chroma_shift(format).x;
  return static_cast<size_t>((width + shift) >> shift) * (plane > 0 && format == CTV_FORMAT_NV12 ? 2 : 1);
}

int plane_rows(ctv_format format, int height, int plane) {
  const int shift = plane == 0 ? 0 : chroma_shift(format).y;
  return (height + shift) >> shift;
}

size_t tight_size(ctv_format format, int width, int height) {
  size_t size = 0;
  for (int p = 0; p < plane_count(format); ++p) {
    size += row_bytes(format, width, p) * static_cast<size_t>(plane_rows(format, height, p));
  }
  return size;
}

BytePicture byte_picture(ctv_format format, int width, int height, void* const data[],
                         const ptrdiff_t stride[]) {
  BytePicture picture;
  picture.format = format;
  const auto bytes = [&](int p) { return static_cast<uint8_t*>(data[p]); };
  const int step = format == CTV_FORMAT_RGB8 ? 3 : (format == CTV_FORMAT_RGBA8 ? 4 : 1);
  picture.planes[0] = {bytes(0), stride[0], step, height, width};
  if (format == CTV_FORMAT_GRAY8 || is_rgb(format)) return picture;
  const int rows = plane_rows(format, height, 1);
  const int cols = (width + chroma_shift(format).x) >> chroma_shift(format).x;
  const bool pairs = format == CTV_FORMAT_NV12;
  picture.planes[1] = {bytes(1), stride[1], pairs ? 2 : 1, rows, cols};
  picture.planes[2] = pairs ? BytePlane{bytes(1) + 1, stride[1], 2, rows, cols}
                            : BytePlane{bytes(2), stride[2], 1, rows, cols};
  return picture;
}

}  // namespace ctv::cuda

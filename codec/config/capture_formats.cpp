// SPDX-License-Identifier: BSD-3-Clause
#include "codec/config/capture_formats.hpp"

#include <cstddef>

#include "codec/format/picture_format.hpp"

namespace ctv {
namespace {

// Copies `count` items of kFrom bytes to items of kTo bytes. order: which bytes are taken.
template <int kFrom, int kTo>
void pick(const uint8_t* from, int count, const int (&order)[kTo], uint8_t* to) {
  for (int i = 0; i < count; ++i) {
    for (int b = 0; b < kTo; ++b) to[i * kTo + b] = from[i * kFrom + order[b]];
  }
}

struct Writer {
  const ctv_picture& picture;
  ctv_picture& plain;
  uint8_t* next;

  /// row(from, count, to): samples of a row of the source's plane `from`, to plane `to` of the plain picture.
  template <typename Row>
  void plane(int from, int to, const Row& row) {
    const size_t bytes = plane_row_bytes(plain.format, plain.width, to);
    const int rows = plane_rows(plain.format, plain.height, to);
    plain.data[to] = next;
    plain.stride[to] = static_cast<ptrdiff_t>(bytes);
    const auto* source = static_cast<const uint8_t*>(picture.data[from]);
    for (int r = 0; r < rows; ++r, source += picture.stride[from], next += bytes) row(source, next);
  }
};

// Packed 4:2:2: where luma is, and Cb of a pair of samples; Cr is two bytes behind.
void unpack(Writer& w, int luma, int cb) {
  const int width = w.plain.width;
  const int pairs = (width + 1) / 2;
  w.plane(0, 0, [&](const uint8_t* from, uint8_t* to) { pick<2, 1>(from, width, {luma}, to); });
  w.plane(0, 1, [&](const uint8_t* from, uint8_t* to) { pick<4, 1>(from, pairs, {cb}, to); });
  w.plane(0, 2, [&](const uint8_t* from, uint8_t* to) { pick<4, 1>(from, pairs, {cb + 2}, to); });
}

}  // namespace

ctv_format plain_format(ctv_format format) {
  switch (format) {
    case CTV_FORMAT_BGR8:
    case CTV_FORMAT_BGRA8:
      return CTV_FORMAT_RGB8;
    case CTV_FORMAT_NV21:
      return CTV_FORMAT_NV12;
    case CTV_FORMAT_YUY2:
    case CTV_FORMAT_UYVY:
      return CTV_FORMAT_I422;
    default:
      return format;
  }
}

ctv_picture plain_picture(const ctv_picture& picture, std::vector<uint8_t>& samples) {
  if (plain_format(picture.format) == picture.format) return picture;
  ctv_picture plain = picture;
  plain.format = plain_format(picture.format);
  plain.borrowed = 0;
  const int width = picture.width;
  samples.resize(picture_bytes(plain.format, width, picture.height));
  Writer w{picture, plain, samples.data()};
  switch (picture.format) {
    case CTV_FORMAT_BGR8:
      w.plane(0, 0, [&](const uint8_t* from, uint8_t* to) { pick<3, 3>(from, width, {2, 1, 0}, to); });
      break;
    case CTV_FORMAT_BGRA8:
      w.plane(0, 0, [&](const uint8_t* from, uint8_t* to) { pick<4, 3>(from, width, {2, 1, 0}, to); });
      break;
    case CTV_FORMAT_NV21:
      w.plane(1, 1, [&](const uint8_t* from, uint8_t* to) { pick<2, 2>(from, (width + 1) / 2, {1, 0}, to); });
      break;
    case CTV_FORMAT_YUY2:
      unpack(w, 0, 1);
      break;
    case CTV_FORMAT_UYVY:
      unpack(w, 1, 0);
      break;
    default:
      return picture;
  }
  return plain;
}

}  // namespace ctv

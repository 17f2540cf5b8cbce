// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/pack_picture.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "codec/format/picture_format.hpp"
#include "codec/util/parallel.hpp"

namespace ctv {
namespace {

constexpr int kMostThreads = 4;
constexpr size_t kPiece = size_t{1} << 17;  // bytes that a thread copies at once
constexpr size_t kMostPlanes = 3;

struct Plane {
  const uint8_t* from = nullptr;
  ptrdiff_t stride = 0;
  uint8_t* to = nullptr;
  size_t bytes = 0;  // bytes per row
  int rows = 0;
  int piece_rows = 1;
  int pieces() const { return (rows + piece_rows - 1) / piece_rows; }
  void copy(int piece) const {
    const int end = std::min(rows, (piece + 1) * piece_rows);
    for (int r = piece * piece_rows; r < end; ++r) {
      std::memcpy(to + bytes * static_cast<size_t>(r), from + r * stride, bytes);
    }
  }
};

}  // namespace

ctv_picture pack_picture(const ctv_picture& picture, uint8_t* to, int threads) {
  ctv_picture packed = picture;
  packed.borrowed = 0;
  std::array<Plane, kMostPlanes> planes;
  int pieces = 0;
  for (int p = 0; p < format_planes(picture.format); ++p) {
    Plane& plane = planes[static_cast<size_t>(p)];
    plane.bytes = plane_row_bytes(picture.format, picture.width, p);
    plane.rows = plane_rows(picture.format, picture.height, p);
    plane.piece_rows = std::max(1, static_cast<int>(kPiece / plane.bytes));
    plane.from = static_cast<const uint8_t*>(picture.data[p]);
    plane.stride = picture.stride[p];
    packed.data[p] = plane.to = to;
    packed.stride[p] = static_cast<ptrdiff_t>(plane.bytes);
    to += plane.bytes * static_cast<size_t>(plane.rows);
    pieces += plane.pieces();
  }
  parallel_for(std::min(threads, kMostThreads), pieces, [&](int piece) {
    const Plane* plane = planes.data();
    for (; piece >= plane->pieces(); ++plane) piece -= plane->pieces();
    plane->copy(piece);
  });
  return packed;
}

}  // namespace ctv

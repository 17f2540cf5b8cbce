// SPDX-License-Identifier: BSD-3-Clause
// The memory layout of each public picture format.
#pragma once

#include <ctv/ctv.h>

#include <cstddef>

#include "codec/util/types.hpp"

namespace ctv {

struct PictureFormat {
  int planes = 0;                       // in memory; 0: unknown format
  int step = 1;                         // plane 0: bytes between neighbouring samples
  int chroma_step = 1;                  // planes 1 and 2
  ChromaShift chroma;                   // subsampling of chroma
  ctv_format source = CTV_FORMAT_NONE;  // the format of 8 bits whose number headers contain
  int bits = 8;                         // of a sample; more than 8 are in 16-bit little-endian words
  int unused = 0;                       // low bits of a word below the sample
};

constexpr PictureFormat picture_format(ctv_format format) {
  switch (format) {
    case CTV_FORMAT_GRAY8:
      return {1, 1, 1, {0, 0}, CTV_FORMAT_GRAY8};
    case CTV_FORMAT_I420:
      return {3, 1, 1, {1, 1}, CTV_FORMAT_I420};
    case CTV_FORMAT_NV12:
      return {2, 1, 2, {1, 1}, CTV_FORMAT_I420};
    case CTV_FORMAT_I422:
      return {3, 1, 1, {0, 1}, CTV_FORMAT_I422};
    case CTV_FORMAT_I444:
      return {3, 1, 1, {0, 0}, CTV_FORMAT_I444};
    case CTV_FORMAT_RGB8:
      return {1, 3, 1, {0, 0}, CTV_FORMAT_RGB8};
    case CTV_FORMAT_RGBA8:
      return {1, 4, 1, {0, 0}, CTV_FORMAT_RGB8};
    case CTV_FORMAT_GRAY10:
      return {1, 2, 2, {0, 0}, CTV_FORMAT_GRAY8, 10};
    case CTV_FORMAT_I420_10:
      return {3, 2, 2, {1, 1}, CTV_FORMAT_I420, 10};
    case CTV_FORMAT_I422_10:
      return {3, 2, 2, {0, 1}, CTV_FORMAT_I422, 10};
    case CTV_FORMAT_I444_10:
      return {3, 2, 2, {0, 0}, CTV_FORMAT_I444, 10};
    case CTV_FORMAT_P010:
      return {2, 2, 4, {1, 1}, CTV_FORMAT_I420, 10, 6};
    case CTV_FORMAT_GRAY12:
      return {1, 2, 2, {0, 0}, CTV_FORMAT_GRAY8, 12};
    case CTV_FORMAT_I420_12:
      return {3, 2, 2, {1, 1}, CTV_FORMAT_I420, 12};
    case CTV_FORMAT_I422_12:
      return {3, 2, 2, {0, 1}, CTV_FORMAT_I422, 12};
    case CTV_FORMAT_I444_12:
      return {3, 2, 2, {0, 0}, CTV_FORMAT_I444, 12};
    case CTV_FORMAT_BGR8:
      return {1, 3, 1, {0, 0}, CTV_FORMAT_RGB8};
    case CTV_FORMAT_BGRA8:
      return {1, 4, 1, {0, 0}, CTV_FORMAT_RGB8};
    case CTV_FORMAT_NV21:
      return {2, 1, 2, {1, 1}, CTV_FORMAT_I420};
    case CTV_FORMAT_YUY2:
    case CTV_FORMAT_UYVY:
      return {1, 2, 1, {0, 1}, CTV_FORMAT_I422};
    default:
      return {};
  }
}
inline constexpr ctv_format kLastFormat = CTV_FORMAT_I444_12;
inline constexpr int kMostBits = 12;
/// Whether plane 0 has luma and chroma of pairs of samples.
constexpr bool is_packed(ctv_format format) { return format == CTV_FORMAT_YUY2 || format == CTV_FORMAT_UYVY; }

constexpr int format_planes(ctv_format format) { return picture_format(format).planes; }
constexpr ChromaShift chroma_shift(ctv_format format) { return picture_format(format).chroma; }
/// RGBA8 becomes RGB8, NV12 becomes I420.
constexpr ctv_format source_format(ctv_format format) { return picture_format(format).source; }
constexpr bool is_rgb(ctv_format format) { return source_format(format) == CTV_FORMAT_RGB8; }
constexpr bool is_gray(ctv_format format) { return source_format(format) == CTV_FORMAT_GRAY8; }
/// Planar, as decoders give it by default.
constexpr ctv_format format_of(ctv_format source, int bits) {
  for (int f = CTV_FORMAT_GRAY8; f <= kLastFormat; ++f) {
    const auto format = static_cast<ctv_format>(f);
    if (source_format(format) == source && picture_format(format).bits == bits) return format;
  }
  return CTV_FORMAT_NONE;
}

/// For one plane of the format, without gaps.
constexpr size_t plane_row_bytes(ctv_format format, int width, int plane) {
  const PictureFormat f = picture_format(format);
  const int shift = plane == 0 ? 0 : f.chroma.x;
  const auto samples = (static_cast<size_t>(width) + static_cast<size_t>(shift)) >> shift;
  if (is_packed(format)) return (static_cast<size_t>(width) + 1) / 2 * 4;
  return samples * static_cast<size_t>(plane == 0 ? f.step : f.chroma_step);
}
constexpr int plane_rows(ctv_format format, int height, int plane) {
  const int shift = plane == 0 ? 0 : chroma_shift(format).y;
  return static_cast<int>((static_cast<size_t>(height) + static_cast<size_t>(shift)) >> shift);
}
/// For all planes, without gaps.
constexpr size_t picture_bytes(ctv_format format, int width, int height) {
  size_t size = 0;
  for (int p = 0; p < format_planes(format); ++p) {
    size += plane_row_bytes(format, width, p) * static_cast<size_t>(plane_rows(format, height, p));
  }
  return size;
}

}  // namespace ctv

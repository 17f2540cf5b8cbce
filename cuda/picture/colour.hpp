// SPDX-License-Identifier: BSD-3-Clause
// Bytes of pictures in device memory to planes of samples and back: launchers.
#pragma once

#include "codec/backend/picture_transfer.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/util/host_device.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// A plane of a picture: element (r, c) is the byte, or the word, at data + r * stride + c * step.
struct BytePlane {
  uint8_t* data = nullptr;
  ptrdiff_t stride = 0;
  int step = 1;
  int rows = 0, cols = 0;
  int bits = 8;    // of a sample; more than 8 are in words
  int unused = 0;  // low bits of a word below the sample

  CTV_HOST_DEVICE int most() const { return (1 << bits) - 1; }
  CTV_HOST_DEVICE int at(int r, int c) const {
    const uint8_t* const from = data + r * stride + static_cast<ptrdiff_t>(c) * step;
    return bits == 8 ? from[0] : min_of((from[0] | from[1] << 8) >> unused, most());
  }
  /// v: of bits + down bits; rounded and limited.
  CTV_HOST_DEVICE void put(int r, int c, int v, int down) const {
    uint8_t* const to = data + r * stride + static_cast<ptrdiff_t>(c) * step;
    const int sample = clamp_to((v + (1 << down >> 1)) >> down, 0, most()) << unused;
    to[0] = static_cast<uint8_t>(sample);
    if (bits > 8) to[1] = static_cast<uint8_t>(sample >> 8);
  }
};

/// A picture as planes of bytes: Y, Cb, Cr (or Y only); RGB(A): plane 0 with step 3 or 4.
struct BytePicture {
  ctv_format format = CTV_FORMAT_NONE;
  BytePlane planes[3];
};

BytePicture byte_picture(ctv_format format, int width, int height, void* const data[],
                         const ptrdiff_t stride[]);

/// Pads by repeating the last row and column.
Status import_planes(Device& device, const BytePicture& picture, const PictureLayout& layout,
                     const Planes& planes);
/// Converts planes of the true extents (already reduced) to bytes.
Status export_planes(Device& device, const ConstPlanes& planes, const PictureLayout& layout,
                     const BytePicture& picture);

/// The same without conversion, for planes `first` to `end` - 1. bits: of the planes' samples.
Status import_same(Device& device, const BytePicture& picture, const PictureLayout& layout,
                   const Planes& planes, size_t first, size_t end);
Status export_same(Device& device, const ConstPlanes& planes, int bits, size_t first, size_t end,
                   const BytePicture& picture);

}  // namespace ctv::cuda

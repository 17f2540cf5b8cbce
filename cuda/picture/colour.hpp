// SPDX-License-Identifier: BSD-3-Clause
// Bytes of pictures in device memory to planes of samples and back: launchers.
#pragma once

#include "codec/backend/picture_transfer.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/util/host_device.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// A plane of bytes of a picture: element (r, c) is data[r * stride + c * step].
struct BytePlane {
  uint8_t* data = nullptr;
  ptrdiff_t stride = 0;
  int step = 1;
  int rows = 0, cols = 0;

  CTV_HOST_DEVICE int at(int r, int c) const { return data[r * stride + static_cast<ptrdiff_t>(c) * step]; }
  CTV_HOST_DEVICE void put(int r, int c, int v) const {
    data[r * stride + static_cast<ptrdiff_t>(c) * step] = static_cast<uint8_t>(clamp_to(v, 0, 255));
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

/// The same without conversion, for planes `first` to `end` - 1.
Status import_same(Device& device, const BytePicture& picture, const PictureLayout& layout,
                   const Planes& planes, size_t first, size_t end);
Status export_same(Device& device, const ConstPlanes& planes, size_t first, size_t end,
                   const BytePicture& picture);

}  // namespace ctv::cuda

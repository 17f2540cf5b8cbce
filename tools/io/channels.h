// SPDX-License-Identifier: BSD-3-Clause
// One view for all formats: a picture as a list of channels (Y, U, V or R, G, B), planar or interleaved.
// Measuring, comparing and converting are then written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ctv/ctv.h>

namespace ctv::tools {

struct Channel {
  const char* name;     // "Y", "U", "V", "R", "G", "B"
  const uint8_t* data;  // the first sample
  ptrdiff_t stride;     // bytes from row to row
  ptrdiff_t step;       // bytes from sample to sample
  int32_t width, height;
  int32_t bits = 8;    // of a sample
  int32_t unused = 0;  // low bits of a word below the sample

  int at(int32_t x, int32_t y) const {
    const uint8_t* const sample = data + y * stride + x * step;
    return bits == 8 ? sample[0] : (sample[0] | sample[1] << 8) >> unused;
  }
};

/// Channels of a picture in host memory, without alpha.
std::vector<Channel> channels(const ctv_picture& picture);

inline bool is_rgb(ctv_format format) {
  return format == CTV_FORMAT_RGB8 || format == CTV_FORMAT_RGBA8 || format == CTV_FORMAT_BGR8 ||
         format == CTV_FORMAT_BGRA8;
}

}  // namespace ctv::tools

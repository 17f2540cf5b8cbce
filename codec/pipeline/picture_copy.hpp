// SPDX-License-Identifier: BSD-3-Clause
// A picture in host memory that outlives the caller's.
#pragma once

#include <ctv/ctv.h>

#include <cstdint>
#include <vector>

namespace ctv {

struct PictureCopy {
  ctv_picture picture{};
  std::vector<uint8_t> bytes;
};
/// `picture` must be in host memory. The copy's memory is reused if it is large enough.
void copy_picture(const ctv_picture& picture, PictureCopy& copy, int threads = 1);

}  // namespace ctv

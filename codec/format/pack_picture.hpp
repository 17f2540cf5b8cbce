// SPDX-License-Identifier: BSD-3-Clause
// The samples of a picture without gaps between rows and planes.
#pragma once

#include <ctv/ctv.h>

#include <cstdint>

namespace ctv {

/// Copies the samples of `picture`, in host memory, to picture_bytes() bytes at `to`, and returns the packed
/// picture. Uses up to four threads, since one thread cannot use the whole memory bandwidth.
ctv_picture pack_picture(const ctv_picture& picture, uint8_t* to, int threads);

}  // namespace ctv
